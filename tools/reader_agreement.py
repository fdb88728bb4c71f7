"""Errors of each reader of choices on the team's fixtures of real replies.

    python tools/reader_agreement.py [FOLDER]        the folder of fixtures; default: ../shared beside the checkout

Truth is what a careful person reads: `golden/adjudicated_replies.jsonl` and `golden/reading_forms.jsonl`. A reading
is wrong if it is another label, invented if there is no answer in the reply, unread if it is missing; the rules of
our reader are counted one by one. Agreement with a judge is measured beside it, on larger sets: a reader agrees where
(its answer is the right one) is what the judge says. These are the 580 replies of `golden/mcq_replies.jsonl`; 80
replies to other questions, judged by another model; 1000 replies to questions that name emotions, sentiments or
genders in their text, read without letters; the judges' own explained verdicts, read as choices of a grade; and the
free answers, which name no choice at all.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from earmark.text.choice_parser import parse_choice
from earmark.text.published_parsers import PARSERS

LETTERS = "ABCDEFGHIJ"
NAMED = {  # AudioBench's sets whose questions name the options in their text
    "iemocap_emotion_test": "frustration, anger, excited, neutral, happiness, surprise, sad",
    "meld_emotion_test": "neutral, joy, disgust, sadness, surprise, anger, fear",
    "meld_sentiment_test": "neutral, positive, negative",
    "iemocap_gender_test": "male, female",
    "voxceleb_gender_test": "male, female",
}
LETTERED = ("cn_college_listen_mcq_test", "dream_tts_mcq_test", "mmau_mini", "muchomusic_test")


class Row(NamedTuple):
    id: str
    choices: Sequence[str]
    gold: str
    reply: str
    right: bool  # as the judge says


def golden(shared: Path) -> Iterator[Row]:
    for line in (shared / "golden/mcq_replies.jsonl").read_text().splitlines():
        row = json.loads(line)
        yield Row(row["id"], row["choices"], row["gold"], row["reply"], row["judge_correct"])


def logged(shared: Path, task: str, judge: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for path in sorted((shared / "data/audiobench-logs").glob(f"*/{task}_{judge}_judge_score.json")):
        for number, row in enumerate(json.loads(path.read_text()).get("details", [])):
            yield f"{task}/{path.parent.name}/{number}", row


def lettered(shared: Path) -> Iterator[Row]:
    """The runs that GPT-4o judged, as far as their questions are not among the 580."""
    for task in LETTERED:
        for name, row in logged(shared, task, "gpt4o"):
            if "Qwen2-Audio" in name:
                choices = [
                    choice.strip() for choice in re.split(r"\([A-H]\)", row["question"].split("Choices:")[1])[1:]
                ]
                yield Row(name, choices, row["reference"][1], row["model_prediction"], row["rate_score"] == 1)


def named(shared: Path) -> Iterator[Row]:
    for task, options in NAMED.items():
        choices = options.split(", ")
        for judge in ("llama3_70b", "gpt4o"):
            for name, row in logged(shared, task, judge):
                gold = [choice for choice in choices if re.search(rf"\b{choice}\b", row["reference"].lower())]
                if len(gold) == 1 and re.search(r"\([^()]*\)\?", row["question"]):
                    right = row["rate_score"] > 0
                    yield Row(name, choices, LETTERS[choices.index(gold[0])], row["model_prediction"], right)


def verdicts(shared: Path) -> Iterator[tuple[str, str]]:
    """Yield verdicts of judges, with the grade that AudioBench parsed."""
    for path in sorted((shared / "data/audiobench-logs").glob("*/*judge_score.json")):
        for row in json.loads(path.read_text()).get("details", []):
            if row.get("success") and row["rate_score"] in range(6):
                yield row["judge_response"], str(int(row["rate_score"]))


def free(shared: Path) -> set[str]:
    known = (*LETTERED, *NAMED)
    files = (shared / "data/audiobench-logs").glob("*/*judge_score.json")
    texts = (json.loads(path.read_text()).get("details", []) for path in files if not path.name.startswith(known))
    return {row["model_prediction"] or "" for rows in texts for row in rows if "model_prediction" in row}


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Markdown: how many replies each reader read, how many of those are right, and how often the judge agrees."""
    yield "| reader | read | right | agrees with the judge |\n|-|-|-|-|"
    for name, reader in PARSERS.items():
        answers = [reader(row.reply, LETTERS[: len(row.choices)], row.choices).answer for row in rows]
        read = sum(answer is not None for answer in answers)
        right = sum(answer == row.gold for answer, row in zip(answers, rows, strict=True))
        agrees = sum((answer == row.gold) == row.right for answer, row in zip(answers, rows, strict=True))
        yield f"| {name} | {read} | {right} | {agrees} of {len(rows)}: {agrees / len(rows):.3f} |"


def by_hand(shared: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (shared / f"golden/{name}.jsonl").read_text().splitlines()]


def outcome(answer: str | None, truth: str | None) -> str:
    if answer == truth or (truth and answer in truth.split("|")):
        return "right"
    return "unread" if answer is None else "invented" if truth is None else "wrong"


def errors(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Markdown: the errors of every reader on replies read by hand."""
    yield "| reader | right | wrong | invented | unread |\n|-|-|-|-|-|"
    for name, reader in PARSERS.items():
        given = [{"question": row.get("question", "")} if name == "earmark" else {} for row in rows]
        read = [
            reader(row["reply"], row["labels"], row["choices"], **more).answer
            for row, more in zip(rows, given, strict=True)
        ]
        outcomes = Counter(outcome(answer, row["truth"]) for answer, row in zip(read, rows, strict=True))
        yield f"| {name} | {outcomes['right']} | {outcomes['wrong']} | {outcomes['invented']} | {outcomes['unread']} |"


def by_rule(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Markdown: how often each rule of our reader is right."""
    outcomes: dict[str, Counter[str]] = {}
    for row in rows:
        reading = parse_choice(row["reply"], row["labels"], row["choices"], question=row.get("question", ""))
        if reading.answer is not None:
            outcomes.setdefault(reading.rule, Counter())[outcome(reading.answer, row["truth"])] += 1
    yield "| rule | right | wrong or invented |\n|-|-|-|"
    for rule, count in sorted(outcomes.items(), key=lambda pair: -pair[1].total()):
        yield f"| `{rule}` | {count['right']} | {count['wrong'] + count['invented']} |"


def main(shared: Path) -> None:
    real, forms = by_hand(shared, "adjudicated_replies"), by_hand(shared, "reading_forms")
    print("read by hand: real replies", *errors(real), "", sep="\n")
    print("read by hand: forms of today's models", *errors(forms), "", sep="\n")
    print("rules of earmark on both", *by_rule([*real, *forms]), "", sep="\n")
    for title, rows in (("golden", golden(shared)), ("lettered", lettered(shared)), ("named", named(shared))):
        print(title, *table(list(rows)), "", sep="\n")
    graded = list(verdicts(shared))
    same = sum(PARSERS["earmark"](text, "012345").answer == grade for text, grade in graded)
    print(f"verdicts: the grade was read from {same} of {len(graded)}")
    replies = free(shared)
    outcomes = [reply for reply in replies if PARSERS["earmark"](reply, "ABCD").answer]
    print(f"free: a letter was read from {len(outcomes)} of {len(replies)} replies that name none")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / "shared")
