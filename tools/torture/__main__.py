"""Kill commands and see that nothing is lost: python tools/torture [--seed N] [--kills N] [--steps N] [--faults N] [--minutes N]

Each trial is one line: command, where it was killed, and what was wrong. A table follows. The status is 1 if anything was
lost, doubled or mixed up, or if a command after a kill failed.

    kills    kill -9 at a random moment of run, batch, retry, rescore, import, export, compare, leaderboard, judge-check and
             audiogram
    steps    kill at the n-th rename, mkdir, unlink or write of a command, for n = 1, 2, ... (sitecustomize.py)
    faults   a run at a server that breaks in one of many ways at a third of the questions (server.py)

The server answers each question with the digest of the sound that came with it, so that an answer under another question
shows.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Final, NamedTuple

HERE: Final = Path(__file__).parent
ITEMS: Final = 60
IN_FLIGHT: Final = 8
TABLE_RESULTS: Final = [{"question": "q", "reference": "r", "model_prediction": "p", "judge_response": "Rating: 3",
                         "rate_score": 3, "success": 1}] * 5  # fmt: skip


STEPPED: Final = ("rescore", "import", "export", "run")  # commands that are killed at each change of a file
DIGEST_LENGTH: Final = 64  # an answer without a digest is that of a server that breaks
JOURNALS: Final = ("run", "batch", "retry", "rescore", "export", "compare")  # commands after which it is looked at


class Trial(NamedTuple):
    """One command that was killed, and what was wrong afterwards."""

    command: str
    place: str  # where it was killed
    hit: bool  # it had not ended by itself
    problems: list[str]

    @property
    def killed(self) -> bool:
        """True for a kill at a random moment that hit."""
        return self.hit and self.place.startswith("time")


def start(words: list[str], folder: Path, **variables: str) -> subprocess.Popen[bytes]:
    """Start a command in a folder."""
    path = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
    env = os.environ | {"PYTHONPATH": path, "XDG_CONFIG_HOME": str(folder / "config"), "NO_COLOR": "1"} | variables
    env |= {"EARMARK_CACHE": str(folder.parent / "cache")}
    command = [sys.executable, "-m", "earmark", *words]
    return subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def finish(words: list[str], folder: Path, expected: tuple[int, ...] = (0,)) -> list[str]:
    """Run a command to its end; what was wrong."""
    process = start(words, folder)
    _, errors = process.communicate(timeout=300)
    text = errors.decode(errors="replace")
    wrong = [] if process.returncode in expected else [f"{words[0]} ended with {process.returncode}: {text[-200:]!r}"]
    return [*wrong, *(["a traceback"] if "Traceback" in text else [])]


def runs_in(folder: Path) -> list[Path]:
    """The runs below a folder."""
    return sorted(path.parent for path in folder.glob("results/**/run.json"))


def check_journal(run: Path, most: int) -> list[str]:
    """Find questions without an answer, with several, or with the answer to another one."""
    lines = [json.loads(line) for line in (run / "responses.jsonl").read_bytes().splitlines()]
    answers = Counter(line["item"]["id"] for line in lines if line.get("response"))
    sounds: dict[str, str] = {}
    wrong = [f"{ITEMS - len(answers)} items without an answer"] if len(answers) < ITEMS else []
    wrong += [f"{item} has {count} answers" for item, count in answers.items() if count > most]
    for line in lines:
        text = line["response"]["text"] if line.get("response") else ""
        digest = text.rpartition(" ")[2]
        key = json.dumps(line["item"]["clips"], sort_keys=True)
        if len(digest) == DIGEST_LENGTH and sounds.setdefault(digest, key) != key:
            wrong.append(f"{line['item']['id']} has the answer to another question")
    return wrong


def check_files(folder: Path) -> list[str]:
    """Find files that no page names."""
    hidden = [path for path in folder.rglob("*") if path.name.startswith(".") and path.name != ".lock"]
    empty = [path for path in folder.glob("results/*/*/*") if path.is_dir() and not (path / "run.json").exists()]
    return [f"left: {path.relative_to(folder)}" for path in (*hidden, *empty) if "cache" not in path.parts]


def run_words(url: str) -> list[str]:
    """The run that most trials are about."""
    return ["run", "acoustics:pitch", f"items={ITEMS}", f"model={url}", "model.name=m", "preflight=false",
            f"model.concurrency={IN_FLIGHT}"]  # fmt: skip


class Server:
    """A server in a process of its own that tells how often it was asked."""

    def __init__(self) -> None:
        self._process = subprocess.Popen([sys.executable, HERE / "server.py"], stdout=subprocess.PIPE, text=True)
        line = self._process.stdout.readline().split() if self._process.stdout else []
        self.url, self._counts = f"http://127.0.0.1:{line[0]}/v1", Path(line[1])

    def asked(self) -> int:
        """Number of requests so far."""
        return self._counts.stat().st_size

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()


def prepare(folder: Path, server: Server) -> dict[str, list[str]]:
    """A folder with a finished run and results of others, and the commands to be killed in it."""
    folder.mkdir()
    problems = finish(run_words(server.url), folder)
    if problems:
        raise SystemExit(f"the run that trials are about cannot be made: {problems}")
    (run,) = runs_in(folder)
    scores = {"llama3_70b_judge": {"judge_score": 60.0}, "details": TABLE_RESULTS}
    (folder / "sets").mkdir()
    (folder / "sets" / "alpaca_audio_test_llama3_70b_judge_score.json").write_text(json.dumps(scores))
    case = {"question": "Which?", "reference": "a robin", "candidate": "A robin.", "label": "correct"}
    (folder / "judged.jsonl").write_text(json.dumps(case) + "\n" + json.dumps(case | {"candidate": "A cat."}) + "\n")
    name = str(run.relative_to(folder))
    return {
        "run": run_words(server.url),
        "batch": [*run_words(server.url), "batch=true"],
        "judge-check": ["judge-check", f"judge={server.url}", "data=judged.jsonl", "prompt=sakura"],
        "retry": ["retry", name, "--unparsed"],
        "rescore": ["rescore", name],
        "import": ["import", "sets", "--model", "other"],
        "export": ["export", name, "--to", "parquet"],
        "compare": ["compare", name, name],
        "leaderboard": ["leaderboard"],
        "audiogram": ["audiogram", f"model={server.url}", "model.name=m", "trials=8", "dimensions=[duration]",
                      "preflight=false"],
    }  # fmt: skip


def trial(name: str, words: list[str], pristine: Path, server: Server, kill: tuple[str, float]) -> Trial:
    """Kill one command, run it again, and look at what is there."""
    kind, amount = kill
    work = pristine.parent / "work"
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(pristine, work)
    for run in runs_in(work) if name == "retry" else ():  # the copy lies elsewhere, and is trusted as the original is
        finish(["trust", str(run.relative_to(work))], work)
    if name in ("run", "batch", "audiogram"):
        shutil.rmtree(work / "results")
    before = server.asked()
    process = start(words, work, **({"EARMARK_KILL_AT": str(int(amount))} if kind == "step" else {}))
    if kind == "time":
        time.sleep(amount)
        process.kill()
    process.communicate()
    hit = process.returncode == -9
    problems = finish(words, work)
    limit = 2 * ITEMS + IN_FLIGHT if name in ("run", "retry") else None
    if name == "run" and hit and limit and (asked := server.asked() - before) > ITEMS + IN_FLIGHT:
        problems.append(f"{asked} requests for {ITEMS} items")
    for run in runs_in(work) if name in JOURNALS else ():
        problems += check_journal(run, 3 if name == "retry" else 1) + finish(["show", str(run.relative_to(work))], work)
    expected = 2 if name == "import" or (name in ("run", "batch", "audiogram") and not hit) else 1
    if len(runs_in(work)) != expected:
        problems.append(f"{len(runs_in(work))} runs, expected {expected}")
    return Trial(name, f"{kind} {amount:.3g}", hit, problems + check_files(work))


def fault_trial(number: int, place: Path, server: Server) -> Trial:
    """Run at a server that breaks: no traceback, and each question that it answers has its answer."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    url = server.url.replace("/v1", f"/faults/{number}/v1")
    problems = finish([*run_words(url), "max_attempts=2"], place, (0, 4, 6, 7))
    runs = runs_in(place)
    if runs and (runs[0] / "metrics.json").exists():
        wrong = check_journal(runs[0], 1)
        lost = next((int(text.split()[0]) for text in wrong if text.endswith("without an answer")), 0)
        problems += [text for text in wrong if not text.endswith("without an answer")]
        problems += [f"{lost} items without an answer"] if lost > ITEMS / 2 else []
    if runs:
        problems += finish(["show", str(runs[0].relative_to(place))], place, (0, 3))
    return Trial("faults", str(number), True, problems + check_files(place))


