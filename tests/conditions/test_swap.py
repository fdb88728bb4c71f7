"""Swapped sounds: of another item, of another group, with their source."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from condition_sounds import NONE, make_condition, through, tone

from earmark.audio import read
from earmark.data.cache import hash64
from earmark.errors import Rejected
from earmark.types import Benchmark, EncodedAudio, Item, Prompt, SynthSpec, Turn, Waveform, replace


def test_a_swapped_sound_is_anothers_with_its_bytes_and_its_source(talkers: Benchmark) -> None:
    condition = make_condition("swap", "", 3, talkers)
    files = {hash64(Path(item.clips[0].path).read_bytes()): item.id for item in talkers.items()}  # type: ignore[union-attr]
    donors: Counter[tuple[str, ...]] = Counter()
    for item in talkers.items():
        prompt = condition.apply(talkers.prompt(item), item)
        (sound,) = (part for part in prompt.turns[0].parts if isinstance(part, EncodedAudio))
        own = hash64(Path(item.clips[0].path).read_bytes())  # type: ignore[union-attr]
        assert sound.source == hash64(sound.data) != own or item.id in ("item-8", "item-9")
        assert sound.source in files
        assert sound.notes[0].startswith("swapped: the sound of item item-")
        assert sound.notes[0] != f"swapped: the sound of item {item.id}"
        donors[sound.notes] += 1
    assert len(donors) > 3


def pairs(groups: int) -> Benchmark:
    """Twenty items of two tones each, in so many groups."""

    def items() -> list[Item]:
        return [
            Item(
                f"i{at}",
                "pairs",
                clips=tuple(
                    SynthSpec("tone", {"frequency": 300.0 + 10 * at + side, "seconds": 0.1, "level": -20.0})
                    for side in (0, 1)
                ),
                group=f"g{at % groups}",
            )
            for at in range(20)
        ]

    return replace(NONE, items=items, tasks=("pairs",))


def test_both_sounds_come_from_one_other_item_of_another_group() -> None:
    benchmark = pairs(4)
    condition = make_condition("swap", "", 3, benchmark)
    for at, item in enumerate(benchmark.items()):
        parts = condition.apply(Prompt((Turn("user", (*item.clips, "Which?")),)), item).turns[0].parts
        first, second = (part for part in parts if isinstance(part, Waveform))
        donor = int(first.notes[-1].rpartition("i")[2])
        assert donor % 4 != at % 4
        assert first.notes == second.notes
        expected = list(benchmark.items())[donor].clips
        assert [first.source, second.source] == [read.load_waveform(clip).source for clip in expected]


def test_one_group_is_enough_and_one_item_is_not() -> None:
    assert through(make_condition("swap", "", 3, pairs(1)), tone(440), item=next(iter(pairs(1).items())))
    alone = replace(NONE, items=lambda: list(pairs(1).items())[:1])
    with pytest.raises(Rejected, match="no other item of pairs has a sound of its own"):
        through(make_condition("swap", "", 3, alone), tone(440), item=next(iter(alone.items())))
