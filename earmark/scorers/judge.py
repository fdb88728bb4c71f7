"""A judge: another model reads the answer and decides.

Prompts have names (`prompt=`) and are of three kinds. Of the answers that got a verdict,

    rating   rating = sum of ratings / judged, on the scale of the prompt
             normalised = (rating - lowest) / (highest - lowest)
    word     accuracy = verdicts "right" / judged
    pair     the reference and the answer are rated side by side, once in either order
             rating = sum of the answers' ratings / judged, each the mean of both orders
             reference = the same of the references / those that were asked about
             win_rate = answers preferred in both orders / judged
             tie_rate = those of which neither was / judged
             inconsistent = ties whose preference turned with the order / those that were asked about
             first_bias = (orders that preferred what stood first - those that preferred the second) / orders
    all      vote_agreement = pairs of votes on a question that said the same / pairs, where votes are several

A judge that gives no verdict has failed, not the answer: it stands outside every sum, in the state `judge-failed`, and is
counted in the open. An empty reply earns the least and is not asked about, nor is one that its provider withheld.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import ClassVar, Final, Literal, TypeAlias

from msgspec import Struct

from earmark.scorers._held import asked_by, holding
from earmark.scorers._judge_asking import Judge, Verdict, opened_judge, question_of, reference_of, signed
from earmark.scorers._judge_prompts import Ask, prompt_of
from earmark.scorers.choice import divided, ratio
from earmark.types import Counts, Item, Metric, Number, Response, Score, replace

Preference: TypeAlias = Literal["first", "second", "tie"]
AGREEMENT: Final = {"vote_agreement": ratio("agreed", "pairs")}  # where there are several votes


def bias(counts: Counts) -> Number:
    return divided(counts.get("first", 0.0) - counts.get("second", 0.0), counts.get("orders", 0.0))


def mean(top: str, bottom: str, scale: tuple[float, float]) -> Metric:
    return replace(ratio(top, bottom), share=None, limits=scale)


def metrics_of(ask: Ask) -> Mapping[str, Metric]:
    """The numbers of a kind of prompt."""
    if ask.kind == "word":
        return {"accuracy": ratio("right", "judged")}
    rating = mean("rating", "judged", ask.scale)
    if ask.kind == "rating":
        low, high = ask.scale

        def normalised(counts: Counts) -> Number:
            return (rating.value(counts) - low) / (high - low)

        return {"rating": rating, "normalised": Metric(normalised, limits=(0, 1))}
    return {
        "rating": rating,
        "reference": mean("reference", "rated", ask.scale),
        "win_rate": ratio("wins", "judged"),
        "tie_rate": ratio("ties", "judged"),
        "inconsistent": replace(ratio("inconsistent", "rated"), better="lower"),
        "first_bias": Metric(bias, "lower", limits=(-1, 1)),
    }


class Settings(Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """Which judge is asked what, and how often."""

    name: ClassVar[str] = "judge"

    judge: str = "openai/gpt-4o-mini"  # any model, named as model=NAME names it
    prompt: str = "audiobench"  # one of those in docs/judges.md
    votes: int = 1
    temperature: float = 0.0

    def __post_init__(self) -> None:
        prompt_of(self.prompt)

    @property
    def metrics(self) -> Mapping[str, Metric]:
        return {**metrics_of(prompt_of(self.prompt)), **(AGREEMENT if self.votes > 1 else {})}

    @property
    def signature(self) -> str:
        """
        >>> Settings("mind", "sakura").signature.partition("|v:")[0]
        'judge|judge:mind|prompt:sakura.1|votes:1|temperature:0.0'
        """
        ask = prompt_of(self.prompt)
        text = f"judge|judge:{self.judge}|prompt:{ask}|votes:{self.votes}|temperature:{self.temperature}"
        return signed(self, self.judge, text)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Settings]:
        """The scorer with its judge open."""
        async with opened_judge(self.judge, self.votes, self.temperature) as judge:
            yield holding(self, judge)

    def bounds(self, item: Item) -> tuple[dict[str, float], dict[str, float]]:  # noqa: ARG002 - alike for all
        return _least(prompt_of(self.prompt)), _most(prompt_of(self.prompt))

    async def score(self, item: Item, response: Response) -> Score:
        ask = prompt_of(self.prompt)
        if response.stop == "filtered":
            return Score(_least(ask), state="refused", rule="filtered")
        if not response.text.strip():
            return Score(_least(ask), state="unparsed", rule="empty")
        asked = {"question": question_of(item), "reference": reference_of(item), "description": described(item)}
        if ask.kind == "pair":
            return await both_orders(ask, asked_by(self, Judge, "judge"), asked, response.text)
        verdict = await asked_by(self, Judge, "judge").decide(ask, asked | {"candidate": response.text})
        if verdict.value is None:
            return failed(verdict)
        counts = (
            {"right": float(verdict.value == ask.words[0]), "judged": 1.0}
            if ask.kind == "word"
            else {"rating": verdict.value, "judged": 1.0}
        )
        return Score(
            counts | votes(verdict), shown(verdict.value), rule=verdict.rule, why=verdict.said, usage=verdict.usage
        )


async def both_orders(ask: Ask, judge: Judge, asked: Mapping[str, str], answer: str) -> Score:
    """A pair with the reference first, then with the answer first."""
    reference = asked["reference"]
    orders = await asyncio.gather(
        judge.decide(ask, {**asked, "first": reference, "second": answer}, candidates=("second",)),
        judge.decide(ask, {**asked, "first": answer, "second": reference}, candidates=("first",)),
    )
    usage = orders[0].usage + orders[1].usage
    lost = next((verdict for verdict in orders if verdict.value is None), None)
    if lost:
        return replace(failed(lost), usage=usage)
    reference_first, answer_first = orders
    counts = paired(reference_first.value, answer_first.value) | votes(*orders)
    told = "win" if counts["wins"] else "loss" if counts["losses"] else "tie"
    said = "\n\n".join(verdict.said for verdict in orders)
    rule = "inconsistent" if counts["inconsistent"] else "both orders"
    return Score(counts, told, rule=rule, why=said, usage=usage)


def paired(reference_first: tuple[float, float], answer_first: tuple[float, float]) -> dict[str, float]:
    """The counts of an answer and a reference that were rated in both orders.

    >>> counts = paired((7.0, 9.0), (6.0, 8.0))  # what stands second is preferred, whatever it is
    >>> counts["ties"], counts["inconsistent"], counts["second"]
    (1.0, 1.0, 2.0)
    """
    sides = (preferred(*reference_first), preferred(*answer_first))
    verdict, consistent = merged(sides[1], sides[0])
    return {
        "rating": (reference_first[1] + answer_first[0]) / 2,
        "reference": (reference_first[0] + answer_first[1]) / 2,
        "judged": 1.0,
        "rated": 1.0,
        "wins": float(verdict == "first"),
        "losses": float(verdict == "second"),
        "ties": float(verdict == "tie"),
        "inconsistent": float(not consistent),
        "first": float(sides.count("first")),
        "second": float(sides.count("second")),
        "orders": 2.0,
    }


def preferred(first: float, second: float) -> Preference:
    """Which of two ratings is the higher."""
    return "tie" if first == second else "first" if first > second else "second"


def merged(one_way: Preference, other_way: Preference) -> tuple[Preference, bool]:
    """The verdict over two orders in the places of the first one, and whether both agree; where they do not it is a tie.

    >>> merged("first", "second"), merged("first", "first")
    (('first', True), ('tie', False))
    """
    turned: dict[Preference, Preference] = {"first": "second", "second": "first", "tie": "tie"}
    return (one_way, True) if one_way == turned[other_way] else ("tie", False)


def failed(verdict: Verdict) -> Score:
    """No verdict: the judge has failed, and the answer stands outside every sum."""
    return Score({}, state="judge-failed", rule=verdict.rule, why=verdict.said, usage=verdict.usage)


def votes(*verdicts: Verdict) -> dict[str, float]:
    """The counts of the votes behind verdicts, where there were several on each."""
    pairs, agreed = (float(sum(getattr(verdict, name) for verdict in verdicts)) for name in ("pairs", "agreed"))
    return {"pairs": pairs, "agreed": agreed} if pairs else {}


def shown(value: object) -> str:
    """
    >>> shown(4.0), shown(3.5), shown("yes")
    ('4', '3.5', 'yes')
    """
    return f"{value:g}" if isinstance(value, float) else str(value)


def described(item: Item) -> str:
    """What is in the sound, as the data tells a judge that does not hear it."""
    words = [clip.words for clip in item.clips if clip.words]
    return item.tags.get("description") or "\n".join(words) or "not told"


def _least(ask: Ask) -> dict[str, float]:
    if ask.kind == "word":
        return {"right": 0.0, "judged": 1.0}
    if ask.kind == "rating":
        return {"rating": ask.scale[0], "judged": 1.0}
    return dict.fromkeys(paired(ask.scale, ask.scale), 0.0) | {"rating": ask.scale[0], "judged": 1.0, "losses": 1.0}


def _most(ask: Ask) -> dict[str, float]:
    if ask.kind == "word":
        return {"right": 1.0, "judged": 1.0}
    if ask.kind == "rating":
        return {"rating": ask.scale[1], "judged": 1.0}
    low, high = ask.scale
    return paired((low, high), (high, low))


def load(settings: Settings) -> Settings:
    """A scorer is its settings."""
    return settings
