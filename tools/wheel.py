"""Build the wheel and the source archive, and use the wheel alone in an environment made anew: python tools/wheel.py"""

from __future__ import annotations

import subprocess
import tempfile
import venv
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
REPLIES: Final = '{"id": "1", "reply": "A", "target": "A", "choices": ["cat", "dog"]}\n'  # for `earmark score`
COMMANDS: Final = (
    ("list",),
    ("info", "acoustics"),
    ("run", "acoustics", "model=fake", "limit=5"),
    ("score", "replies.jsonl", "--scorer", "choice"),
)


def main() -> None:
    """Build, install and use; the first command that fails ends it with its status."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        (place / "replies.jsonl").write_text(REPLIES)
        venv.create(place / "venv", with_pip=True)
        programs = place / "venv" / "bin"
        subprocess.run([programs / "pip", "install", "-q", "build"], check=True)
        subprocess.run([programs / "python", "-m", "build", "-o", place / "dist", ROOT], check=True)
        wheel = next((place / "dist").glob("*.whl"))
        subprocess.run([programs / "pip", "install", "-q", wheel], check=True)
        for words in COMMANDS:
            print("earmark", *words, flush=True)
            subprocess.run([programs / "earmark", *words], cwd=place, check=True)


if __name__ == "__main__":
    main()
