"""The reader against the team's cases, a judge's verdicts, the languages models answer in, and its own laws."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from choice_cases import LETTERS, VOICES, replies
from hypothesis import assume, given
from hypothesis import strategies as st

from earmark.text._screen import fold
from earmark.text.choice_parser import parse_choice, same_choice
from earmark.text.published_parsers import PARSERS

GUITARS = ("violin", "bass guitar", "guitar", "drums")
FEELINGS = ("anger", "happiness", "sadness", "neutral")
DOCS = Path(__file__).parents[2] / "docs/answers.md"


def answer(reply: str, choices: tuple[str, ...] = VOICES, **how: Any) -> str | None:
    return parse_choice(reply, LETTERS[: len(choices)], choices, **how).answer


# ---------------------------------------------------------------- the team's cases


CASES = ("a01", "a02", "a04", "a05", "a06", "a08", "a09", "a10", "a12", "a14", "a16", "a18", "a19", "a20")


def of_kind_a(shared: Path) -> dict[str, dict[str, Any]]:
    cases = [json.loads(line) for line in (shared / "cases/cases.jsonl").read_text().splitlines()]
    return {case["id"]: case for case in cases if case["kind"] == "a-extraction"}


@pytest.mark.shared
def test_no_case_is_left_out(shared: Path) -> None:
    assert tuple(of_kind_a(shared)) == CASES


@pytest.mark.shared
@pytest.mark.parametrize("case", CASES)
def test_cases_of_kind_a(case: str, shared: Path) -> None:
    given, expected = of_kind_a(shared)[case]["input"], of_kind_a(shared)[case]["expected"]
    several = given.get("multiple", False)
    rows = [row if isinstance(row, dict) else {"reply": row} for row in given.get("rows") or given["cases"]]
    for number, row in enumerate(rows):
        options = row.get("options") or given.get("options") or {}
        labels = row.get("labels") or given.get("labels") or list(options)
        cut, thinking = row.get("finish_reason") == "length", row.get("thinking_opened_by_template", False)
        readings = {
            parse_choice(
                row["reply"], labels, tuple(options.values()), cut=cut, thinking=thinking, multi_select=several
            )
            for _ in range(given.get("repeat", 1))
        }
        assert len(readings) == 1
        (reading,) = readings
        found = reading.answer.split(",") if several and reading.answer else reading.answer
        accepted = expected.get("also_accepted", [[]] * len(rows))[number]
        assert found == expected["answers"][number] or found in accepted, row["reply"]
        assert (reading.state == "answered") == (reading.answer is not None)
        if expected.get("status", ["ok"] * len(rows))[number] == "truncated":
            assert (reading.state, reading.rule) == ("unparsed", "cut-in-thought")
        if "correct" in expected:
            assert (options[reading.answer or ""] == given["gold"]) is expected["correct"][number]


# ---------------------------------------------------------------- a judge's verdicts


def disagreements(shared: Path) -> set[str]:
    found = set()
    for line in (shared / "golden/mcq_replies.jsonl").read_text().splitlines():
        row = json.loads(line)
        read = parse_choice(row["reply"], LETTERS[: len(row["choices"])], row["choices"]).answer
        if (read == row["gold"]) != row["judge_correct"]:
            found.add(row["id"])
    return found


def listed() -> dict[str, str]:
    """The disagreements that the documentation lists, and whose fault each is."""
    rows = re.findall(r"^\| `([^`]+/[^`]+/\d+)` \|.*\| (reader|judge) wrong \|", DOCS.read_text(), re.MULTILINE)
    return dict(rows)


@pytest.mark.shared
def test_agreement_with_the_judge(shared: Path) -> None:
    assert 1 - len(disagreements(shared)) / 580 >= 0.96


@pytest.mark.shared
def test_every_disagreement_is_listed_and_few_are_the_readers_fault(shared: Path) -> None:
    assert set(listed()) == disagreements(shared)
    assert sum(whose == "reader" for whose in listed().values()) <= 0.015 * 580


# ---------------------------------------------------------------- forms


@pytest.mark.parametrize(
    "reply",
    """B|b|(b)|[B]|B.|B)|B:|(B|B,|B!|**B**|*B*|`B`|"B"|'B'|“B”|{B}|<B>|<b>B</b>|B。|「B」|【B】|（Ｂ）|Ⓑ|🅱|𝐁|$B$|[[B]]|#### B
    B) Woman|B: Woman|B - Woman|B Woman|b. woman|(b) a woman|B、Woman|Option B|option b|Answer B|answer=B|ANSWER:B|Ans: B|Choice: B
    The answer is b|the answer is (b).|I'd go with B.|My guess is B.|It's b|I think it is B|I lean towards B|Sure, here it is: (B)
    Final Answer: \\boxed{B}|$\\boxed{\\text{B}}$|\\boxed{\\text{(B) Woman}}|\\boxed{Woman}|The answer is $\\boxed{B}$.
    <answer>B</answer>|<answer> Woman </answer>|<RESPONSE>B. Woman</RESPONSE>|{"answer": "B"}
    {"choice": "B", "reason": "high, not A"}|B</s>|The most likely answer would be B, since the voice is high.
    B is the best answer.|Option B is correct, A is not.|B fits best.|So the correct option is **(B)**.|C is wrong, so it must be B.
    I would eliminate A, C and D, leaving B.|The answer is not A. It is B.|Answer: B (not C)|A is ruled out. B is more likely.
    First I thought the answer was A, but the correct answer is B.|The answer is A... no. The answer is B.""".replace(
        "\n    ", "|"
    ).split("|"),
)
def test_one_letter_however_it_is_wrapped(reply: str) -> None:
    assert answer(reply) == "B"


@pytest.mark.parametrize(
    "reply",
    [
        "<|begin_of_box|>B<|end_of_box|><|user|>",
        "B<|im_end|>",
        "### Answer\nB",
        "**Answer**\n\nB. Woman",
        "The correct answer is:\n\n**B. Woman**",
        "B\n\nExplanation: A. Man would be lower.\nC. Child would be higher.",
        "B. Woman\n\nThe other options are wrong:\nA. Man - deeper\nC. Child - higher",
        "A. Man: too deep.\nB. Woman: fits.\nC. Child: no.\nD. Robot: no.\n\nTherefore the answer is B.",
        "(A) Man\n(B) Woman\n(C) Child\n(D) Robot\n\n(B)",
        "Question: who speaks?\nA. Man\nB. Woman\nC. Child\nD. Robot\nAnswer: B",
        "1. The voice is high.\n2. It does not babble.\n3. So it is a woman.",
        "The pitch is about 210 Hz. A man would be lower, a child higher. Hence, (B).",
        "system\nBe brief.\nuser\nA. Man\nB. Woman\nassistant\nB",
        "B\n\nUser: and the next?\nAssistant: C",
        "As an AI I cannot listen to audio. However, if I had to choose, I would pick (B) Woman.",
        'The speaker says "the right answer is A", but the correct option is B.',
    ],
)
def test_one_letter_in_a_longer_reply(reply: str) -> None:
    assert answer(reply) == "B"


@pytest.mark.parametrize(
    ("reply", "choices", "expected"),
    [
        ("A woman is speaking.", VOICES, "B"),
        ("A man", VOICES, "A"),
        ("It sounds like a woman rather than a man.", VOICES, "B"),
        ("Woman. The pitch is higher than a man's.", VOICES, "B"),
        ("Neither a man's nor a woman's; it belongs to a child.", VOICES, "C"),
        ("The tone is neutral, with neither anger nor sadness.", FEELINGS, "D"),
        ("angry", FEELINGS, "A"),
        ("The speaker sounds happy.", FEELINGS, "B"),
        ("The instrument is a guitar, not a bass guitar.", GUITARS, "C"),
        ("Bass Guitar!", GUITARS, "B"),
        ("There are 3 beeps.", ("two", "three", "four"), "B"),
        ("3/4 time", ("4/4", "3/4", "6/8"), "B"),
        ("-5 dB", ("5 dB", "-5 dB"), "B"),
        ("The key is A minor.", ("A major", "A minor", "E minor"), "B"),
        ("It is played on a steel drum.", ("Cowbell", "Steeldrum"), "B"),
        ("The second one is louder than the first.", ("the first", "the second"), "B"),
        ("No, there is none.", ("Yes", "No"), "B"),
        ("There is no music in the clip.", ("Yes", "No"), None),
        ("The speaker could be a man or a woman.", VOICES, None),
        ("B. Man", VOICES, None),
        ("说话者是女性，而不是男性。", ("男性", "女性", "儿童"), "B"),
        ("Unknown", ("Man", "Woman", "Unknown"), "C"),
    ],
)
def test_the_text_of_an_option(reply: str, choices: tuple[str, ...], expected: str | None) -> None:
    assert answer(reply, choices) == expected


@pytest.mark.parametrize(
    "reply",
    """Die richtige Antwort ist B.|Antwort: B) Frau|Ich wähle B, weil die Stimme hoch ist.|Option B ist richtig, A ist falsch.
    La bonne réponse est B.|La réponse correcte est la B.|Réponse : (B)|Je choisis B.|La respuesta correcta es la B.|Respuesta: B
    La opción correcta es B|Elijo la opción B|A resposta correta é B.|A resposta é a letra B.|La risposta corretta è B.|Risposta: B
    Jawabannya adalah B.|Jawaban yang benar adalah B.|Saya memilih B.|Jadi, jawabannya B|Đáp án là B.|Đáp án: B|Ответ: B
    Правильный ответ — B.|答案是B。|答案：B|正确答案是（B）|选B|我会选择B，因为声音很高。|选项B是正确的。|排除A和C，选B|答案不是A，而是B。
    答えはBです。|正解：Ｂ|Bが正解です。|선택지 B|정답은 B입니다.|정답: B|الإجابة الصحيحة هي B|सही उत्तर B है|คำตอบคือ B|Doğru cevap B
    Odpowiedź: B|Het juiste antwoord is B.|Rätt svar är B|Správná odpověď je B.|Правильна відповідь: B|Oikea vastaus on B.
    A helyes válasz a B.|Răspunsul corect este B.|Η σωστή απάντηση είναι το B.|התשובה הנכונה היא B|சரியான பதில் B|Ce n'est pas A, c'est B.
    Man? No. It is a woman.|A: 10%, B: 80%, C: 5%, D: 5%|Option A: Man - no. Option B: Woman - yes.""".replace(
        "\n    ", "|"
    ).split("|"),
)
def test_languages(reply: str) -> None:
    assert answer(reply) == "B"


@pytest.mark.parametrize(
    "reply",
    """|A or B|A and B|A/B|N/A|Not A.|I|I am not sure.|None of the options.|The song is in C major.|This is a D minor chord
    Vitamin C helps.|A beautiful recording.|A car is passing by.|Answers vary.|It has 2 voices.|A is wrong. C is wrong.
    (A) Man (B) Woman (C) Child (D) Robot|The answer is A or B.|The correct answer is not A.
    I can't choose between (A) Man and (B) Woman.|The wrong answer is A.|Answer: K|抱歉，我无法确定。|Odpověď není B.|Vastaus ei ole B
    Răspunsul nu este B|Відповідь не B|התשובה לא B|The answer depends on A.""".replace("\n    ", "|").split("|"),
)
def test_nothing_is_guessed(reply: str) -> None:
    assert answer(reply) is None


# ---------------------------------------------------------------- thinking, cuts, several answers, refusals, labels


@pytest.mark.parametrize(
    ("reply", "how", "expected", "rule"),
    [
        ("<think>It may be A.</think>\n\nB", {}, "B", "first"),
        ("It may be A.</think>The answer is B", {"thinking": True}, "B", "declared"),
        ("<think>A?</think><think>or B", {}, None, "cut-in-thought"),
        ("<think>It is A <answer>B</answer>", {}, "B", "first"),
        ("<|channel|>analysis<|message|>A?<|end|><|start|>assistant<|channel|>final<|message|>B", {}, "B", "first"),
        ("◁think▷A◁/think▷B", {}, "B", "first"),
        ("[THINK]A[/THINK]B", {}, "B", "first"),
        ("<seed:think>The answer is A</seed:think>B", {}, "B", "first"),
        ("<|begin_of_thought|>The answer is A<|end_of_thought|>B", {}, "B", "first"),
        ("<scratchpad>The answer is A</scratchpad>B", {}, "B", "first"),
        ("<seed:think>The answer is A", {}, None, "cut-in-thought"),
        ("Probably A", {"thinking": True, "cut": True}, None, "cut-in-thought"),
        ("The answer is B", {"thinking": True}, "B", "declared"),
        ("<think></think>", {}, None, "empty"),
        ("The answer is B. The voice is hi", {"cut": True}, "B", "declared"),
        ("B. Wom", {"cut": True}, "B", "first"),
        ("The speaker is a woman with a hi", {"cut": True}, "B", "option-text"),
        ("The answer is A, but wait", {"cut": True}, None, "cut"),
        ("Let me see. A man would", {"cut": True}, None, "cut"),
    ],
)
def test_thinking_and_cuts(reply: str, how: dict[str, Any], expected: str | None, rule: str) -> None:
    reading = parse_choice(reply, LETTERS[:4], VOICES, **how)
    assert (reading.answer, reading.rule) == (expected, rule)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("A, C", "A,C"),
        ("C and A", "A,C"),
        ("AC", "A,C"),
        ("答案：ABD", "A,B,D"),
        ("答案是A、C", "A,C"),
        ("[A, C]", "A,C"),
        ('{"answer": ["A", "C"]}', "A,C"),
        ("Man and child", "A,C"),
        ("The correct options are:\n- A. Man\n- C. Child", "A,C"),
        ("The answer is A and C, not B.", "A,C"),
        ("A man and a child, not a woman", "A,C"),
        ("Answer: A, B, C, D", "A,B,C,D"),
        ("Les bonnes réponses sont A et C.", "A,C"),
        ("Die Antworten sind A und D", "A,D"),
        ("A is right, B is wrong, C is right.", "A,C"),
        ("B", "B"),
        ("BAD", None),
    ],
)
def test_several_answers(reply: str, expected: str | None) -> None:
    assert answer(reply, multi_select=True) == expected


@pytest.mark.parametrize(
    ("reply", "state"),
    [
        ("I cannot determine the answer.", "refused"),
        ("Sorry, I can't help with that.", "refused"),
        ("As an AI I cannot hear audio.", "refused"),
        ("I'm unable to say whether it is a man or a woman.", "refused"),
        ("抱歉，我无法确定。", "refused"),
        ("Ich kann das nicht bestimmen.", "refused"),
        ("Non lo so.", "refused"),
        ("모르겠습니다.", "refused"),
        ("لا أعرف", "refused"),
        ("I cannot hear the audio, but I would guess B.", "answered"),
        ("", "unparsed"),
        ("It is a lovely recording.", "unparsed"),
        ("Error: rate limited", "unparsed"),
    ],
)
def test_refusals(reply: str, state: str) -> None:
    assert parse_choice(reply, LETTERS[:4], VOICES).state == state


@pytest.mark.parametrize(
    ("reply", "labels", "expected"),
    [
        ("B", "abcd", "b"),
        ("The answer is (c).", "abcd", "c"),
        ("a woman", "abcd", "b"),
        ("2", "1234", "2"),
        ("The answer is 2.", "1234", "2"),
        ("There are 2 speakers.", "1234", None),
        ("1. It is high\n2. It is soft\nAnswer: 3", "1234", "3"),
        ("(k) church bell", "ABCDEFGHIJKL", "K"),
        ("I think it's C.", "ABCDEFGHIJKL", "C"),
        ("Answer: I", "ABCDEFGHIJKL", "I"),
        ("Answer: 12", [str(label) for label in range(1, 13)], "12"),
    ],
)
def test_other_labels(reply: str, labels: list[str], expected: str | None) -> None:
    assert parse_choice(reply, labels, VOICES).answer == expected


@pytest.mark.parametrize("reply", ["<think>A?</think>  The answer is **(B)**.", "答案：Ｂ", "x " * 9000 + "Answer: B"])
def test_a_span_points_into_the_reply_as_it_came(reply: str) -> None:
    span = parse_choice(reply, LETTERS[:4]).span
    assert span
    assert reply[slice(*span)] in ("B", "Ｂ")


# ---------------------------------------------------------------- laws

texts = st.lists(st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=9), min_size=1, max_size=5).map(" ".join)


@given(replies, st.booleans(), st.booleans(), st.booleans())
def test_only_labels_are_read_and_always_the_same(reply: str, cut: bool, thinking: bool, several: bool) -> None:
    first, second = (
        parse_choice(reply, "abcd", VOICES, cut=cut, thinking=thinking, multi_select=several) for _ in range(2)
    )
    assert first == second
    assert (first.answer is None) == (first.state != "answered")
    assert first.answer is None or set(first.answer.split(",")) <= set("abcd")
    assert first.span is None or 0 <= first.span[0] <= first.span[1] <= len(reply)


@given(replies, st.text(" \t\n\r\u3000", max_size=4), st.text(" \t\n\r\u3000", max_size=4))
def test_space_around_a_reply_changes_nothing(reply: str, before: str, after: str) -> None:
    bare, spaced = parse_choice(reply, "ABCD", VOICES), parse_choice(before + reply + after, "ABCD", VOICES)
    assert (bare.answer, bare.rule, bare.state) == (spaced.answer, spaced.rule, spaced.state)


@given(st.integers(2, 12), st.data())
def test_every_label_reads_as_itself(count: int, data: st.DataObject) -> None:
    labels = "ABCDEFGHIJKL"[:count]
    label = data.draw(st.sampled_from(labels))
    for reply in (label, f"({label})", f"{label}.", f"**{label}**", label.lower()):
        assert parse_choice(reply, labels).answer == label


@given(st.lists(texts, min_size=2, max_size=6, unique=True), st.data())
def test_every_option_reads_as_itself(choices: list[str], data: st.DataObject) -> None:
    assume(not any(one in other for one in choices for other in choices if one != other))
    assume(not any(len(choice) == 1 for choice in choices))
    chosen = data.draw(st.sampled_from(choices))
    assert parse_choice(chosen, LETTERS[: len(choices)], choices).answer == LETTERS[choices.index(chosen)]


@pytest.mark.parametrize(
    "piece",
    'B. |a man or a woman |answer |"|(|<|_|*|.|\n|\\boxed{|<think>x</think>|<answer>|答案是|\nuser x|"man says a b c" '
    "|not |A|ABCD "
    "|is |the answer is |Option A is a man, so not B; is it D?\n".split("|"),
)
@pytest.mark.parametrize("several", [False, True])
def test_time_is_linear(piece: str, several: bool) -> None:
    """Ten times the text takes some 10 times the processor; were a pattern to look back from every character, 100
    times.
    """

    def took(length: int) -> float:
        reply = (piece * length)[:length]
        begin = time.process_time()
        parse_choice(reply, "ABCD", VOICES, multi_select=several)
        return time.process_time() - begin

    took(1)  # the item's patterns are made once
    short, middle, long = (min(took(length) for _ in range(3)) for length in (1_000, 10_000, 100_000))
    assert middle < 40 * short
    assert long < 40 * middle


def test_the_names_of_the_readers() -> None:
    names = "earmark listen-g1 listen-g2 mmau air-bench mmsu voicebench muchomusic dynamic-superb personalized-hearing"
    assert list(PARSERS) == names.split()


def test_the_examples_of_the_documentation() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \|.*\| `([^`]+)` \| ([A-D]) \|$", DOCS.read_text(), re.MULTILINE)
    assert len(rows) == 12
    for rule, reply, expected in rows:
        reading = parse_choice(reply.replace("⏎", "\n"), LETTERS[:4], VOICES)
        assert (reading.rule, reading.answer) == (rule, expected)


@given(st.lists(st.text("aAßéｂB \t\n\x00", max_size=4) | st.text(max_size=2), min_size=1, max_size=5))
def test_choices_are_the_same_if_their_folded_texts_are(choices: list[str]) -> None:
    labels = tuple("ABCDE"[: len(choices)])
    first: dict[str, str] = {}
    expected = {label: first.setdefault(fold(text), label) for label, text in zip(labels, choices, strict=True)}
    assert same_choice(labels, tuple(choices)) == expected
