"""The reader against replies read by hand, forms of our own, and itself without its short ways."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.text import choice_parser
from earmark.text.choice_parser import MEASURED, Parsed, parse_choice

HERE = Path(__file__).parent
LETTERS = "ABCDEFGHIJ"
VOICES = ("Man", "Woman", "Child", "Robot")


class Case(NamedTuple):
    reply: str
    labels: Sequence[str]
    choices: Sequence[str]
    question: str
    truth: str | None


def by_hand(shared: Path, name: str) -> list[Case]:
    """Replies of the team, with the right reading."""
    rows = map(json.loads, (shared / f"golden/{name}.jsonl").read_text().splitlines())
    return [Case(row["reply"], row["labels"], row["choices"], row.get("question", ""), row["truth"]) for row in rows]


def own(name: str) -> list[Case]:
    """Replies that we made up, several to a line."""
    rows = map(json.loads, (HERE / f"{name}.jsonl").read_text().splitlines())
    return [
        Case(reply, row["labels"], row["choices"], row["question"], row["truth"])
        for row in rows
        for reply in row["replies"]
    ]


def outcome(case: Case) -> str:
    read = parse_choice(case.reply, case.labels, case.choices, question=case.question).answer
    if read == case.truth or (case.truth and read in case.truth.split("|")):
        return "right"
    if read is None:
        return "unread"
    return "invented" if case.truth is None else "wrong"


def outcomes(cases: Sequence[Case]) -> Counter[str]:
    return Counter(map(outcome, cases))


@pytest.mark.shared
def test_real_replies_read_by_hand(shared: Path) -> None:
    found = outcomes(by_hand(shared, "adjudicated_replies"))
    assert (found.total(), found["wrong"], found["invented"], found["unread"]) == MEASURED


@pytest.mark.shared
def test_no_reply_of_todays_models_is_read_wrongly(shared: Path) -> None:
    found = outcomes(by_hand(shared, "reading_forms"))
    assert found["wrong"] + found["invented"] == 0
    assert found["unread"] <= 10


@pytest.mark.parametrize("name", ["own_forms", "own_forms_late", "own_forms_new", "own_comparisons"])
def test_no_form_of_our_own_is_read_wrongly(name: str) -> None:
    cases = own(name)
    assert not [case for case in cases if outcome(case) in ("wrong", "invented")]
    unread = 0.11 if name == "own_forms_new" else 0.03  # these need the meaning: "his keys were nowhere to be found"
    assert outcomes(cases)["unread"] <= unread * len(cases)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("A is lower in pitch than B. Therefore, B is higher.", "B"),
        ("Sound B is higher in pitch than sound A.", "B"),
        ("A is lower in pitch than B.", "B"),
        ("The first one was louder, the second one higher.", "B"),
        ("The first one was louder.", None),
        ("They have the same pitch.", None),
    ],
)
def test_a_comparison_is_read_by_the_question(reply: str, expected: str | None) -> None:
    question = "You hear two tones. Which one is higher in pitch?"
    asked_lower = "You hear two tones. Which one is lower in pitch?"
    choices = ("the first", "the second")
    assert parse_choice(reply, "AB", choices, question=question).answer == expected
    other = {None: None, "B": "A"}[expected]
    assert parse_choice(reply, "AB", choices, question=asked_lower).answer == other


@pytest.mark.parametrize("label", ["tense", "calm"])
@pytest.mark.parametrize("form", ["{}", "{}.", "**{}**", "The answer is {}.", '"{}"', "{}!"])
@pytest.mark.parametrize("case", [str.lower, str.upper, str.title])
@pytest.mark.parametrize("choices", [(), ("calm", "tense")])
def test_labels_that_are_words_are_read_in_any_case(
    label: str, form: str, case: Callable[[str], str], choices: tuple[str, ...]
) -> None:
    assert parse_choice(form.format(case(label)), ("calm", "tense"), choices).answer == label


def test_options_of_the_same_text_are_read_as_the_first() -> None:
    doubled = ("yes", "yes", "no")
    replies = ("A", "B", "yes", "The answer is yes.", "(B) yes", "no")
    assert [parse_choice(reply, "ABC", doubled).answer for reply in replies] == ["A", "B", "A", "A", "B", "C"]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("The clip contains only a human voice and music, so none of the choices is applicable.", None),
        ("None of the other options fits; it is a machine.", "C"),
        ("None of these. So I would choose the animal.", "B"),
    ],
)
def test_none_of_these(reply: str, expected: str | None) -> None:
    assert parse_choice(reply, "ABCD", ("Human voice", "Animal", "Machine", "Wind")).answer == expected


def test_an_option_is_not_read_from_words_that_it_shares() -> None:
    choices = ("Rely on John.", "Ask John to know.", "Leave at once.")
    reply = "The one to speak to should be somebody who knows, and John is not there."
    assert parse_choice(reply, "ABC", choices).answer is None


@pytest.mark.parametrize("ending", ["", " So it may be", "\n*   **the:** /ðə/ - Unstressed"])
def test_reasoning_that_breaks_off_is_not_read(ending: str) -> None:
    steps = "I will count the words that have at least one unstressed phoneme.\n" + "".join(
        f"*   **word{n}:** /wɜːd/ - Stressed\n" for n in range(12)
    )
    reading = parse_choice(steps + "*   **one:** /wʌn/ - Stressed" + ending, "ABCD", ("one", "two", "nine", "ten"))
    assert (reading.answer, reading.rule) == (None, "cut")
    assert parse_choice(steps + "\nThe answer is two.", "ABCD", ("one", "two", "nine", "ten")).answer == "B"


# ---------------------------------------------------------------- short ways


def without_short_ways(monkeypatch: pytest.MonkeyPatch, case: Case) -> tuple[Parsed, Parsed]:
    """The reading of a reply by the short way, if there is one, and by the rules."""
    short = parse_choice(case.reply, case.labels, case.choices)
    with monkeypatch.context() as patch:
        patch.setattr(choice_parser, "_parse_short", lambda *_, **__: None)
        return short, parse_choice(case.reply, case.labels, case.choices)


def labelled(case: Case) -> Iterator[Case]:
    """A reply, and each option of its item behind its own label and behind the next."""
    yield case
    alone = ("{}", " {}\n", "({}).", "{}.", "The answer is {}.", "The correct answer is ({}).", "Answer: {}")
    yield from (case._replace(reply=form.format(label)) for label in case.labels for form in alone)
    forms = ("({}) {}", "{}. {}.", "{}: {}", "{}) {}", "({}) {}.", "The answer is ({}) {}.", "Answer: {}. {}")
    for n, (label, choice) in enumerate(zip(case.labels, case.choices, strict=False)):
        for form in forms:
            yield case._replace(reply=form.format(label, choice))
            yield case._replace(reply=form.format(case.labels[n - 1], choice.lower()))


@pytest.mark.shared
def test_short_ways_read_as_the_rules_do(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    golden = map(json.loads, (shared / "golden/mcq_replies.jsonl").read_text().splitlines())
    cases = [Case(row["reply"], LETTERS[: len(row["choices"])], row["choices"], "", None) for row in golden]
    cases += by_hand(shared, "adjudicated_replies") + by_hand(shared, "reading_forms")
    cases += own("own_forms") + own("own_forms_late") + own("own_comparisons")
    items = {(*case.labels, *case.choices): case for case in cases}
    for form in [*cases, *(form for case in items.values() for form in labelled(case))]:
        short, slow = without_short_ways(monkeypatch, form)
        assert short == slow, form


options = st.lists(st.from_regex(r"[A-Za-z]{1,6}( [a-z0-9']{1,5}){0,2}\.?", fullmatch=True), min_size=4, max_size=4)
common = st.sampled_from(
    "none of the above|no answer|not B|a man|I do|if so|one|both|It is wrong|all of these|correct|answer|answer A|it is"
    "|A man.|hit a man|choose a cat|choice a cat|hear the|don't|It is a man|two|man|Man.".split("|")
)
LEADS = ("", "The answer is ", "The correct answer is ", "the answer is: ", "Answer: ")


@given(
    st.lists(st.one_of(options.map(lambda found: found[0]), common), min_size=4, max_size=4),
    st.integers(0, 3),
    st.data(),
)
def test_short_ways_read_as_the_rules_do_whatever_the_options(choices: list[str], at: int, data: st.DataObject) -> None:
    form = data.draw(st.sampled_from(["({}) {}", "{}. {}", "{}: {}.", "{}) {}", " ({}) {}\n", "({} {}", "{}.", "({})"]))
    case = Case(
        data.draw(st.sampled_from(LEADS)) + form.format("ABCD"[at], choices[data.draw(st.sampled_from([at, 0]))]),
        "ABCD",
        choices,
        "",
        None,
    )
    with pytest.MonkeyPatch.context() as monkeypatch:
        short, slow = without_short_ways(monkeypatch, case)
    assert short == slow


COUNT = """
import re._compiler as compiler
made, compile = [], compiler.compile
compiler.compile = lambda *given: made.append(given) or compile(*given)
from earmark.text.choice_parser import parse_choice
begin = len(made)
for n in range(50):
    options = tuple(f"{word}{'abcdefghij'[n % 10]}{'xyzuvw'[n % 6]}" for word in ("Man", "Woman", "Child", "Robot"))
    assert parse_choice(REPLY.replace("Man", options[0]), "ABCD", options).answer == "A"
