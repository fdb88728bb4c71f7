"""Items as lines of the terminal: a table of several, and all about one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from earmark.text.printable import printable

if TYPE_CHECKING:
    from earmark.data.prompt_words import WordsPart
    from earmark.journal import AudioSent, Record, ScoreLine
    from earmark.viewer.item_list import ItemList, RunItem

MIN_REPLY: Final = 12  # columns of the replies, at least


def show_item_table(items: ItemList) -> None:
    """Print a line for each item: its id, task and condition, what is right, and what each run made of it."""
    from earmark.cli._tables import column_widths, cut_middle, drop_constant_columns, make_table
    from earmark.terminal.console import make_console, print_line, print_on

    several = len(items.runs) > 1
    numbers = [f"{number} " for number in range(1, len(items.runs) + 1)] if several else [""]
    head = ["id", "task", "condition", "right answer"]
    for number in numbers:
        head += [f"{number}read", f"{number}state", f"{number}reply"]
    cells = [head, *([*_key_cells(row), *(cell for part in row for cell in _run_cells(part))] for row in items.rows)]
    kept = [name for name in head if name.endswith(("answer", "read", "reply"))]
    lines, _, same = drop_constant_columns([[printable(cell) for cell in line] for line in cells], len(head), kept)
    print_line(
        *(
            f"{number}: {name}, {run}"
            for number, (name, run) in enumerate(zip(items.names, items.runs, strict=True), 1)
            if several
        )
    )
    print_line(*[same] * bool(same))
    console = make_console()
    widths = _fit(column_widths(lines), lines[0], console.width)
    cut = [
        [
            _cut_end(cell, width) if name.endswith("reply") else cut_middle(cell, width)
            for name, cell, width in zip(lines[0], line, widths, strict=True)
        ]
        for line in lines
    ]
    print_on(console, make_table(cut[0], cut[1:], len(cut[0])))


def _fit(widths: list[int], head: list[str], room: int) -> list[int]:
    """Widths of the columns so that a table fits: replies give way first, then the widest column."""
    from earmark.cli._tables import COLUMN_GAP, MIN_WORD_WIDTH

    fitted, room = list(widths), room - COLUMN_GAP * (len(widths) - 1)
    least = [
        min(width, max(MIN_REPLY if name.endswith("reply") else MIN_WORD_WIDTH, len(name)))
        for name, width in zip(head, widths, strict=True)
    ]
    while sum(fitted) > room:
        spare = [index for index in range(len(fitted)) if fitted[index] > least[index]]
        if not spare:
            return fitted
        replies = [index for index in spare if head[index].endswith("reply")]
        widest = max(replies or spare, key=lambda index: fitted[index])
        fitted[widest] -= 1
    return fitted


def _cut_end(text: str, width: int) -> str:
    from rich.cells import cell_len, set_cell_size

    return text if cell_len(text) <= width else set_cell_size(text, width - 1) + "…"


def _key_cells(row: list[dict[str, Any] | None]) -> list[str]:
    first = next(part for part in row if part is not None)
    repeat = f" ({first['repeat']})" if first["repeat"] else ""
    return [f"{first['id']}{repeat}", first["task"], first["condition"], first["target"] or "-"]


def _run_cells(row: dict[str, Any] | None) -> list[str]:
    if row is None:
        return ["-", "not asked", ""]
    mark = {True: "right", False: "wrong", None: ""}[row["right"]]
    state = row["state"] if row["state"] != "answered" or not mark else mark
    return [
        row["answer"] if row["answer"] is not None else "-",
        state,
        " ".join((row["reply"] or row["failure"] or "").split()),
    ]


def item_lines(item: RunItem) -> Iterator[str]:
    """All about a record: the prompt in its order, what is right, the reply, and its scores."""
    record = item.record
    yield f"{record.title}  ({item.run})"
    if record.item.tags:
        yield f"tags: {', '.join(f'{name}={value}' for name, value in record.item.tags.items())}"
    yield from _prompt_lines(item)
    for label, choice in zip(record.item.labels, record.item.choices, strict=True):
        yield f"  {'*' if label in record.item.targets else ' '} {label}. {choice}"
    yield f"right answer: {' or '.join(record.item.targets) or 'none'}"
    yield from _outcome_lines(record)
    for score in item.scores:
        yield _score_line(score, record.item.task)
    for verdict in item.verdicts:
        given = "" if verdict.answer is None else f", read {verdict.answer!r}"
        yield f"their {verdict.measure}: {verdict.value}{given}{_after(verdict.explanation)}"


def _prompt_lines(item: RunItem) -> Iterator[str]:
    record = item.record
    if item.words is None:
        yield f"question: {record.item.question}"
        yield from (_sound_line(number, sent) for number, sent in enumerate(record.audio_sent, start=1))
        yield "(the words of the prompt were not kept)"
        return
    for turn in item.words.turns:
        yield f"{turn.role}:"
        yield from (f"  {line}" for part in turn.parts for line in _part_lines(part, record))


def _part_lines(part: WordsPart, record: Record) -> list[str]:
    if isinstance(part, str):
        return part.splitlines() or [""]
    ((kind, index),) = part.items()
    if kind == "sound" and index < len(record.audio_sent):
        return [_sound_line(index + 1, record.audio_sent[index])]
    return [f"[{kind} {index + 1}]"]


def _sound_line(number: int, sent: AudioSent) -> str:
    channels = "1 channel" if sent.channels == 1 else f"{sent.channels} channels"
    notes = f"; {'; '.join(sent.notes)}" if sent.notes else ""
    return f"[sound {number}: {sent.name}, {sent.seconds:.2f} s, {sent.format}, {sent.rate} Hz, {channels}{notes}]"


def _outcome_lines(record: Record) -> Iterator[str]:
    if record.failure:
        yield f"{record.failure.state}: {record.failure.message}"
    response = record.response
    if response is None:
        return
    yield from (f"transcript {number}: {text}" for number, text in enumerate(response.transcripts, start=1))
    yield from _labelled("reasoning", response.reasoning)
    yield from _labelled("reply", response.text)
    if response.speech:
        yield f"speech: {response.speech.path}"
    usage = response.usage
    facts = [f"{response.seconds:.2f} s"] * bool(response.seconds)
    facts += [f"{usage.tokens_in:,} tokens in, {usage.tokens_out:,} out"] * bool(usage.tokens_in)
    facts += [f"cost {usage.cost:.4g}"] * bool(usage.cost)
    facts += [f"stopped: {response.stop}"] * (response.stop != "end")
    yield from [f"answer took {'; '.join(facts)}"] * bool(facts)
    yield from (f"note: {note}" for note in response.notes)


def _labelled(name: str, text: str) -> Iterator[str]:
    lines = text.splitlines() or [""]
    if len(lines) == 1:
        yield from [f"{name}: {lines[0]}"] * bool(text or name == "reply")
    else:
        yield f"{name}:"
        yield from (f"  {line}" for line in lines)


def _score_line(score: ScoreLine, task: str) -> str:
    mark = {True: ", right", False: ", wrong", None: ""}[score.right]
    read = "nothing was read" if score.answer is None else f"read {score.answer!r}"
    rule = f" by {score.rule}" if score.rule else ""
    value = "" if score.value is None else f", {score.value:g}"
    scorer = score.scorer if score.task == task else f"{score.scorer} of {score.task}"
    return f"{scorer}: {score.state}, {read}{rule}{mark}{value}{_after(score.why)}"


def _after(text: str) -> str:
    return f"; {' '.join(text.split())}" if text else ""
