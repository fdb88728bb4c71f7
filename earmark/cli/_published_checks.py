"""Recompute printed figures from saved replies, ratings and parts, by the rules that are used for runs.

A check counts the figures that come out. Those that do not must be the ones whose source is known to err: a printed
average that does not follow from its own printed parts.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final, NamedTuple

from msgspec import Struct

from earmark.errors import BadData

POINTS: Final = ("AlpacaEval", "CommonEval", "WildVoice")  # of VoiceBench, from 1 to 5
DUST: Final = 1e-9


class Check(Struct, frozen=True):
    """Figures of one kind: how many came out, and which did not."""

    name: str
    figures: int
    differ: tuple[str, ...] = ()  # each with what was printed and what came out
    source_errs: tuple[str, ...] = ()  # names of the figures that are known not to follow from their source

    @property
    def is_equal(self) -> bool:
        """True if every figure came out but those whose source errs."""
        return len(self.differ) == len(self.source_errs) and all(
            any(text.startswith(f"{name}:") for text in self.differ) for name in self.source_errs
        )


class Figure(NamedTuple):
    """A printed number, as it is printed, and what its source gives."""

    name: str
    printed: str
    value: float
    tolerance: float | None = None  # None: half a unit of the last printed digit


def run_checks(folder: Path) -> Iterator[Check]:
    """Check everything below a folder that is there. Raises BadData where it has none of the data."""
    found = False
    for place, checks in CHECKS.items():
        if (folder / place).exists():
            found = True
            yield from checks(folder / place)
    if not found:
        raise BadData(f"{folder}: found none of {', '.join(CHECKS)}; give the folder of published replies and tables")


def make_check(name: str, figures: Iterable[Figure], source_errs: Sequence[str] = ()) -> Check:
    """Compare figures with what their source gives."""
    figures = list(figures)
    differ = []
    for figure in figures:
        digits = len(figure.printed.partition(".")[2])
        tolerance = 0.5 * 10**-digits if figure.tolerance is None else figure.tolerance
        if abs(float(figure.printed) - figure.value) > tolerance + DUST:
            differ.append(f"{figure.name}: printed {figure.printed}, its source gives {figure.value:.{digits + 2}f}")
    return Check(name, len(figures), tuple(differ), tuple(source_errs))


def _table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


# ---------------------------------------------------------------- replies and ratings


MMAU_RIGHT: Final = {  # of 1,000, counted by MMAU's own script
    "qwen2-5-caption-gpt4o": 608, "qwen2-caption-gpt4o": 574, "qwen2-caption-sub-gpt4o": 588,
    "qwen2-caption-with-question-gpt4o-cot": 582, "r1-aqa-5-caption-gpt4o": 641,
    "r1-aqa-5-caption-with-question-gpt4o-cot": 581, "r1-aqa-caption-with-question-gpt4o": 627,
    "whisper-sampling-gpt4o": 520, "qwen2": 529, "r1-aqa": 645, "r1-aqa-caption-sub-gpt4o": 617,
    "gpt-4o-20241120": 348, "audio-reasoner": 276,
}  # fmt: skip


def check_mmau(folder: Path) -> Iterator[Check]:
    """MMAU's rule on the replies of several systems, and every line that its script printed."""
    from earmark.text.token_match import token_match

    items = _lines(folder / "items.jsonl")
    right: dict[str, list[bool]] = {}
    for path in sorted((folder / "replies").glob("*.jsonl")):
        replies = {line["id"]: line["reply"] or "" for line in _lines(path)}
        right[path.stem] = [token_match(replies[item["id"]], item["answer"], item["choices"]) for item in items]
    counts = {system: sum(verdicts) for system, verdicts in right.items()}
    listed = ", ".join(str(counts[system]) for system in MMAU_RIGHT if system in counts)
    figures = [Figure(system, str(printed), counts.get(system, 0)) for system, printed in MMAU_RIGHT.items()]
    yield make_check(f"MMAU, right of {len(items):,} replies by its rule: {listed}", figures)
    columns = {"Task": "task", "Difficulty": "difficulty", "Sub-category": "sub-category"}
    figures = []
    for line in _table(folder / "official_output.csv"):
        column = columns.get(line["by"])
        pairs = zip(items, right[line["system"]], strict=True)
        chosen = [verdict for item, verdict in pairs if not column or item[column] == line["value"]]
        if line["n"] == "0":  # what its script printed of replies under another key
            continue
        name = f"{line['system']} {line['value'] or line['by']}"
        value = 100 * sum(chosen) / len(chosen) if len(chosen) == int(line["n"]) else -1.0
        figures.append(Figure(name, line["accuracy_percent"], value))
    yield make_check("MMAU, lines that its script printed, over as many items", figures)


