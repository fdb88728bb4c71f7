"""Functions behind the pages: each takes the parameters of an address and returns data, for server and site alike."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import msgspec

from earmark.errors import BadData, UsageError
from earmark.journal import JOURNAL_FILE, Record
from earmark.runs.rescore import reopen
from earmark.types import Benchmark
from earmark.viewer.compare_page import ONLY, compare_items, compare_page, differences
from earmark.viewer.filters import parse_filters, parse_number, parse_order
from earmark.viewer.foreign_code import CodePolicy, is_allowed
from earmark.viewer.item_page import find_record, item_page
from earmark.viewer.leaderboard_page import leaderboard_page
from earmark.viewer.live import LiveRuns
from earmark.viewer.media import Media, MediaStore, speech_media
from earmark.viewer.results import Audiograms, Results, is_audiogram, to_plain
from earmark.viewer.run_page import filter_choices, run_counts, run_page

Query = list[tuple[str, str]]
DataFunction = Callable[[Query], Any]
HEAD_LINES: Final = 50  # items that are shown before the table is there


class Pages:
    """Data of all pages over the runs under a folder."""

    def __init__(
        self,
        results: Results,
        policy: CodePolicy,
        audiograms: Audiograms | None = None,
        media: Sequence[str] = (),
    ) -> None:
        """`media` are mappings of --media: OLD=NEW, or a folder."""
        self.results, self.policy = results, policy
        self.media = MediaStore(policy, media, audiograms)
        self._audiograms = audiograms
        self._live = LiveRuns(results, lambda run: is_allowed(policy, run), self._open_benchmark)

    def data_functions(self) -> dict[str, DataFunction]:
        """Return the function of each address under /api."""
        return {
            "runs": self.runs,
            "run": self.run,
            "counts": self.counts,
            "filters": self.filters,
            "items": self.items,
            "item": self.item,
            "sounds": self.sounds,
            "live": self.live,
            "compare": self.compare,
            "differences": self.differences,
            "compare_items": self.compare_items,
            "leaderboard": self.leaderboard,
            "audiogram": self.audiogram,
        }

    def media_functions(self) -> dict[str, Callable[[Query], Media]]:
        """Return the function of each address under /media."""
        return {
            "sound": self.sound,
            "spectrogram": self.spectrogram,
            "picture": self.picture,
            "speech": self.speech,
        }

    def runs(self, query: Query) -> Any:
        """Return every run in a line."""
        del query
        return {"folder": str(self.results.root), "runs": to_plain(self.results.summaries())}

    def run(self, query: Query) -> Any:
        """Return the page of a run."""
        return run_page(self.results, name_of(query))

    def counts(self, query: Query) -> Any:
        """Return counts of the items of a run."""
        return run_counts(self.results.table(name_of(query)), parse_filters(query))

    def filters(self, query: Query) -> Any:
        """Return the values that the filters of a run can have."""
        return filter_choices(self.results.table(name_of(query)))

    def items(self, query: Query) -> Any:
        """Return a page of items; before the table is there, and nothing is filtered, the head of the journal."""
        name, filters, order = name_of(query), parse_filters(query), parse_order(dict(query))
        if not self.results.is_open(name) and not filters and order == parse_order({}) and dict(query).get("head"):
            threading.Thread(target=self._open, args=(name,), daemon=True).start()
            return {"total": None, "rows": self._head(name)}
        total, rows = self.results.table(name).listing(filters, order)
        return {"total": total, "rows": rows}

    def _open(self, name: str) -> None:
        """Open a table in the background; what is wrong with it, the next request says."""
        try:
            self.results.table(name)
        except BadData:
            return

    def _head(self, name: str) -> list[dict[str, Any]]:
        """Return the first items of a journal as a list shows them, without their scores."""
        path = self.results.path(name) / JOURNAL_FILE
        if not path.exists():
            return []
        with path.open("rb") as file:
            lines = [line for line, _ in zip(file, range(HEAD_LINES), strict=False) if line.endswith(b"\n")]
        try:
            return [head_row(msgspec.json.decode(line, type=Record)) for line in lines]
        except msgspec.DecodeError as error:
            raise BadData(f"{path}: its first {HEAD_LINES} lines are no records of a run ({error})") from error

    def item(self, query: Query) -> Any:
        """Return everything about an item."""
        filters, order = parse_filters(filter_part(query)), parse_order(dict(query))
        return item_page(self.results, name_of(query), key_of(query), filters, order, others_of(query))

    def sounds(self, query: Query) -> Any:
        """Return waveforms and levels of the sounds of an item, and its pictures, with the addresses of their bytes."""
        described = self.media.describe(*self._record(query))
        key = [(name, value) for name, value in query if name == "run" or name.startswith("item.")]
        for index, clip in enumerate(described["clips"]):
            if not clip["why"]:
                clip["url"] = address("sound", key, index)
                channels = range(clip["drawn"])
                clip["spectrograms"] = [
                    f"{address('spectrogram', key, index)}&channel={channel}" for channel in channels
                ]
        for index, picture in enumerate(described["pictures"]):
            if not picture["why"]:
                picture["url"] = address("picture", key, index)
        return described

    def _record(self, query: Query) -> tuple[Path, Record]:
        """Return the folder of the run and the record that an address names."""
        name, key = name_of(query), key_of(query)
        return self.results.path(name), find_record(self.results.table(name), key)

    def sound(self, query: Query) -> Media:
        """Return a sound as it was sent."""
        return self.media.sound_media(*self._record(query), parse_number(dict(query), "clip", 0))

    def spectrogram(self, query: Query) -> Media:
        """Return the spectrogram of a sound."""
        given = dict(query)
        return self.media.spectrogram(
            *self._record(query), parse_number(given, "clip", 0), parse_number(given, "channel", 0)
        )

    def picture(self, query: Query) -> Media:
        """Return a picture of a prompt."""
        return self.media.picture_media(*self._record(query), parse_number(dict(query), "clip", 0))

    def speech(self, query: Query) -> Media:
        """Return the speech of an answer."""
        return speech_media(*self._record(query))

    def live(self, query: Query) -> Any:
        """Return what is new of a run in progress."""
        return self._live.look(name_of(query))

    def compare(self, query: Query) -> Any:
        """Return the counts of a comparison."""
        return compare_page(self.results, runs_of(query), parse_filters(query))

    def differences(self, query: Query) -> Any:
        """Return the differences of two runs with their intervals."""
        names = runs_of(query)
        for name in names:
            if why := is_allowed(self.policy, self.results.path(name)):
                return {"rows": [], "notes": [why]}
        return differences(self.results, names)

    def compare_items(self, query: Query) -> Any:
        """Return the items of one count of a comparison."""
        only = dict(query).get("only", "")
        if only not in ("", *ONLY):
            raise UsageError(f"only={only}: expected one of {', '.join(ONLY)}")
        return compare_items(self.results, runs_of(query), only, parse_filters(query), parse_order(dict(query)))

    def leaderboard(self, query: Query) -> Any:
        """Return every leaderboard."""
        given = dict(query)
        choice = (given.get("condition", "plain"), given.get("by", ""), given.get("benchmark", ""))
        return leaderboard_page(self.results, *choice, lambda run: is_allowed(self.policy, run))

    def audiogram(self, query: Query) -> Any:
        """Return the thresholds of an audiogram."""
        run = self.results.path(name_of(query))
        if self._audiograms is None or not is_audiogram(run):
            raise BadData(f"{run}: is no audiogram")
        return self._audiograms.describe(run)

    def _open_benchmark(self, run: Path) -> Benchmark:
        """Open the benchmark of a run, or the trials of an audiogram."""
        if self._audiograms is not None and is_audiogram(run):
            return self._audiograms.open(run)
        return reopen(run)[0]


def name_of(query: Query) -> str:
    """Return the one run that an address names."""
    names = runs_of(query)
    if not names:
        raise UsageError("run= is missing; the list of runs names them")
    return names[0]


def runs_of(query: Query) -> list[str]:
    """Return the runs that an address names."""
    return [value for name, value in query if name == "run"]


def others_of(query: Query) -> Sequence[str]:
    """Return the runs beside that an address names."""
    return [value for name, value in query if name == "beside"][:8]


def key_of(query: Query) -> tuple[str, str, str, int]:
    """Return the key of the item that an address names: parameters with `item.` before them, beside the filters."""
    given = dict(query)
    repeat = parse_number({"repeat": given.get("item.repeat", "")}, "repeat", 0)
    return given.get("item.task", ""), given.get("item.id", ""), given.get("item.condition", "plain"), repeat


def address(kind: str, key: Query, index: int) -> str:
    """Return the address of a sound or a picture."""
    return f"media/{kind}?{urlencode([*key, ('clip', str(index))])}"


def filter_part(query: Query) -> Query:
    """Return the parameters that do not name the item itself."""
    return [pair for pair in query if not pair[0].startswith("item.")]


def head_row(record: Record) -> dict[str, Any]:
    """Return a record as a list shows it, before it is known how it was scored."""
    item, response, failure = record.item, record.response, record.failure
    return {
        "task": item.task, "id": item.id, "condition": record.condition, "repeat": record.repeat,
        "question": item.question[:160], "target": " | ".join(item.targets), "answer": None,
        "state": failure.state if failure else "answered", "right": None, "score": None, "scorer": None, "rule": None,
        "reply": response.text[:160] if response else None, "failure": failure.message[:160] if failure else None,
        "seconds": response.seconds if response else None, "cost": response.usage.cost if response else None,
        "tokens_out": response.usage.tokens_out if response else None, "sounds": len(record.audio_sent),
        "tags": item.tags, "copy": False,
    }  # fmt: skip
