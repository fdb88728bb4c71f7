"""Filters and orders of items, as the address of a page has them, and the SQL that they amount to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple

from msgspec import Struct

from earmark.errors import UsageError
from earmark.types import STATES

SORTS: Final = {
    "": "line",
    "id": "id",
    "task": "task",
    "condition": "condition",
    "state": "state",
    "answer": "answer",
    "right": "right_",
    "score": "score",
    "seconds": "seconds",
    "cost": "cost",
    "tokens": "tokens_out",
}
MAX_LIMIT: Final = 2000  # rows of one answer
NONE: Final = "(none)"  # an answer that was not read, in a filter
# Kinds of what was done to sound: notes with their numbers left out.
NOTE_KINDS: Final = r"list_transform(sound_notes, lambda note: regexp_replace(note, '-?[0-9]+([.][0-9]+)*', '…', 'g'))"
COLUMNS: Final = {
    "task": "task",
    "condition": "condition",
    "rule": "rule",
    "id": "id",
    "repeat": "repeat",
    "failure": "failure",
}


class Filters(Struct, frozen=True):
    """Filters of the items of a run; an empty one takes all."""

    state: tuple[str, ...] = ()
    mark: Literal["", "right", "wrong"] = ""
    task: str = ""
    condition: str = ""
    rule: str = ""
    id: str = ""
    repeat: str = ""
    tags: tuple[tuple[str, str], ...] = ()
    target: str = ""  # the right answer, as the confusion table names it
    answer: str = ""  # what was read; NONE where nothing was
    failure: str = ""  # the message of a failure
    note: str = ""  # a kind of what was done to the sound
    search: str = ""  # words in the id, question, answers, reply or message
    copies: bool = False  # also what another task has too; a task that is named shows them anyhow

    def __bool__(self) -> bool:
        """True if anything is left out."""
        return self != EVERYTHING


EVERYTHING: Final = Filters()
WITH_COPIES: Final = Filters(copies=True)


class Order(NamedTuple):
    """Order and page of a list of items."""

    sort: str = ""
    descending: bool = False
    limit: int = 50
    offset: int = 0


def parse_filters(pairs: Iterable[tuple[str, str]]) -> Filters:
    """Parse the parameters of an address; others than filters are left alone. Raises UsageError for a wrong value.

    >>> parse_filters([("mark", "wrong"), ("tag", "level=easy"), ("run", "x")]).tags
    (('level', 'easy'),)
    """
    values: dict[str, Any] = {}
    tags: list[tuple[str, str]] = []
    for name, value in pairs:
        if name == "tag":
            key, equals, content = value.partition("=")
            if not equals:
                raise UsageError(f"tag={value}: expected NAME=VALUE, such as tag=level=easy")
            tags.append((key, content))
        elif name == "state":
            values["state"] = (*values.get("state", ()), *filter(None, value.split(",")))
        elif name in Filters.__struct_fields__ and name not in ("tags", "copies"):
            values[name] = value
    unknown = [state for state in values.get("state", ()) if state not in STATES]
    if unknown:
        raise UsageError(f"state={unknown[0]}: expected one of {', '.join(STATES)}")
    if values.get("mark", "") not in ("", "right", "wrong"):
        raise UsageError(f"mark={values['mark']}: expected right or wrong")
    if not values.get("repeat", "0").removeprefix("-").isdecimal() and values["repeat"]:
        raise UsageError(f"repeat={values['repeat']}: expected a number")
    return Filters(**values, tags=tuple(tags))


def parse_order(query: Mapping[str, str]) -> Order:
    """Parse order and page. Raises UsageError for an unknown column or no number."""
    sort = query.get("sort", "")
    descending = sort.startswith("-")
    if sort.lstrip("-") not in SORTS:
        raise UsageError(f"sort={sort}: expected one of {', '.join(filter(None, SORTS))}, with - before it: descending")
    limit, offset = parse_number(query, "limit", 50), parse_number(query, "offset", 0)
    return Order(sort.lstrip("-"), descending, min(limit, MAX_LIMIT), offset)


def parse_number(query: Mapping[str, str], name: str, default: int) -> int:
    """Parse a number from 0 to 10^12. Raises UsageError for another text."""
    text = query.get(name, "")
    if not text:
        return default
    if not (text.isascii() and text.isdecimal() and len(text) < 13):
        raise UsageError(f"{name}={text[:40]}: expected a whole number from 0")
    return int(text)


class Clause(NamedTuple):
    """A condition of SQL and its values."""

    sql: str
    values: list[Any]


def where(filters: Filters) -> Clause:
    """Return the condition of SQL that filters amount to."""
    clauses = list(_clauses(filters))
    sql = " and ".join(clause.sql for clause in clauses) or "true"
    return Clause(sql, [value for clause in clauses for value in clause.values])


def _clauses(filters: Filters) -> Iterator[Clause]:
    given = ((column, getattr(filters, name)) for name, column in COLUMNS.items())
    yield from (Clause(f"{column} = ?", [value]) for column, value in given if value)
    yield from (Clause("tags[?] = ?", [key, value]) for key, value in filters.tags)
    if not (filters.copies or filters.task):
        yield Clause("copy_of is null", [])
    if filters.state:
        yield Clause(f"state in ({', '.join('?' * len(filters.state))})", list(filters.state))
    if filters.mark:
        yield Clause("right_" if filters.mark == "right" else "right_ is false and failure is null", [])
    if filters.target:
        yield Clause("array_to_string(targets, ' | ') = ?", [filters.target])
    if filters.answer:
        yield Clause("answer is null", []) if filters.answer == NONE else Clause("answer = ?", [filters.answer])
    if filters.note:
        yield Clause(f"list_contains({NOTE_KINDS}, ?)", [filters.note])
    if filters.search:
        columns = ("id", "question", "reply", "answer", "failure", "array_to_string(targets, ' ')")
        yield Clause(
            f"({' or '.join(f'contains(lower({column}), ?)' for column in columns)})",
            [filters.search.lower()] * len(columns),
        )


def order_by(order: Order) -> str:
    """Return the order of SQL: by a column, and by the place in the journal where it is equal."""
    direction = "desc" if order.descending else "asc"
    return f"{SORTS[order.sort]} {direction} nulls last, line" if order.sort else f"line {direction}"
