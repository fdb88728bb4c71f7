"""Code that a run names."""

from __future__ import annotations

from pathlib import Path

import pytest
from viewed_runs import NAME, acoustics, record, write_run

from earmark.errors import BadData
from earmark.runs.trust import forget_run
from earmark.viewer.foreign_code import CodePolicy, foreign_names, is_allowed


def test_the_package_names_no_code_of_its_own(tmp_path: Path) -> None:
    run = acoustics(str(tmp_path), "condition=[plain,noise:0]")
    assert foreign_names(run) == []
    CodePolicy(pytest.fail, allowed=False).check(run)


def test_a_module_of_the_working_folder_is_named_first_and_once(tmp_path: Path) -> None:
    run = write_run(tmp_path / "results", [record(0)], scored=False)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "bench.py").write_text("")
    printed: list[str] = []
    policy = CodePolicy(printed.append, folder=tmp_path)
    policy.check(run)
    policy.check(run)
    assert len(printed) == 1
    assert "mine.bench" in printed[0]
    assert str(run) in printed[0]


def test_a_module_of_the_working_folder_is_not_imported_for_a_run_from_elsewhere(tmp_path: Path) -> None:
    run = write_run(tmp_path / "results", [record(0)], scored=False)
    forget_run(run)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "bench.py").write_text("")
    with pytest.raises(BadData, match="the run was not made here; to allow it: earmark trust"):
        CodePolicy(pytest.fail, folder=tmp_path).check(run)


def test_a_module_elsewhere_is_not_imported(tmp_path: Path) -> None:
    run = write_run(tmp_path / "results", [record(0)], scored=False)
    working = tmp_path / "work"
    working.mkdir()
    with pytest.raises(BadData, match="does not lie in the working folder"):
        CodePolicy(pytest.fail, folder=working).check(run)
    (tmp_path / "bench.py").write_text("")
    (working / "mine").mkdir()
    (working / "mine" / "bench.py").symlink_to(tmp_path / "bench.py")
    assert "does not lie in" in is_allowed(CodePolicy(pytest.fail, folder=working), run)


def test_no_code_refuses_it_wherever_it_lies(tmp_path: Path) -> None:
    run = write_run(tmp_path, [record(0)], scored=False)
    assert "--no-code" in is_allowed(CodePolicy(pytest.fail, allowed=False, folder=tmp_path), run)
    assert NAME in str(run)


def test_files_by_their_path(tmp_path: Path) -> None:
    for number, name in enumerate(("../outside.py", "/etc/hostname", "./here.py")):
        run = write_run(tmp_path / f"results-{number}", [record(0)], scored=False, benchmark=name)
        (tmp_path / "here.py").write_text("")
        why = is_allowed(CodePolicy(lambda _: None, folder=tmp_path), run)
        assert (why == "") == (name == "./here.py"), why
