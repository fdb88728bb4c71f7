"""Commands that start a model server, from the YAML of a model.

The YAML of a model says what its weights need: hf_id, revision, trust_remote_code, dtype, max_model_len,
gpu_memory_utilization, limit_mm_per_prompt, adapter, engine. Its `serve` says the same for a model that is asked behind
a server, and what only a server needs:

    engine    vllm, transformers or llama: which program serves
    program   the program, where it is not called so
    port      the first port
    image     of Docker
    flags     further flags by name: {tokenizer_mode: mistral}; true is a flag alone, mappings are JSON
    env       environment variables

`{snapshot}` in a flag is the folder of the weights in the hub's cache.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct

from earmark.config.folders import yaml_names
from earmark.config.parse import parse_settings
from earmark.data.lora import lora_name, lora_rank
from earmark.errors import BadSetup, UsageError, alternatives

IMAGE: Final = "vllm/vllm-openai:latest"
PROGRAMS: Final = {"vllm": "vllm", "transformers": "transformers", "llama": "llama-server"}
CONTAINER_PORT: Final = 8000
CONTAINER_CACHE: Final = "/root/.cache/huggingface"
ENVIRONMENT: Final = re.compile(r"\$\{oc\.env:(\w+)")
SNAPSHOT: Final = "{snapshot}"
WEIGHTS: Final = (
    *("hf_id", "revision", "trust_remote_code", "dtype", "max_model_len", "gpu_memory_utilization"),
    *("limit_mm_per_prompt", "adapter"),
)


class ServeSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """What a server is started with."""

    hf_id: str = ""
    revision: str | None = None
    trust_remote_code: bool = False
    dtype: str = "auto"
    max_model_len: int | None = None
    gpu_memory_utilization: float | None = None
    limit_mm_per_prompt: dict[str, int] = {}
    adapter: str = ""  # a LoRA: a folder, or ORGANISATION/NAME
    engine: Literal["vllm", "transformers", "llama"] = "vllm"
    program: str = ""
    port: Annotated[int, Meta(ge=1, le=65535)] = 8000
    image: str = IMAGE
    flags: dict[str, Any] = {}
    env: dict[str, str] = {}


class ServedModel(Struct, frozen=True):
    """A model as its YAML has it, and how it is served."""

    name: str  # of the YAML
    names: tuple[str, ...]  # by which it may be asked
    settings: ServeSettings
    variable: str  # of the environment, that holds the endpoint; empty: the YAML names none
    backend: str  # of its YAML

    @property
    def endpoint_variable(self) -> str:
        return self.variable or f"EARMARK_{re.sub(r'[^A-Z0-9]+', '_', self.name.upper())}_ENDPOINT"


def read_model(name: str, overrides: Mapping[str, Any]) -> ServedModel:
    """Read the YAML of a model, with settings that differ. Raises UsageError for one that names no weights."""
    known = yaml_names("model")
    if name not in known:
        raise UsageError(f"no model is called '{name}'{alternatives(name, servable())}")
    model = load_yaml(known[name])
    serve = dict(model.get("serve") or {})
    engine: dict[str, Any] = dict(model.get("engine") or {})
    given = {key: model[key] for key in WEIGHTS if model.get(key) is not None}
    merged = given | {"flags": engine} | serve | dict(overrides)
    merged["flags"] = {**engine, **serve.get("flags", {}), **dict(overrides.get("flags", {}))}
    settings = parse_settings(ServeSettings, merged, "serve.")
    if not settings.hf_id:
        raise UsageError(
            f"{known[name]}: names no weights (hf_id: ORGANISATION/NAME); there are: {', '.join(servable())}"
        )
    if settings.adapter:
        names = [str(model.get("name") or lora_name(settings.adapter))]
    else:
        names = list(dict.fromkeys(filter(None, (str(model.get("name") or ""), settings.hf_id))))
    found = ENVIRONMENT.search(str(model.get("base_url", "")))
    return ServedModel(name, tuple(names), settings, found[1] if found else "", str(model.get("backend", "")))


def servable() -> list[str]:
    """The names of the models whose YAML names weights."""
    names = []
    for name, path in yaml_names("model").items():
        model = load_yaml(path)
        if model.get("hf_id") or (model.get("serve") or {}).get("hf_id"):
            names.append(name)
    return names


def load_yaml(path: Path) -> dict[str, Any]:
    """The settings in the YAML of a model, its interpolations as they stand. Raises UsageError for any other."""
    from omegaconf import OmegaConf  # noqa: PLC0415 - with Hydra, which few commands load
    from yaml import YAMLError  # noqa: PLC0415

    try:
        content = OmegaConf.to_container(OmegaConf.load(path))
    except (YAMLError, OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: is no YAML of settings ({' '.join(str(error).split())})") from error
    return {str(key): value for key, value in content.items()} if isinstance(content, dict) else {}


# ---------------------------------------------------------------- commands


def local_command(model: ServedModel, port: int) -> list[str]:
    """The command of a server in this machine's own Python."""
    settings = model.settings
    program = settings.program or PROGRAMS[settings.engine]
    address = ["--host", "127.0.0.1", "--port", str(port)]
    if settings.engine == "transformers":
        trust = ["--trust-remote-code"] if settings.trust_remote_code else []
        dtype = ["--dtype", settings.dtype] if settings.dtype != "auto" else []
        return [program, "serve", settings.hf_id, *address, *trust, *dtype, *flag_words(settings.flags)]
    if settings.engine == "llama":
        weights = ["--model" if settings.hf_id.endswith(".gguf") else "--hf-repo", settings.hf_id]
        context = ["--ctx-size", str(settings.max_model_len)] if settings.max_model_len else []
        return [program, *weights, *address, *context, *flag_words(settings.flags)]
    return [program, "serve", settings.hf_id, *address, *vllm_flags(model)]


