"""The page of an item as data: what was asked, what was said, how it was read, and the same item elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from earmark.config.parse import parse_settings
from earmark.data.prompt_words import WORDS_FILE, find_words
from earmark.errors import BadData, BadSetup, UsageError
from earmark.journal import Record, ScoreLine
from earmark.report.rows import Metrics, Row
from earmark.scorers import choice, wer
from earmark.text.choice_parser import parse_choice
from earmark.text.published_parsers import PARSERS
from earmark.text.thoughts import without_thoughts
from earmark.types import ImportedVerdict, Response
from earmark.viewer.filters import Filters, Order
from earmark.viewer.results import Results, metrics_of, to_plain
from earmark.viewer.table import RunTable

ItemKey = tuple[str, str, str, int]  # task, id, condition, repeat
MAX_ALIGNED: Final = 4000  # units of a text that is aligned with its reference
MAX_SENT_TEXT: Final = 400_000  # letters of a reply that are sent to a page; the journal has the rest


def item_page(
    results: Results, name: str, key: ItemKey, filters: Filters, order: Order, others: Sequence[str]
) -> dict[str, Any]:
    """Return everything about an item: `key` is its task, id, condition and repeat; `others` are runs beside."""
    table = results.table(name)
    line = find_line(table, key)
    record = table.record(line)
    index, beside = table.neighbours(filters, order, line)
    return item_details(results, name, record) | {
        "index": index,
        "before": beside[0],
        "after": beside[1],
        "same": table.same_item(record.item.id, record.item.task),
        "elsewhere": {other: results.table(other).same_item(record.item.id, record.item.task) for other in others},
    }


def item_details(results: Results, name: str, record: Record) -> dict[str, Any]:
    """Describe an item of a run, and the words that were sent where they were kept."""
    run = results.path(name)
    words = find_words(run / WORDS_FILE, record.words)
    return record_page(record, *results.table(name).judgements(record), metrics_of(run)) | {
        "run": name,
        "imported": results.summary(name).imported,
        "prompt": to_plain(words.turns) if words else None,
    }


def find_line(table: RunTable, key: ItemKey) -> int:
    """Find the line of an item. Raises BadData if there is none."""
    line = table.find_line(*key)
    if line is None:
        task, item, condition, repeat = key
        raise BadData(f"{table.run}: has no item '{item[:200]}' of task '{task}' under {condition}, repeat {repeat}")
    return line


def find_record(table: RunTable, key: ItemKey) -> Record:
    """Find the record of an item. Raises BadData if there is none."""
    return table.record(find_line(table, key))


def record_page(
    record: Record, scores: Sequence[ScoreLine], verdicts: Sequence[ImportedVerdict], metrics: Metrics | None
) -> dict[str, Any]:
    """Describe a record, its scores and the verdicts of other harnesses."""
    response = record.response
    reply = without_thoughts(response) if response else None
    return {
        "item": to_plain(record.item),
        "condition": record.condition,
        "repeat": record.repeat,
        "sounds": [to_plain(sent) for sent in record.audio_sent],
        "response": _response(response) if response else None,
        "failure": to_plain(record.failure),
        "attempts": record.attempts,
        "timestamp": record.timestamp,
        "digests": {"prompt": record.prompt_digest, "audio": record.audio_digest},
        "verdicts": to_plain(verdicts),
        "speech": {"why": ""} if response and response.speech else None,
        "scores": [score_detail(record, score, reply, metrics) for score in scores],
    }


def _response(response: Response) -> dict[str, Any]:
    fields: dict[str, Any] = to_plain(response)
    cut = len(response.text) - MAX_SENT_TEXT
    return fields | ({"text": response.text[:MAX_SENT_TEXT], "cut": cut} if cut > 0 else {})


def score_detail(record: Record, score: ScoreLine, reply: Response | None, metrics: Metrics | None) -> dict[str, Any]:
    """Describe one score: with the span of the reply that was read, or the errors of words."""
    row = find_row(metrics, score)
    details: dict[str, Any] = to_plain(score)
    if row is not None and reply is not None:
        name = row.scorer.partition(" ")[0]
        if name == "choice" and record.item.labels:
            details |= {"span": read_span(record, reply, row)}
        if name == "wer" and record.item.targets:
            details |= {"aligned": align_words(record, reply, row)}
    return details


def find_row(metrics: Metrics | None, score: ScoreLine) -> Row | None:
    """Find the row of the report that a score went into."""
    rows = metrics.rows if metrics else []
    keys = (score.task, score.scorer)
    return next((row for row in rows if not row.slice and (row.task, row.scorer) == keys), None)


def read_span(record: Record, reply: Response, row: Row) -> list[int] | None:
    """Return begin and end of what was read as the answer, in the reply as it was given, or None."""
    item = record.item
    try:
        settings = parse_settings(choice.Settings, row.settings, "")
    except UsageError:  # of a version with other settings
        return None
    if settings.parser == "earmark":
        parsed = parse_choice(
            reply.whole_text,
            item.labels,
            item.choices,
            question=item.question,
            cut=reply.stop == "length",
            thinking=settings.thinking == "opened",
            multi_select=settings.multi_select,
        )
    else:
        parsed = PARSERS[settings.parser](reply.whole_text, item.labels, item.choices)
    return list(parsed.span) if parsed.span else None


def align_words(record: Record, reply: Response, row: Row) -> list[list[str | None]] | None:
    """Align the units of a reply with those of the best reference: kind, reference and reply of each."""
    try:
        scorer = wer.WerScorer(parse_settings(wer.Settings, row.settings, ""))
        pair = scorer.best(record.item, reply.text)
    except (UsageError, BadSetup, BadData):
        return None
    if len(pair.reference) > MAX_ALIGNED or len(pair.reply) > MAX_ALIGNED:
        return None
    return [list(unit) for unit in wer.align(pair.reference, pair.reply)]