print(len(made) - begin)
"""


@pytest.mark.parametrize(
    ("reply", "most"),
    [("A", 0), ("(A) Man", 1), ("A. Man.", 1), ("The answer is (A) Man.", 1), ("It was the Man.", 120)],
)
def test_patterns_are_not_compiled_for_each_item(reply: str, most: int) -> None:
    """Fifty items have options of their own; in a process of its own, since patterns are compiled when first used."""
    code = COUNT.replace("REPLY", repr(reply))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) <= most


def test_importing_the_readers_compiles_none_of_their_patterns() -> None:
    code = "import re._compiler as c; made = []; old = c.compile\n"
    code += "c.compile = lambda *given: made.append(given[0]) or old(*given)\n"
    code += "import earmark.text.choice_parser, earmark.text.published_parsers; print(*map(len, filter(None, map(str, made))))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not [length for length in map(int, re.findall(r"\d+", done.stdout)) if length > 1000]


@pytest.mark.parametrize("reply", ["A", "(A) Man", "A.", "The answer is (A) Man."])
def test_a_label_within_thoughts_that_were_cut_is_no_answer(reply: str) -> None:
    cut = parse_choice(reply, "AB", ("Man", "Woman"), thinking=True, cut=True)
    assert (cut.answer, cut.rule) == (None, "cut-in-thought")
    assert parse_choice(reply, "AB", ("Man", "Woman"), cut=True).answer == "A"