AUDIOMC: Final = {  # all met, mean met; and by axis, of the first
    "qwen3-omni-30b-a3b-instruct": ("0.2588495575", "0.5283925391"),
    "qwen3-omni-30b-a3b-thinking": ("0.3650442478", "0.5872954479"),
}
AUDIOMC_AXES: Final = {
    "INFERENCE_MEMORY": (".242424", ".343729"),
    "INSTRUCTION_RETENTION": (".333333", ".567044"),
    "SELF_COHERENCE": (".277108", ".536224"),
    "VOICE_EDITING": (".188034", ".691533"),
}


def check_audiomc(folder: Path) -> Iterator[Check]:
    """Rubrics of Audio MultiChallenge: the share of conversations with all items met, and the mean share of items."""
    axes = {line["id"]: line["axis"] for line in _lines(folder / "conversations.jsonl")}
    figures = []

    def both(name: str, printed: tuple[str, str], verdicts: Sequence[Sequence[bool]]) -> None:
        figures.append(Figure(f"{name} APR", printed[0], fmean(all(met) for met in verdicts)))
        figures.append(Figure(f"{name} ARS", printed[1], fmean(fmean(met) for met in verdicts)))

    for model, printed in AUDIOMC.items():
        lines = _lines(folder / f"{model}.jsonl")
        both(model, printed, [line["criteria_met"] for line in lines])
        for axis, of_axis in AUDIOMC_AXES.items() if model.endswith("instruct") else ():
            both(f"{model} {axis}", of_axis, [line["criteria_met"] for line in lines if axes[line["id"]] == axis])
    yield make_check("Audio MultiChallenge, APR and ARS", figures)


def check_audiobench(folder: Path) -> Iterator[Check]:
    """AudioBench's word error rates from their texts, and its ratings from the judge's words."""
    from earmark.scorers.wer import Settings, WerScorer
    from earmark.types import Item

    scorer = WerScorer(Settings(normalizer="none", unit="words", empty="word", tokens="kept"))
    figures = []
    for path in sorted(folder.glob("*/*_wer_score.json")):
        saved = json.loads(path.read_bytes())
        sums: dict[str, float] = {}
        for row in saved["sample_wer"]:
            for name, count in scorer.counts(Item("", targets=(row["reference"],)), row["prediction"]).items():
                sums[name] = sums.get(name, 0.0) + count
        value = float(scorer.metrics["wer"].value(sums))
        figures.append(Figure(f"{path.parent.name}/{path.name}", repr(saved["wer"]), value, DUST))
    yield make_check("AudioBench, word error rates to all digits", figures)
    ratings = []
    for path in sorted(folder.glob("*/*_judge_score.json")):
        for number, row in enumerate(json.loads(path.read_bytes())["details"]):
            rating, is_read = last_number(row["judge_response"])
            same = (rating, is_read) == (float(row["rate_score"]), bool(row["success"]))
            ratings.append(Figure(f"{path.name} {number}", "1", float(same), 0))
    yield make_check("AudioBench, ratings that its rule reads from its judge's words", ratings)


def last_number(text: str) -> tuple[float, bool]:
    """The last word of a judge's reply as a number, as AudioBench reads it: 0 and unread where it is none.

    >>> last_number("Rating: 4"), last_number("Rating: 4."), last_number("four")
    ((4.0, True), (4.0, True), (0.0, False))
    """
    try:
        return float(text.rsplit(maxsplit=1)[-1]), True
    except (ValueError, IndexError):
        return 0.0, False


VOCALBENCH_ERRS: Final = (  # flags whose replies hold nothing like the answer
    "knowledge-0974 s2t_right",
    "knowledge-0974 s2s_right",
    "knowledge-1958 s2t_right",
)


def check_vocalbench(folder: Path) -> Iterator[Check]:
    """VocalBench's flags: the answer is contained in the written, and in the transcribed spoken reply."""
    from earmark.scorers.exact import ExactScorer, Settings
    from earmark.types import Item

    scorer = ExactScorer(Settings("whisper-en", boundary="letters"))
    answers = {row["Qid"]: row["Answer"] for row in json.loads((folder / "json/knowledge.json").read_bytes())}
    rows = json.loads((folder / "result_llama-omni/result_knowledge.json").read_bytes())
    figures = [
        Figure(f"written {len(rows)}", "1094", sum(row.get("s2t_right", 0) for row in rows)),
        Figure(f"spoken {len(rows)}", "748", sum(row.get("s2s_right", 0) for row in rows)),
    ]
    for row in rows:
        for reply, flag in (("prediction", "s2t_right"), ("asr_pred", "s2s_right")):
            counts = scorer.counts(Item("", targets=(answers[row["question_id"]],)), row[reply])
            figures.append(Figure(f"{row['question_id']} {flag}", str(row.get(flag, 0)), counts["contains"], 0))
    yield make_check("VocalBench, 1,094 and 748 of 2,000, flag by flag", figures, VOCALBENCH_ERRS)


