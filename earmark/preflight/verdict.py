"""Verdict of the preflight, from the answers to its probes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from earmark.journal import AudioSent
from earmark.preflight.probes import NOISE, NOTHING, SAME_TONE, SILENCE, TONE

Verdict: TypeAlias = Literal["audio_received", "inconclusive", "no_audio", "error"]
Wording: TypeAlias = Literal["the benchmark's", "open"]


class Probe(Struct, frozen=True, omit_defaults=True):
    """One question of the preflight, and what came of it."""

    wording: Wording
    sound: str
    reply: str = ""
    stop: str = "end"
    transcripts: tuple[str, ...] = ()  # a cascade's transcripts
    tokens_in: int = 0
    tokens_sound: int = 0
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    failure: str = ""


class PreflightReport(Struct, frozen=True):
    """Preflight report on one model."""

    model: str
    verdict: Verdict
    why: str
    sent: tuple[AudioSent, ...]  # one question's sound, as it was sent
    probes: tuple[Probe, ...]
    remarks: tuple[str, ...] = ()


def judge_probes(probes: Sequence[Probe]) -> tuple[Verdict, str]:
    """Verdict and its reason."""
    failed = next((probe for probe in probes if probe.failure and probe.sound != NOTHING), None)
    if failed:
        return "error", f"asked about {failed.sound}: {failed.failure}"
    rounds = [
        {probe.sound: probe for probe in probes if probe.wording == words and not probe.failure}
        for words in dict.fromkeys(probe.wording for probe in probes)
    ]
    counts = next((text for asked in rounds if (text := _audio_counting(asked))), "")
    if counts or any(_depends_on_audio(asked) for asked in rounds):
        return "audio_received", counts or "replies differ with the sound"
    if all(_all_same(asked) for asked in rounds):
        tone = rounds[-1][TONE]
        return "no_audio", (
            f"the same reply ({_quote(tone.reply)}) and the same {tone.tokens_in} tokens in for a tone, noise, silence "
            "and no audio"
        )
    return "inconclusive", _doubts(rounds)


def _doubts(rounds: Sequence[Mapping[str, Probe]]) -> str:
    """Reason of an inconclusive verdict."""
    if heard := rounds[-1][TONE].transcripts:
        transcript = _quote(" ".join(heard))
        return f"it transcribes speech, and these sounds hold none; its transcript of a tone is {transcript}"
    if not any(NOTHING in asked for asked in rounds):
        return "the same reply to every sound; none of them holds words, so a recogniser may be right"
    if any(asked[TONE].reply != asked[SAME_TONE].reply for asked in rounds):
        return "replies vary for the same sound, and the server counts no audio tokens"
    return "the same reply to every sound, and the server does not count its tokens"


def _audio_counting(asked: Mapping[str, Probe]) -> str:
    """Describe how the server counts audio tokens, if it does."""
    tone, nothing = asked[TONE], asked.get(NOTHING)
    if tone.transcripts:  # a transcript has tokens, whatever was heard
        return ""
    differ = "replies differ with the sound; " if _depends_on_audio(asked) else ""
    if nothing and nothing.tokens_in and tone.tokens_in > nothing.tokens_in:
        return f"{differ}the server counts it ({tone.tokens_in} tokens in, {nothing.tokens_in} without)"
    if tone.tokens_sound:
        return f"{differ}the server counts it ({tone.tokens_sound} audio tokens)"
    return ""


def _depends_on_audio(asked: Mapping[str, Probe]) -> bool:
    """True if the same sound gives the same reply, and another sound another."""
    return (
        asked[TONE].reply == asked[SAME_TONE].reply and len({asked[name].reply for name in (TONE, NOISE, SILENCE)}) > 1
    )


def _all_same(asked: Mapping[str, Probe]) -> bool:
    """True if every sound, and none, gives the same reply and the same count of tokens."""
    return (
        NOTHING in asked
        and asked[TONE].tokens_in > 0
        and not asked[TONE].transcripts
        and len({(probe.reply, probe.tokens_in) for probe in asked.values()}) == 1
    )


def _quote(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}...")


def remarks(probes: Sequence[Probe], verdict: Verdict) -> list[str]:
    """Further remarks on the answers."""
    answered = [probe for probe in probes if not probe.failure and probe.sound != NOTHING]
    lines = list(dict.fromkeys(note for probe in answered for note in probe.notes))
    if not any(probe.reply for probe in answered) and any(
        probe.sound == NOTHING and not probe.failure for probe in probes
    ):
        cut = any(probe.stop == "length" for probe in answered)
        lines.append(f"every reply was empty{'; raise model.max_tokens for a reasoning model' if cut else ''}")
    elif verdict == "audio_received" and len({probe.reply for probe in answered}) == 1:
        lines.append(
            f"every reply was the same ({_quote(answered[0].reply)}): the audio was counted, but may not be understood"
        )
    return lines


def report_lines(report: PreflightReport) -> Iterator[str]:
    """Format a report in a few lines."""
    yield f"preflight: {report.verdict}: {report.model}: {report.why}"
    for sound in report.sent[:1]:
        channels = f"{sound.channels} channel{'s' if sound.channels > 1 else ''}"
        yield f"  sent as {sound.format}, {sound.rate} Hz, {channels}, {sound.seconds:.2f} s, {sound.bytes:,} bytes"
    for remark in report.remarks:
        yield f"  {remark}"