def main() -> int:
    """Run the trials and print a table; 1 if anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kills", type=int, default=500, help="kills at random moments that hit")
    parser.add_argument("--steps", type=int, default=60, help="largest step of a command at which it is killed")
    parser.add_argument("--faults", type=int, default=139, help="kinds of faults of a server")
    parser.add_argument("--minutes", type=float, default=60.0, help="no trial begins after so long")
    given = parser.parse_args()
    chance = random.Random(given.seed)  # noqa: S311 - no secret
    server, trials = Server(), list[Trial]()
    until = time.monotonic() + 60 * given.minutes
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        commands = prepare(place / "pristine", server)
        steps = [(name, step) for step in range(1, given.steps + 1) for name in STEPPED]
        faults = [*range(given.faults)]
        chance.shuffle(steps)
        chance.shuffle(faults)
        while time.monotonic() < until and (steps or faults or sum(done.killed for done in trials) < given.kills):
            kind = chance.choices(("fault", "step", "time"), (0.2 * bool(faults), 0.4 * bool(steps), 0.4))[0]
            if kind == "fault":
                trials.append(fault_trial(faults.pop(), place / "faults", server))
            else:
                name, amount = steps.pop() if kind == "step" else (chance.choice([*commands]), chance.uniform(0.3, 4.0))
                trials.append(trial(name, commands[name], place / "pristine", server, (kind, amount)))
            print(*trials[-1][:3], *trials[-1].problems, flush=True)
    server.stop()
    print("\ncommand      trials   hit   wrong")
    for name in (*commands, "faults"):
        mine = [done for done in trials if done.command == name]
        print(f"{name:<12} {len(mine):>6} {sum(done.hit for done in mine):>5} {sum(bool(d.problems) for d in mine):>7}")
    return int(any(done.problems for done in trials))


if __name__ == "__main__":
    sys.exit(main())