# ---------------------------------------------------------------- averages from their parts


def numbers(row: Mapping[str, str], names: Iterable[str]) -> list[float]:
    """The numbers in some columns; those that a row does not have are left out."""
    found = []
    for name in names:
        text = (row.get(name) or "").rstrip("%")
        if text not in ("", "-", "/"):
            found.append(float(text))
    return found


def check_leaderboards(folder: Path) -> Iterator[Check]:
    """Averages of printed tables from their printed parts."""
    yield _air_bench_foundation(_table(folder / "air_bench_foundation.csv"))
    chat = [row for row in _table(folder / "air_bench_chat.csv") if row["Average"] != "/"]
    parts = ("Speech", "Sound", "Music", "Mixed Audio")
    figures = [Figure(row["Categories"], row["Average"], fmean(numbers(row, parts)), 0.01) for row in chat]
    yield make_check("AIR-Bench chat, mean of four", figures, ("Next-gpt", "Macaw-LLM"))
    yield _mmar(_table(folder / "mmar.csv"))
    yield from _mmau_reports(folder)
    yield from _voicebench(folder)
    yield from _by_column(_table(folder / "fun_audio_chat_spoken_qa.csv"))
    generation = _table(folder / "ultraeval_speech_generation.csv")
    yield make_check(
        "UltraEval-Audio generation, mean of six",
        [Figure(row["Models"], row["Avg. Score"], _generation(row)) for row in generation],
        ("MiniCPM-o 2.6", "Kimi-Audio-7B-Instruct"),
    )
    yield _understanding(_table(folder / "ultraeval_understanding.csv"))
    for name, errs in (("basic_en", ()), ("basic_zh", ("GLM-4-Voice",)), ("pro_en", ()), ("pro_zh", ())):
        rows = _table(folder / f"uro_{name}.csv")
        figures = [Figure(row["Model"], row["Overall"], fmean(numbers(row, [*row][6:]))) for row in rows]
        yield make_check(f"URO-Bench {name}, mean of the tasks that a model has", figures, errs)
    yield from _sakura_and_stepeval(folder)


def _air_bench_foundation(rows: list[dict[str, str]]) -> Check:
    """The mean of three domain means; the rows are tasks, the columns models."""
    figures = []
    for model in [*rows[0]][1:]:
        cells = [numbers(row, [model]) for row in rows[1:]]
        if all(cells):
            values = [cell[0] for cell in cells]
            domains = (values[:9], values[9:13], values[13:19])
            figures.append(Figure(model, rows[20][model].rstrip("%"), fmean(map(fmean, domains))))
    return make_check("AIR-Bench foundation, mean of three domain means", figures)


def _mmau_reports(folder: Path) -> Iterator[Check]:
    """MMAU in the reports of others: its three tasks are alike in size, so that the mean is that over items."""
    rows = _table(folder / "stepaudio2_mmau.csv")
    figures = [
        Figure(row["model"], row["avg"], fmean(numbers(row, ["sound", "speech", "music"])), 0.06) for row in rows
    ]
    yield make_check("MMAU in Step-Audio 2's report, mean of three", figures, ("Audio Flamingo 3",))
    rows = [row for row in _table(folder / "mimo_audio.csv") if row["benchmark"] == "MMAU"]
    values = {row["model"]: row["values"].split("|") for row in rows}
    figures = [Figure(model, parts[-1], fmean(map(float, parts[:-1])), 0.06) for model, parts in values.items()]
    yield make_check("MMAU in MiMo-Audio's report, mean of three", figures, ("Audio Flamingo 3", "Step-Audio2-mini"))


MMAR_ITEMS: Final = {
    "Sound": 165, "Music": 206, "Speech": 294, "Sound-Music": 11, "Sound-Speech": 218, "Music-Speech": 82,
    "Sound-Music-Speech": 24,
}  # fmt: skip


