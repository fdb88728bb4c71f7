"""Copy the front-end parts of the viewer from their npm releases into the package.

python tools/fetch_viewer_parts.py      fetch the pinned versions, check the sums, copy the files

The parts are pinned in earmark/viewer/static/vendor/parts.json: version, file, SHA-256 and licence of each. A new version
is entered there with its sum; nothing else is fetched. npm is needed here only, never to view.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any, Final

VENDOR: Final = Path("earmark/viewer/static/vendor")
PINS: Final = VENDOR / "parts.json"


def fetch(part: dict[str, Any], folder: Path) -> None:
    """Fetch one release and copy its files."""
    done = subprocess.run(["npm", "pack", f"{part['name']}@{part['version']}"], cwd=folder, capture_output=True,
                          text=True, check=True)  # fmt: skip
    with tarfile.open(folder / done.stdout.strip().splitlines()[-1]) as archive:
        for file in part["files"]:
            member = archive.extractfile(f"package/{file['from']}")
            assert member is not None, f"{part['name']}: has no {file['from']}"
            data = member.read()
            digest = hashlib.sha256(data).hexdigest()
            if digest != file["sha256"]:
                sys.exit(
                    f"{file['from']} of {part['name']} {part['version']}: found {digest}, expected {file['sha256']}"
                )
            (VENDOR / file["to"]).write_bytes(data)
            print(f"{file['to']}: {len(data):,} bytes")


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        for part in json.loads(PINS.read_text(encoding="utf-8"))["parts"]:
            fetch(part, Path(place))


if __name__ == "__main__":
    main()
