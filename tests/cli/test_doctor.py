"""`earmark doctor`: what it finds of a model."""

from __future__ import annotations

from commands import earmark
from hearing_servers import SERVERS
from servers import said, serving


def test_doctor_tells_what_it_found() -> None:
    with serving(lambda body, _: SERVERS["hears"][0](body), preflight=True) as server:
        done = earmark("doctor", f"model={server.url}")
        assert done.returncode == 0, done.stderr
        assert "preflight: audio_received: test-model: replies differ with the sound" in done.stdout
        assert "the same tone" in done.stdout
        done = earmark("doctor", "acoustics:pitch", f"model={server.url}")
        assert "the benchmark's" in done.stdout
    with serving(lambda *_: said("A"), preflight=True) as server:
        done = earmark("doctor", f"model={server.url}")
        assert done.returncode == 4
        assert "test-model receives no audio: the same reply ('A')" in done.stderr