def _mmar(rows: list[dict[str, str]]) -> Check:
    """The mean over items: every modality weighs by its items. The parts are rounded, which may move it by a tenth."""
    figures = []
    for row in rows:
        weighted = sum(float(row[name]) * items for name, items in MMAR_ITEMS.items())
        figures.append(Figure(row["Models"], row["Avg"], weighted / sum(MMAR_ITEMS.values()), 0.1))
    return make_check("MMAR, mean over items", figures)


def _voicebench(folder: Path) -> Iterator[Check]:
    rows = _table(folder / "voicebench.csv")
    names = [*rows[0]][2:11]
    figures = []
    for row in rows:
        scaled = [float(row[name]) * (20 if name in POINTS else 1) for name in names]
        figures.append(Figure(row["Model"], row["Overall"], fmean(scaled)))
    yield make_check("VoiceBench, mean of nine, three times 20", figures)
    columns = {row["metric"]: row for row in _table(folder / "qwen3_omni_reasoning.csv")}
    parts = [row for name, row in columns.items() if name.startswith("VoiceBench/") and "Overall" not in name]
    overall = columns["VoiceBench/Overall"]
    models = [name for name in overall if name != "metric"]
    figures = [Figure(model, overall[model], fmean(float(row[model]) for row in parts)) for model in models]
    yield make_check("VoiceBench in Qwen3-Omni's report, mean of nine", figures)


def _by_column(rows: list[dict[str, str]]) -> Iterator[Check]:
    """Suites whose columns are models; VoiceBench's seven have two of 1 to 5."""
    for suite in dict.fromkeys(row["suite"] for row in rows):
        own = {row["set"]: row for row in rows if row["suite"] == suite}
        overall = own.pop("Overall")
        figures = []
        for model in [name for name in overall if name not in ("suite", "set") and overall[name]]:
            factors = {name: 20 if suite.startswith("VoiceBench") and name in POINTS else 1 for name in own}
            figures.append(Figure(model, overall[model], fmean(float(own[s][model]) * factors[s] for s in own)))
        yield make_check(f"{suite}, mean of its {len(own)} sets", figures)


def _generation(row: Mapping[str, str]) -> float:
    """The mean of five rates and of what three acoustic scores come to: their mean from 0 to 5, times 20."""
    return fmean([*numbers(row, [*row][1:6]), 20 * fmean(map(float, row["Acoustics"].split("|")))])


def _understanding(rows: list[dict[str, str]]) -> Check:
    """The mean of 13 numbers, error rates as 100 less themselves."""
    figures = []
    for row in rows:
        values: list[float] = []
        for name in [*row][1:-1]:
            cells = [float(part) for part in row[name].replace("|", " ").split()]
            values += [100 - cell for cell in cells] if name.startswith("ASR") else cells
        figures.append(Figure(row["Model"], row["Avg. Score"], fmean(values)))
    return make_check("UltraEval-Audio understanding, error rates as 100 less", figures)


def _sakura_and_stepeval(folder: Path) -> Iterator[Check]:
    rows = _table(folder / "sakura.csv")
    for hop in ("single", "multi"):
        names = [f"{track}_{hop}" for track in ("Gender", "Language", "Emotion", "Animal")]
        whole = [row for row in rows if row[f"Average_{hop}"] not in ("", "-") and len(numbers(row, names)) == 4]
        figures = [Figure(row["Model"], row[f"Average_{hop}"], fmean(numbers(row, names))) for row in whole]
        yield make_check(f"SAKURA {hop}, mean of four", figures)
    rows = _table(folder / "stepeval_audio_paralinguistic.csv")
    figures = [Figure(row["model"], row["avg"], fmean(numbers(row, [*row][2:]))) for row in rows]
    yield make_check("StepEval-Audio-Paralinguistic, mean of eleven", figures)


def check_open_asr(folder: Path) -> Iterator[Check]:
    """The plain mean of rates that are rounded already."""
    rows = _table(folder / "en_shortform.csv")
    names = [name for name in rows[0] if name.endswith(" WER") and name != "Avg. WER"]
    figures = [Figure(row["model"], row["Avg. WER"], fmean(numbers(row, names)), 0.0051) for row in rows]
    errs = [row["model"] for row in rows if row["model"].endswith(("canary-180m-flash", "v3-turbo-acc"))]
    yield make_check("Open ASR Leaderboard, mean of eight rounded rates", figures, errs)


CHECKS: Final[Mapping[str, Callable[[Path], Iterator[Check]]]] = {
    "mmau_replies": check_mmau,
    "audiomc": check_audiomc,
    "audiobench-logs": check_audiobench,
    "vocalbench": check_vocalbench,
    "leaderboards": check_leaderboards,
    "open_asr": check_open_asr,
}
