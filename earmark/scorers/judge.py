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

A judge that gives no verdict has failed, not the answer: it stands outside every sum, in the state `judge-failed`, and
is counted in the open. An empty reply earns the least and is not asked about, nor is one that its provider withheld.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from earmark.judges.asking import Judge, JudgeVerdict, open_judge, question_of, reference_of
from earmark.judges.prompts import JudgePrompt, find_prompt
from earmark.plugins import own_name
from earmark.plugins.examples import TEXT_ITEM, ScorerExample
from earmark.scorers._resources import require_open, sign_judge
from earmark.stats.ratio import divide, mean, ratio
from earmark.types import Context, Counts, Item, Metric, Number, OpenModel, Response, Score, Signature, replace, sign

Preference: TypeAlias = Literal["first", "second", "tie"]
AGREEMENT: Final = {"vote_agreement": ratio("agreed", "pairs")}  # where there are several votes


def position_bias(counts: Counts) -> Number:
    return divide(counts.get("first", 0.0) - counts.get("second", 0.0), counts.get("orders", 0.0))


def prompt_metrics(template: JudgePrompt) -> Mapping[str, Metric]:
    """The numbers of a kind of prompt."""
    if template.kind == "word":
        return {"accuracy": ratio("right", "judged")}
    rating = mean("rating", "judged", template.scale)
    if template.kind == "rating":
        low, high = template.scale

        def normalised(counts: Counts) -> Number:
            return (rating.value(counts) - low) / (high - low)

        return {"rating": rating, "normalised": Metric(normalised, limits=(0, 1))}
    return {
        "rating": rating,
        "reference": mean("reference", "rated", template.scale),
        "win_rate": ratio("wins", "judged"),
        "tie_rate": ratio("ties", "judged"),
        "inconsistent": ratio("inconsistent", "rated", "lower"),
        "first_bias": Metric(position_bias, "lower", limits=(-1, 1)),
    }


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Which judge is asked what, and how often."""

    judge: str = "openai/gpt-4o-mini"  # any model, named as model=NAME names it
    prompt: str = "audiobench"  # one of those in docs/judges.md
    votes: int = 1
    temperature: float = 0.0

    def __post_init__(self) -> None:
        find_prompt(self.prompt)


class JudgeScorer(Struct, frozen=True):
    """A judge, which has to be opened before it is asked."""

    settings: Settings = Settings()
    name: str = own_name(__name__)
    open_model: OpenModel | None = None
    opened: Judge | None = None

    @property
    def metrics(self) -> Mapping[str, Metric]:
        return {**prompt_metrics(find_prompt(self.settings.prompt)), **(AGREEMENT if self.settings.votes > 1 else {})}

    @property
    def signature(self) -> Signature:
        """
        >>> JudgeScorer(Settings("smollm2", "sakura")).signature.rules
        'judge|judge:smollm2|prompt:sakura.1|votes:1|temperature:0.0'
        """
        given = self.settings
        asked = (("judge", given.judge), ("prompt", find_prompt(given.prompt)))
        votes = (("votes", given.votes), ("temperature", given.temperature))
        return sign_judge(sign("judge", *asked, *votes), given.judge, self.opened)

    @property
    def calls_per_answer(self) -> int:
        """Number of requests to the judge for one answer."""
        return self.settings.votes * (2 if find_prompt(self.settings.prompt).kind == "pair" else 1)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[JudgeScorer]:
        """The scorer with its judge open."""
        given = self.settings
        opener = require_open(self.open_model, "judge")
        async with open_judge(given.judge, opener, given.votes, given.temperature) as judge:
            yield replace(self, opened=judge)

    def bounds(self, item: Item) -> tuple[dict[str, float], dict[str, float]]:  # noqa: ARG002 - alike for all
        return _min_counts(find_prompt(self.settings.prompt)), _max_counts(find_prompt(self.settings.prompt))

    async def score(self, item: Item, response: Response) -> Score:
        template = find_prompt(self.settings.prompt)
        if response.stop == "filtered":
            return Score(_min_counts(template), state="refused", rule="filtered")
        if not response.text.strip():
            return Score(_min_counts(template), state="unparsed", rule="empty")
        asked = {"question": question_of(item), "reference": reference_of(item), "description": audio_description(item)}
        if template.kind == "pair":
            return await judge_both_orders(template, require_open(self.opened, "judge"), asked, response.text)
        verdict = await require_open(self.opened, "judge").decide(template, asked | {"candidate": response.text})
        if verdict.value is None:
            return judge_failed(verdict)
        counts = (
            {"right": float(verdict.value == template.words[0]), "judged": 1.0}
            if template.kind == "word"
            else {"rating": verdict.value, "judged": 1.0}
        )
        return Score(
            counts | vote_counts(verdict),
            format_verdict(verdict.value),
            rule=verdict.rule,
            explanation=verdict.reply,
            usage=verdict.usage,
        )


async def judge_both_orders(template: JudgePrompt, judge: Judge, asked: Mapping[str, str], answer: str) -> Score:
    """A pair with the reference first, then with the answer first."""
    reference = asked["reference"]
    orders = await asyncio.gather(
        judge.decide(template, {**asked, "first": reference, "second": answer}, candidates=("second",)),
        judge.decide(template, {**asked, "first": answer, "second": reference}, candidates=("first",)),
    )
    usage = orders[0].usage + orders[1].usage
    lost = next((verdict for verdict in orders if verdict.value is None), None)
    if lost:
        return replace(judge_failed(lost), usage=usage)
    reference_first, answer_first = orders
    counts = pair_counts(reference_first.value, answer_first.value) | vote_counts(*orders)
    outcome = "win" if counts["wins"] else "loss" if counts["losses"] else "tie"
    replies = "\n\n".join(verdict.reply for verdict in orders)
    rule = "inconsistent" if counts["inconsistent"] else "both orders"
    return Score(counts, outcome, rule=rule, explanation=replies, usage=usage)


def pair_counts(reference_first: tuple[float, float], answer_first: tuple[float, float]) -> dict[str, float]:
    """The counts of an answer and a reference that were rated in both orders.

    >>> counts = pair_counts((7.0, 9.0), (6.0, 8.0))  # what stands second is preferred, whatever it is
    >>> counts["ties"], counts["inconsistent"], counts["second"]
    (1.0, 1.0, 2.0)
    """
    sides = (prefer(*reference_first), prefer(*answer_first))
    verdict, consistent = merge_orders(sides[1], sides[0])
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


def prefer(first: float, second: float) -> Preference:
    """Which of two ratings is the higher."""
    return "tie" if first == second else "first" if first > second else "second"


def merge_orders(one_way: Preference, other_way: Preference) -> tuple[Preference, bool]:
    """The verdict over two orders in the places of the first one, and whether both agree; where they do not it is a
    tie.

    >>> merge_orders("first", "second"), merge_orders("first", "first")
    (('first', True), ('tie', False))
    """
    turned: dict[Preference, Preference] = {"first": "second", "second": "first", "tie": "tie"}
    return (one_way, True) if one_way == turned[other_way] else ("tie", False)


def judge_failed(verdict: JudgeVerdict) -> Score:
    """No verdict: the judge has failed, and the answer stands outside every sum."""
    return Score({}, state="judge-failed", rule=verdict.rule, explanation=verdict.reply, usage=verdict.usage)


def vote_counts(*verdicts: JudgeVerdict) -> dict[str, float]:
    """The counts of the votes behind verdicts, where there were several on each."""
    pairs, agreed = (float(sum(getattr(verdict, name) for verdict in verdicts)) for name in ("pairs", "n_agreeing"))
    return {"pairs": pairs, "agreed": agreed} if pairs else {}


def format_verdict(value: object) -> str:
    """
    >>> format_verdict(4.0), format_verdict(3.5), format_verdict("yes")
    ('4', '3.5', 'yes')
    """
    return f"{value:g}" if isinstance(value, float) else str(value)


def audio_description(item: Item) -> str:
    """Description of the audio, for a judge that does not hear it."""
    words = [clip.transcript for clip in item.clips if clip.transcript]
    return str(item.extra.get("description") or "") or item.tags.get("description") or "\n".join(words) or "not told"


def _min_counts(template: JudgePrompt) -> dict[str, float]:
    if template.kind == "word":
        return {"right": 0.0, "judged": 1.0}
    if template.kind == "rating":
        return {"rating": template.scale[0], "judged": 1.0}
    return dict.fromkeys(pair_counts(template.scale, template.scale), 0.0) | {
        "rating": template.scale[0],
        "judged": 1.0,
        "losses": 1.0,
    }


def _max_counts(template: JudgePrompt) -> dict[str, float]:
    if template.kind == "word":
        return {"right": 1.0, "judged": 1.0}
    if template.kind == "rating":
        return {"rating": template.scale[1], "judged": 1.0}
    low, high = template.scale
    return pair_counts((low, high), (high, low))


def load(settings: Settings, context: Context) -> JudgeScorer:
    """Load the scorer."""
    return JudgeScorer(settings, context.name, context.open_model)


def examples() -> tuple[ScorerExample, ...]:
    return (ScorerExample(item=TEXT_ITEM, neutral=(*AGREEMENT, "reference", "tie_rate", "inconsistent", "first_bias")),)
