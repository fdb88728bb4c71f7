"""Front-end parts of others: pinned, unchanged, licensed and small."""

from __future__ import annotations

import hashlib
import json

from earmark.viewer.server import STATIC

VENDOR = STATIC / "vendor"
MOST = 700_000  # bytes of everything that a browser loads


def test_every_part_is_what_its_sum_says() -> None:
    parts = json.loads((VENDOR / "parts.json").read_text())["parts"]
    files = {file["to"]: file["sha256"] for part in parts for file in part["files"]}
    assert {path.name for path in VENDOR.iterdir()} == {*files, "parts.json"}
    for name, digest in files.items():
        assert hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() == digest, name
    assert all(part["licence"] and any("LICENSE" in file["to"] for file in part["files"]) for part in parts)


def test_all_of_it_is_small() -> None:
    assert sum(path.stat().st_size for path in STATIC.rglob("*") if path.is_file()) < MOST
