"""Start a model server, wait until it answers, and print the command that asks it."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Any

import click

from earmark.cli._params import Name, Word
from earmark.errors import UsageError
from earmark.terminal.console import log_to_stderr, print_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from earmark.serving.commands import ServedModel
    from earmark.serving.processes import Server


@click.command()
@click.argument("name", type=Name("models"), required=False)
@click.argument("words", nargs=-1, type=Word(), metavar="SETTING...")
@click.option("--list", "listed", is_flag=True, help="List the models that can be served, and the running servers.")
@click.option("--stop", "stopped", is_flag=True, help="Stop the servers of NAME; without a name all of them.")
@click.option("--dry-run", is_flag=True, help="Print the command, without starting anything.")
@click.option("--docker", is_flag=True, help="Serve in a container of vLLM's own image.")
@click.option("--replicas", type=click.IntRange(1, 64), default=1, show_default=True, help="Servers, on as many ports.")
@click.option("--wait", type=click.FloatRange(min=0), default=1800.0, show_default=True, help="Seconds to wait.")
def command(
    name: str | None,
    words: tuple[str, ...],
    *,
    listed: bool,
    stopped: bool,
    dry_run: bool,
    docker: bool,
    **options: Any,
) -> None:
    """Serve the model of a YAML: earmark serve NAME [serve.KEY=VALUE]...

    \b
    earmark serve voxtral_mini_3b --dry-run
    earmark serve voxtral_mini_3b serve.port=8009
    earmark serve gemma4_e2b --replicas 2 serve.max_model_len=2048
    earmark serve voxtral_mini_3b --stop

    The settings are those of docs/serving.md; serve.flags.NAME=VALUE is any flag of the server.
    """
    if listed:
        _list()
    elif stopped:
        _stop(name)
    elif name is None:
        raise UsageError("earmark serve: name a model, such as voxtral_mini_3b; --list shows them")
    else:
        _serve(name, words, dry_run=dry_run, docker=docker, **options)


def _serve(name: str, words: Sequence[str], *, dry_run: bool, docker: bool, replicas: int, wait: float) -> None:
    from earmark.serving.commands import docker_command, expand_snapshot, local_command, read_model
    from earmark.serving.processes import start_container, start_process, stop_on_interrupt, wait_until_healthy

    model = read_model(name, read_overrides(words))
    servers: list[Server] = []
    with stop_on_interrupt(servers):
        for replica in range(replicas):
            port, container = model.settings.port + replica, f"earmark-{name}-{model.settings.port + replica}"
            devices = _devices(model, replica) if replicas > 1 else ""
            where = f'"device={devices}"' if devices else "all"
            line = docker_command(model, port, container, where) if docker else local_command(model, port)
            env = model.settings.env | ({"CUDA_VISIBLE_DEVICES": devices} if devices else {})
            if dry_run:
                prefix = "" if docker else " ".join(f"{key}={shlex.quote(value)} " for key, value in env.items())
                print_line(prefix + shlex.join(line))
                continue
            _check_port(name, port)
            line = expand_snapshot(line, model)
            print_line(f"starting: {shlex.join(line)}")
            servers.append(
                start_container(name, port, line, container) if docker else start_process(name, port, line, env)
            )
        for server in servers:
            wait_until_healthy(server, wait, log_to_stderr)
    if servers:
        _show_use(model, servers)


def _check_port(name: str, port: int) -> None:
    """Raise UsageError where something answers at a port already."""
    import socket

    with socket.socket() as probe:
        probe.settimeout(2)
        if probe.connect_ex(("127.0.0.1", port)) == 0:
            raise UsageError(f"port {port} is taken; earmark serve {name} --stop frees it, serve.port=N moves")


def _devices(model: ServedModel, replica: int) -> str:
    """The GPUs of one of several replicas, as many as its tensor_parallel_size says; empty where they are too few."""
    count = int(model.settings.flags.get("tensor_parallel_size", 1))
    given = os.environ.get("CUDA_VISIBLE_DEVICES", "")
    known = given.split(",") if given else [str(index) for index in range(count * (replica + 1))]
    return ",".join(known[count * replica : count * (replica + 1)])


def _show_use(model: ServedModel, servers: Sequence[Server]) -> None:
    """Print the endpoint and the command that asks it."""
    first = servers[0]
    if len(servers) == 1:
        print_line(f"{model.name} answers at {first.url}/v1", f"export {model.endpoint_variable}={first.url}")
        url = "" if model.variable else f" model.backend=openai model.base_url={first.url}/v1"
        print_line(f"earmark run BENCHMARK model={model.name}{url}")
    else:
        urls = ",".join(f"{server.url}/v1" for server in servers)
        print_line(*(f"{model.name} answers at {server.url}/v1" for server in servers))
        print_line(f"earmark run BENCHMARK model=spread 'model.urls=[{urls}]' model.endpoint.name={model.names[0]}")
    print_line(f"earmark serve {model.name} --stop")


def _list() -> None:
    from earmark.cli._tables import show_table
    from earmark.serving.commands import read_model, servable
    from earmark.serving.processes import is_healthy, running_servers

    models = [read_model(name, {}) for name in servable()]
    lines = [(one.name, one.settings.hf_id, one.settings.engine, one.endpoint_variable) for one in models]
    show_table("models", ("model", "weights", "server", "endpoint variable"), lines, words=4)
    for server in running_servers():
        state = "answers" if is_healthy(server) else "is starting"
        print_line(f"{server.model} {state} at {server.url}/v1 ({server.container or f'process {server.pid}'})")


def _stop(name: str | None) -> None:
    from earmark.serving.processes import running_servers, stop

    servers = [server for server in running_servers() if name in (None, server.model)]
    if not servers:
        print_line(f"no server{f' of {name}' if name else ''} is running")
    for server in servers:
        stop(server)
        print_line(f"stopped {server.model} at {server.url}")


def read_overrides(words: Sequence[str]) -> dict[str, Any]:
    """The settings of a server that words give. Raises UsageError for any other word.

    >>> read_overrides(["serve.port=8009", "serve.flags.enforce_eager=true"])
    {'port': 8009, 'flags': {'enforce_eager': True}}
    """
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException
    from yaml import YAMLError

    for word in words:
        if not word.startswith(("serve.", "model.")) or "=" not in word:
            raise UsageError(
                f"{word}: sets nothing of earmark serve; expected serve.KEY=VALUE, such as serve.port=8009"
            )
    plain = [word.partition(".")[2] for word in words]
    try:
        given = OmegaConf.to_container(OmegaConf.from_dotlist(plain))
    except (OmegaConfBaseException, YAMLError) as error:
        raise UsageError(f"{' '.join(words)}: cannot be read ({' '.join(str(error).split())})") from error
    return {str(key): value for key, value in given.items()} if isinstance(given, dict) else {}
