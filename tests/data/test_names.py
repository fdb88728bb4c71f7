"""Names of files and folders."""

from __future__ import annotations

from earmark.data.names import RESERVED, safe_name


def test_names_are_safe_everywhere_and_never_meet() -> None:
    given = ["http://host:8000/v1", "org/a_b", "org_a/b", 'm?*<>|"x', "CON", "con.txt", "..", "", "a" * 300, "音频"]
    made = [safe_name(name) for name in given]
    assert len(set(made)) == len(given)
    for name in made:
        assert not set(name) & set('\\/:*?"<>|')
        assert name.lower().partition(".")[0] not in RESERVED
        assert 0 < len(name) < 100
    assert safe_name("gemma4-e2b") == "gemma4-e2b"