def docker_command(model: ServedModel, port: int, container: str, devices: str = "all") -> list[str]:
    """The command that starts a container with vLLM's own image. Raises UsageError for another engine."""
    settings = model.settings
    if settings.engine != "vllm":
        raise UsageError(f"--docker: serves with vLLM, and {model.name} is served by {settings.engine}")
    home = Path(os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface")
    words = ["docker", "run", "--rm", "--detach", "--name", container, "--gpus", devices, "--ipc=host"]
    words += ["--publish", f"127.0.0.1:{port}:{CONTAINER_PORT}", "--volume", f"{home}:{CONTAINER_CACHE}"]
    for place in (settings.hf_id, settings.adapter):
        if place and Path(place).expanduser().is_dir():
            folder = Path(place).expanduser().resolve()
            words += ["--volume", f"{folder}:{folder}:ro"]
    words += ["--env", "HF_TOKEN"] if os.environ.get("HF_TOKEN") else []
    for key, value in settings.env.items():
        words += ["--env", f"{key}={value}"]
    flags = [word.replace(str(home), CONTAINER_CACHE) for word in vllm_flags(model)]
    return [*words, settings.image, "--model", _place(settings.hf_id), *flags]


def _place(path: str) -> str:
    folder = Path(path).expanduser()
    return str(folder.resolve()) if folder.is_dir() else path


def vllm_flags(model: ServedModel) -> list[str]:
    """The flags of `vllm serve` that the settings of a model stand for."""
    settings = model.settings
    flags: dict[str, Any] = {"served_model_name": list(model.names)}
    if settings.adapter:
        name, rank = model.names[0], lora_rank(settings.adapter)
        flags["served_model_name"] = [settings.hf_id]
        flags |= {"enable_lora": True, "lora_modules": [f"{name}={_place(settings.adapter)}"]}
        flags |= {"max_lora_rank": rank} if rank else {}
    for key in ("revision", "max_model_len", "gpu_memory_utilization"):
        flags |= {key: value} if (value := getattr(settings, key)) is not None else {}
    flags |= {"trust_remote_code": True} if settings.trust_remote_code else {}
    flags |= {"dtype": settings.dtype} if settings.dtype != "auto" else {}
    flags |= {"limit_mm_per_prompt": settings.limit_mm_per_prompt} if settings.limit_mm_per_prompt else {}
    return flag_words(flags | settings.flags)


def flag_words(flags: Mapping[str, Any]) -> list[str]:
    """Flags as words of a command line.

    >>> flag_words({"enforce_eager": True, "limit": {"audio": 2}, "port": 1, "lora_modules": ["a=b", "c"]})
    ['--enforce-eager', '--limit', '{"audio": 2}', '--port', '1', '--lora-modules', 'a=b', 'c']
    """
    words: list[str] = []
    for name, value in flags.items():
        flag = "--" + name.replace("_", "-")
        if isinstance(value, bool):
            words.append(flag if value else "--no-" + name.replace("_", "-"))
        elif isinstance(value, list):
            words += [flag, *map(str, value)]
        elif value is not None:
            words += [flag, json.dumps(value) if isinstance(value, dict) else str(value)]
    return words


def expand_snapshot(command: Sequence[str], model: ServedModel) -> list[str]:
    """A command with the folder of the weights for `{snapshot}`, downloaded where it is not there."""
    if not any(SNAPSHOT in word for word in command):
        return list(command)
    from huggingface_hub import snapshot_download  # noqa: PLC0415 - a quarter of a second
    from huggingface_hub.errors import HTTPError, OfflineModeIsEnabled  # type: ignore[attr-defined] # noqa: PLC0415

    try:
        folder = snapshot_download(model.settings.hf_id, revision=model.settings.revision)
    except (HTTPError, OfflineModeIsEnabled, OSError) as error:
        message = " ".join(str(error).split())[:300]
        raise BadSetup(
            f"{model.settings.hf_id} cannot be fetched ({message}); check the network and the name"
        ) from error
    return [word.replace(SNAPSHOT, folder) for word in command]
