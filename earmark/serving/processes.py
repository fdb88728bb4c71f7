"""Servers that were started: kept in a file each, so that another command finds and stops them."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from earmark.data.cache import atomic_write, cache_dir
from earmark.errors import BadSetup

POLL_INTERVAL: Final = 0.5  # seconds between two looks at a server that comes up
STOP_TIMEOUT: Final = 30.0  # seconds after which a server that was asked to stop is killed
LOG_LINES: Final = 12  # of a server that ended before it answered


class Server(Struct, frozen=True):
    """A server that was started."""

    model: str
    port: int
    command: list[str]
    log: str
    pid: int = 0  # 0: a container
    started: str = ""  # when the process began, as the system tells: another process may get its number
    container: str = ""

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"

    @property
    def note(self) -> Path:
        return cache_dir("servers") / f"{self.model}-{self.port}.json"


def running_servers() -> list[Server]:
    """The servers that were started and still run; notes of others are removed."""
    servers = []
    for path in sorted(cache_dir("servers").glob("*.json")):
        try:
            server = msgspec.json.decode(path.read_bytes(), type=Server)
        except (msgspec.MsgspecError, OSError):
            continue
        if is_running(server):
            servers.append(server)
        else:
            path.unlink(missing_ok=True)
    return servers


def is_running(server: Server) -> bool:
    """True if the process or the container of a server is there."""
    if server.container:
        done = _docker("inspect", "--format", "{{.State.Running}}", server.container)
        return done is not None and done.stdout.strip() == "true"
    return bool(server.started) and _start_time(server.pid) == server.started


def _start_time(pid: int) -> str:
    """When a process began, in ticks since the system did; empty for none, or for one that has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] == "Z" else fields[19]


def _docker(*words: str) -> subprocess.CompletedProcess[str] | None:
    try:
        return subprocess.run(["docker", *words], capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None


def start_process(model: str, port: int, command: Sequence[str], env: Mapping[str, str]) -> Server:
    """Start a server in a process of its own, which outlives this one. Raises BadSetup where its program is missing."""
    if shutil.which(command[0]) is None:
        raise BadSetup(
            f"{command[0]} is not on PATH; install it in an environment of its own and activate that, name the program "
            "with serve.program=PATH, or serve in a container with --docker"
        )
    log = cache_dir("servers") / f"{model}-{port}.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            list(command), env=os.environ | dict(env), stdout=out, stderr=subprocess.STDOUT, start_new_session=True
        )
    process.returncode = 0  # nobody waits for it here: it goes on when this command has ended
    server = Server(model, port, list(command), str(log), process.pid, _start_time(process.pid))
    atomic_write(server.note, msgspec.json.encode(server))
    return server


def start_container(model: str, port: int, command: Sequence[str], container: str) -> Server:
    """Start a container. Raises BadSetup where docker is missing or refuses."""
    if shutil.which("docker") is None:
        raise BadSetup("docker is not on PATH; install Docker, or serve without --docker")
    done = subprocess.run(list(command), capture_output=True, text=True, check=False)
    if done.returncode:
        raise BadSetup(f"docker run ended with status {done.returncode}: {' '.join(done.stderr.split())[:500]}")
    server = Server(model, port, list(command), f"docker logs {container}", container=container)
    atomic_write(server.note, msgspec.json.encode(server))
    return server


def wait_until_healthy(server: Server, seconds: float, log: Callable[[str], object]) -> None:
    """Wait until a server answers. Raises BadSetup where it ends before that, or does not answer in time."""
    until, reported = time.monotonic() + seconds, 0.0
    began = time.monotonic()
    while not is_healthy(server):
        if not is_running(server):
            server.note.unlink(missing_ok=True)
            raise BadSetup(f"the server of {server.model} ended before it answered; {_last_lines(server)}")
        if time.monotonic() > until:
            raise BadSetup(
                f"{server.url} does not answer after {seconds:g} s; it goes on starting, see {server.log}; --wait "
                f"SECONDS waits longer, earmark serve {server.model} --stop ends it"
            )
        if time.monotonic() - reported > 15:
            reported = time.monotonic()
            log(f"waiting for {server.url} ({reported - began:.0f} s; log: {server.log})")
        time.sleep(POLL_INTERVAL)


def is_healthy(server: Server) -> bool:
    """True if a server answers at /health, or lists its models where it has no such address."""
    for path in ("/health", "/v1/models"):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{server.port}{path}", timeout=5) as reply:
                return bool(reply.status == 200)
        except urllib.error.HTTPError as error:
            if error.code != 404:
                return False
        except (urllib.error.URLError, OSError):
            return False
    return False


def _last_lines(server: Server) -> str:
    """The end of the log of a server that has ended."""
    if server.container:
        return f"see {server.log}"
    lines = Path(server.log).read_text(encoding="utf-8", errors="replace").splitlines()
    end = " | ".join(line.strip() for line in lines[-LOG_LINES:] if line.strip())
    return f"its last words: {end or 'none'} (log: {server.log})"


def stop(server: Server) -> None:
    """Stop a server: it is asked to end, and killed where it does not."""
    if server.container:
        _docker("stop", server.container)
    else:
        for kind in (signal.SIGTERM, signal.SIGKILL):
            if is_running(server):
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(server.pid, kind)
                _wait_for_end(server)
    server.note.unlink(missing_ok=True)


def _wait_for_end(server: Server) -> None:
    until = time.monotonic() + STOP_TIMEOUT
    while is_running(server) and time.monotonic() < until:
        time.sleep(0.1)


@contextlib.contextmanager
def stop_on_interrupt(servers: list[Server]) -> Iterator[None]:
    """Context that stops servers which were started where it is left by an interrupt."""
    try:
        yield
    except KeyboardInterrupt:
        for server in servers:
            stop(server)
        raise
