"""A run folder that somebody sent, and what its commands do: in a process of their own, beside an evil module."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml
from commands import ENV, PATIENCE
from recorded_runs import run as make_run

from earmark.engine.load import load_benchmark
from earmark.runs.trust import forget_run

EVIL = 'open("RAN", "w").close()\n\n\ndef f(prompt):\n    return "A"\n'


def sent_run(change: Callable[[dict[str, Any], dict[str, Any]], None] = lambda *_: None) -> Path:
    """A finished run with its run.json and config.yaml changed, beside `evil/bench.py`, as after unpacking an archive."""
    Path("evil").mkdir(exist_ok=True)
    Path("evil/bench.py").write_text(EVIL)
    made = make_run("model=fake", benchmark=load_benchmark("acoustics", ("pitch",), {"items": 2})).folder
    run = Path("sent") / made.name
    shutil.copytree(made, run)
    forget_run(made)
    signature = json.loads((run / "run.json").read_text())
    config = yaml.safe_load((run / "config.yaml").read_text())
    change(signature, config)
    (run / "run.json").write_text(json.dumps(signature))
    (run / "config.yaml").write_text(yaml.safe_dump(config))
    return run


def command(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a user does, who has put nothing on the import path."""
    env = {name: value for name, value in ENV.items() if name != "PYTHONPATH"} | variables
    env["PYTHONPATH"] = str(Path(__file__).parents[1])  # the package alone
    line = [sys.executable, "-m", "earmark", *words]
    return subprocess.run(line, env=env, capture_output=True, text=True, check=False, timeout=PATIENCE)


def snapshot(folder: Path) -> dict[str, bytes]:
    """The files below a folder; links are not followed."""
    return {
        str(path): path.read_bytes()
        for path in (Path(top) / name for top, _, names in os.walk(folder) for name in names)
        if path.is_file() and not path.is_symlink()
    }
