"""Arguments that several commands take: runs, names and settings, and what a shell completes of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from commands import ENV, earmark

from earmark.cli import earmark as program
from earmark.cli._params import RunPath, Word, find_run
from earmark.errors import BadData

COMMANDS = {name: program.get_command(click.Context(program), name) for name in program.list_commands(None)}  # type: ignore[arg-type]
PARAMETERS = [(name, each) for name, command in COMMANDS.items() if command for each in command.params]
RUNS = {"run", "runs", "baseline", "candidate", "old"}


@pytest.fixture
def two() -> list[Path]:
    """Two runs of a model, and a third elsewhere."""
    runs = [Path("results/m/b/2026-01-01_00-00-00"), Path("results/m/b/2026-01-02_00-00-00")]
    for run in (*runs, Path("elsewhere/2025-01-01_00-00-00")):
        run.mkdir(parents=True)
        (run / "run.json").touch()
        (run / "responses.jsonl").write_text("{}\n")
    return runs


def test_every_command_that_takes_a_run_takes_what_stands_for_one() -> None:
    of_runs = [(name, each) for name, each in PARAMETERS if each.name in RUNS]
    assert {name for name, _ in of_runs} > {"show", "compare", "items", "export", "merge", "rescore", "retry", "trust"}
    assert [(name, each.name) for name, each in of_runs if not isinstance(each.type, RunPath)] == []


def test_every_command_that_takes_settings_completes_them() -> None:
    words = [(name, each) for name, each in PARAMETERS if each.name in ("words", "names")]
    assert len(words) > 12
    assert [name for name, each in words if not isinstance(each.type, Word)] == []


def test_what_stands_for_a_run(two: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    older, newer = two
    assert [find_run(Path(text)) for text in ("@", "@1", "@2", "results", "results/m/b")] == [
        newer, newer, older, newer, newer
    ]  # fmt: skip
    assert f"@2: the run is {older}" in capsys.readouterr().err
    assert (find_run(older), capsys.readouterr().err) == (older, "")
    assert find_run(Path("elsewhere")).parent == Path("elsewhere")
    with pytest.raises(BadData, match="@3: 2 runs lie in results; `earmark list runs results` lists those"):
        find_run(Path("@3"))
    with pytest.raises(BadData, match="@0: 2 runs lie"):
        find_run(Path("@0"))
    Path("empty").mkdir()
    with pytest.raises(BadData, match="empty: no run lies in empty"):
        find_run(Path("empty"))


def test_without_results_there_is_no_newest_run() -> None:
    with pytest.raises(BadData, match="@: no run lies in results"):
        find_run(Path("@"))


def test_a_command_for_folders_takes_a_folder_as_it_is(two: list[Path]) -> None:
    assert RunPath(folders=True).convert("results", None, None) == Path("results")
    assert RunPath(folders=True).convert("@2", None, None) == two[0]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("mine.py", "./mine.py"),
        ("mine.py:task", "./mine.py:task"),
        ("model=mine.py/large", "model=./mine.py/large"),
        ("condition=[plain,mine.py:3]", "condition=[plain,./mine.py:3]"),
        ("./mine.py", "./mine.py"),
        ("sub/mine.py", "sub/mine.py"),
        ("other.py", "other.py"),
        ("prompt=mine.py", "prompt=mine.py"),
    ],
)
def test_a_python_file_needs_no_path_before_it(typed: str, meant: str) -> None:
    Path("mine.py").touch()
    assert Word().convert(typed, None, None) == meant


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("run", "acoustics", "--limit", "10", "model=fake"), "no option --limit; settings are words without dashes: limit=10"),
        (("run", "acoustics", "--limit=10"), "without dashes: limit=10;"),
        (("doctor", "--model", "fake"), "without dashes: model=fake;"),
        (("retry", "x", "--max-attempts", "model=fake"), "without dashes: max_attempts=VALUE;"),
        (("leaderboard", "--jsn"), "Did you mean one of: '--csv', '--json'?"),
    ],
)  # fmt: skip
def test_a_setting_with_dashes_is_told_how_it_is_typed(words: tuple[str, ...], message: str) -> None:
    Path("x").mkdir()
    Path("x/run.json").touch()
    done = earmark(*words)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert message in done.stderr


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("earmark lea", {"leaderboard"}),
        ("earmark run acoustics", {"acoustics"}),
        ("earmark run suite", set()),
        ("earmark run acoustics model=loc", {"local"}),
        ("earmark run acoustics model=whisper", {"whisper_tiny"}),
        ("earmark run acoustics condition=no", {"no-media", "noise"}),
        ("earmark show res", {"results/m/b/2026-01-01_00-00-00", "results/m/b/2026-01-02_00-00-00"}),
        ("earmark list sc", {"scorers"}),
        ("earmark info swa", {"swap"}),
    ],
)
def test_bash_completes(line: str, found: set[str], two: list[Path]) -> None:
    assert complete(line) == found


def complete(line: str) -> set[str]:
    """Return what bash completes at the end of a line, by the script that the program prints, its words split as bash's
    COMP_WORDBREAKS does.
    """
    words = line.replace("=", " = ").split()
    script = f"""{script_of("bash")}
COMP_WORDS=({" ".join(words)}); COMP_CWORD={len(words) - 1}
compopt() {{ :; }}
_earmark_completion earmark
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    bash = shutil.which("bash")
    assert bash
    return {
        *subprocess.run(
            [bash, "-c", script], env=program_env(), capture_output=True, text=True, check=True
        ).stdout.split()
    }


def script_of(shell: str) -> str:
    """Return the script that the program prints for a shell."""
    env = program_env() | {"_EARMARK_COMPLETE": f"{shell}_source"}
    return subprocess.run(["earmark"], env=env, capture_output=True, text=True, check=True).stdout


def program_env() -> dict[str, str]:
    """Return an environment whose PATH has the program."""
    folder = Path("bin").resolve()
    folder.mkdir(exist_ok=True)
    (folder / "earmark").write_text(f"#!{sys.executable}\nfrom earmark.cli import main\n\nmain()\n")
    (folder / "earmark").chmod(0o755)
    return ENV | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def test_zsh_and_fish_have_scripts_too() -> None:
    assert script_of("zsh").startswith("#compdef earmark")
    assert "complete --no-files --command earmark" in script_of("fish")
