"""The command line: what a newcomer types, and one clear line with a documented status for what is wrong."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner
from commands import ENV, earmark
from reply_files import complaint
from servers import said, serving

from earmark import cli, errors
from earmark.plugins import display_name, find_plugin, plugin_names

DOCS = Path(__file__).parents[2] / "docs"


def write_parquet(path: Path, query: str) -> None:
    duckdb.connect().execute(f"copy ({query}) to '{path}' (format parquet)")


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (["run", "beeps", "model=fake"], 2, "no benchmark or suite is called 'beeps'; there are: acoustic"),
        (["run", "model=fake"], 2, "no benchmark is named"),
        (
            ["run", "acoustics:colour", "model=fake"],
            2,
            "acoustics has no task 'colour'; did you mean contour? There are: pitch, loudness",
        ),
        (["run", "acoustics", "model=nobody"], 2, "no model is called 'nobody'; there are:"),
        (["run", "acoustics", "model=fake", "items=many"], 2, "items='many'"),
        (
            ["run", "acoustics", "model=fake", "colour=red"],
            2,
            "there are: seed, items, split (of acoustics), condition, limit,",
        ),
        (
            ["run", "acoustics", "model=fake", "model.colour=red"],
            2,
            "no setting is called 'model.colour'; did you mean",
        ),
        (["run", "acoustics", "model=fake", "limit=few"], 2, "limit='few'"),
        (["run", "acoustics", "model=fake", "condition=underwater"], 2, "no condition is called 'underwater'"),
        (["run", "acoustics", "model=fake", "condition=[plain"], 2, "[plain: is no list; expected one such as [plain,"),
        (["run", "acoustics", "model=fake", "model.name=\udcff"], 2, "'\\udcff' is no text; expected letters in UTF-8"),
        (["run", "acoustics", "model=fake", "model.concurrency=1000000000"], 2, "model.concurrency=1000000000"),
        (
            ["run", "acoustics", "model=fake", "model.capabilities={format: wav}"],
            2,
            "model.capabilities={'format': 'wav'}",
        ),
        (["run", "acoustics", "model=fake", "condition=noise"], 2, "noise takes a ratio in decibels"),
        (["run", "acoustics", "model=fake", "condition=silence:3"], 2, "silence takes no argument"),
        (["run", "acoustics", "model=fake", "condition=[]"], 2, "condition=[] names no condition"),
        (["run", "acoustics", "model=fake", "condition=[noise:10.0]", "noise=[10]"], 2, "noise:10 is named twice"),
        (["run", "acoustics", "model=fake", "=3"], 2, "'=3' is no setting"),
        (["run", "no.such.module", "model=fake"], 2, "no module 'no.such.module' can be imported"),
        (["run", "acoustics", "model=fake", "items=0"], 3, "found no item to ask about"),
        (
            ["run", "mine.bench", "model=fake", "twice=true"],
            3,
            "the id 'item-0' stands for two items, number 1 and number 2",
        ),
        (["run", "listen", "model=fake"], 2, "listen needs its data; type earmark fetch listen, or give data=FOLDER"),
        (["run", "listen", "model=fake", "data=nowhere"], 3, "nowhere: no such folder"),
        (["run", "acoustics", "model=http://127.0.0.1:9/v1"], 4, "nothing answers at http://127.0.0.1:9/v1"),
        (["show", "nowhere"], 3, "nowhere: is no run"),
        (["info", "beeps"], 2, "nothing is called 'beeps'"),
        (["score"], 2, "Missing argument 'FILE'; see: "),
        (
            ["run", "../beeps", "model=fake"],
            2,
            "no benchmark is called '../beeps'; a file is given by its path, which ends in .py",
        ),
        (["show", "/dev/null"], 3, "/dev/null: is no run"),
        (["rescore", "a" * 300], 3, "File name too long"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(words: list[str], status: int, told: str) -> None:
    found, line = complaint(*words)
    assert told in line
    assert found == status
    assert not Path("results").exists(), "nothing may be left behind"


def test_an_empty_folder_and_broken_parquet_are_told(tmp_path: Path) -> None:
    status, line = complaint("run", "listen", "model=fake", f"data={tmp_path}")
    assert (status, "found no parquet file" in line) == (3, True)
    (tmp_path / "train-0.parquet").write_bytes(b"PAR1 cut short")
    status, line = complaint("run", "listen", "model=fake", f"data={tmp_path}")
    assert (status, "cannot be read as parquet" in line) == (3, True)
    write_parquet(tmp_path / "train-0.parquet", "select 'x' as id, 3 as question")
    status, line = complaint("run", "listen", "model=fake", f"data={tmp_path}")
    assert (status, "column 'question' has type INTEGER, expected VARCHAR" in line) == (3, True)
    write_parquet(tmp_path / "train-0.parquet", "select 'x' as id")
    status, line = complaint("run", "listen", "model=fake", f"data={tmp_path}")
    assert (status, "found no column 'question'" in line) == (3, True)
    status, line = complaint("run", "listen", "model=fake", f"data={tmp_path}", "split=test")
    assert (status, "expected files of the split 'test'" in line) == (3, True)


@pytest.mark.parametrize("words", [("list",), ("run", "mine.bench", "model=fake")])
@pytest.mark.parametrize(("to", "status"), [("| true", 0), (">/dev/full", 6), (">&-", 0), (">&- 2>&-", 0)])
def test_output_that_nobody_takes_is_no_bug(words: tuple[str, ...], to: str, status: int) -> None:
    command = f"set -o pipefail; {sys.executable} -m earmark {' '.join(words)} {to}"
    done = subprocess.run(["bash", "-c", command], env=ENV, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr


def test_a_name_that_is_no_text_is_shown_by_its_bytes() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "earmark", "probe", b"\xff"], env=ENV, capture_output=True, check=False
    )
    assert done.returncode == 3
    assert b"\\udcff" in done.stdout


def test_a_module_that_cannot_be_imported_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package, text in (("torn_bench", "def load(:"), ("poor_bench", "import no_such_package")):
        (tmp_path / package).mkdir()
        (tmp_path / package / "items.py").write_text(text)
    monkeypatch.setitem(ENV, "PYTHONPATH", str(tmp_path))
    status, line = complaint("run", "torn_bench.items", "model=fake")
    assert (status, "items.py, line 1" in line) == (2, True)
    status, line = complaint("run", "poor_bench.items", "model=fake")
    assert (status, "needs 'no_such_package'" in line) == (4, True)


def test_every_command_has_help() -> None:
    for name in plugin_names("cli"):
        done = earmark(name, "--help")
        assert done.returncode == 0
        assert "Usage" in done.stdout
    listed = earmark("--help").stdout
    assert all(f"  {name.replace('_', '-')}" in listed for name in plugin_names("cli"))


def test_a_key_never_reaches_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    import commands

    monkeypatch.setitem(commands.ENV, "OPENAI_API_KEY", "sk-secret-123")
    with serving(lambda *_: said("A")) as server:
        words = ("acoustics:pitch", "items=4", f"model={server.url}", "model.api_key_env=OPENAI_API_KEY")
        assert earmark("run", *words).returncode == 0
    assert server.keys == {"Bearer sk-secret-123"}
    written = [path for path in Path("results").rglob("*") if path.is_file()]
    assert len(written) > 5
    assert not any(b"sk-secret-123" in path.read_bytes() for path in written)


def test_a_folder_of_the_users_own_goes_before_the_packaged_one() -> None:
    Path("conf/model").mkdir(parents=True)
    Path("conf/suite").mkdir()
    Path("conf/model/fake.yaml").write_text("# mine\nbackend: fake\nreply: B\nname: mine\n")
    Path("conf/model/other.yaml").write_text("# other\nbackend: fake\nname: other\n")
    Path("conf/suite/short.yaml").write_text(
        "title: Short\nsettings: {items: 2, model: other}\nlines: ['acoustics:pitch', 'acoustics:loudness']"
    )
    assert earmark("run", "acoustics:pitch", "items=2", "model=fake").returncode == 0
    assert earmark("run", "short", "model=fake", "model.name=both").returncode == 0
    assert {path.name for path in Path("results").iterdir()} == {"mine", "both", "suites"}
    assert "other" in earmark("list", "models").stdout


def test_a_line_of_a_suite_that_stops_does_not_hide_the_numbers_of_those_before_it() -> None:
    Path("conf/suite").mkdir(parents=True)
    Path("conf/suite/both.yaml").write_text(
        "title: Both\nlines: [{benchmark: mine.bench, settings: {items: 2}}, {benchmark: mine.bench, settings: {twice: true}}]"
    )
    done = earmark("run", "both", "model=fake")
    assert done.returncode == 3
    assert "the id 'item-0' stands for two items" in done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert any(line[:1] == ["mine.bench"] and "accuracy" in line for line in lines)
    assert any(line[:3] == ["mine.bench", "(2)", "no"] for line in lines)


def test_the_docs_list_every_exit_status() -> None:
    page = (DOCS / "errors.md").read_text()
    for error in errors.EarmarkError.__subclasses__():
        if error.status != 1:
            assert f"| {error.status} | `{error.__name__}`" in page


@pytest.mark.parametrize("name", plugin_names("cli"))
def test_help_fits_80_columns(name: str) -> None:
    """Lines of examples are never broken, so they must be short enough."""
    runner = CliRunner(env={"COLUMNS": "80"})
    found = runner.invoke(find_plugin("cli", name).module.command, ["--help"], terminal_width=80)
    assert found.exit_code == 0
    assert not [line for line in found.output.splitlines() if len(line) > 80]
    assert not [line for line in found.output.splitlines() if line.startswith("  earmark ") and len(line) > 2 + 76]


def test_every_command_is_in_one_group_of_the_help() -> None:
    found = CliRunner().invoke(cli.earmark, ["--help"])
    listed = [line.split()[0] for line in found.output.splitlines() if line.startswith("  ") and line[2:3].isalpha()]
    for name in plugin_names("cli"):
        assert listed.count(display_name("cli", name)) == 1
    assert set(cli.GROUPS) - {"Other"} <= set(re.findall(r"^([A-Z].*):$", found.output, re.MULTILINE))
