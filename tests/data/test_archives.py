"""Archives: whatever is broken in one, reading a member gives its bytes or raises one of the errors that are named."""

from __future__ import annotations

import io
import random
import zipfile

import pytest

from earmark.data.clips import DAMAGED_ARCHIVE_ERRORS

CONTENT = bytes(range(256)) * 20


def archive(method: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as file:
        file.writestr("clip.wav", CONTENT)
    return out.getvalue()


def member(data: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return file.read("clip.wav")


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_whole_archive_is_read_and_half_of_one_is_refused(method: int) -> None:
    whole = archive(method)
    assert member(whole) == CONTENT
    with pytest.raises(DAMAGED_ARCHIVE_ERRORS):
        member(whole[: len(whole) // 2])


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_broken_content_never_passes_for_what_was_packed(method: int) -> None:
    whole, dice, refused = archive(method), random.Random(0), 0
    start = whole.index(b"clip.wav") + len(b"clip.wav")
    end = whole.index(b"PK\x01\x02")
    for _ in range(200):
        broken = bytearray(whole)
        broken[dice.randrange(start, end)] ^= 1 << dice.randrange(8)
        try:
            assert member(bytes(broken)) == CONTENT  # a bit that fills up the last byte of what is packed
        except DAMAGED_ARCHIVE_ERRORS:
            refused += 1
    assert refused >= 190


def test_a_way_of_packing_that_nobody_knows_is_one_of_them() -> None:
    whole = bytearray(archive(zipfile.ZIP_STORED))
    for mark, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        at = whole.index(mark) + offset
        whole[at : at + 2] = (99).to_bytes(2, "little")
    with pytest.raises(DAMAGED_ARCHIVE_ERRORS):
        member(bytes(whole))
