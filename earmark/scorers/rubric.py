"""A rubric: a judge says of each point of an item's list if the answer meets it.

    mean_met = mean over items of the share of points that are met
    all_met  = items of which every point is met / n

The points are in `extra.rubric`: texts, or objects with a text under `scoring_point`, `criterion` or `name`. The judge
is asked about one at a time, in our wording (`rubric` in docs/judges.md). Of several votes each makes a share of its
own; with `trim=true` the lowest and the highest are left out before their mean is taken, as MMAR does with five. A
point counts for `all_met` where most votes say so. With `needs_right=true` an answer that MMAU's rule finds wrong has
0 without being judged, as in MMAR. `reads=reasoning` shows the judge how the model came to its answer, where that is
told apart. A point without a verdict leaves the answer unscored (judge-failed)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Struct

from earmark.errors import BadData
from earmark.judges.asking import Judge, JudgeVerdict, open_judge, question_of
from earmark.judges.prompts import find_prompt
from earmark.plugins import own_name
from earmark.plugins.examples import ScorerExample
from earmark.scorers._resources import require_open, sign_judge
from earmark.scorers.token_match import answers_of
from earmark.stats.ratio import ratio
from earmark.text.token_match import token_match
from earmark.types import Context, Item, Metric, OpenModel, Response, Score, Signature, Usage, replace, sign

METRICS: Final = {"mean_met": ratio("mean", "judged"), "all_met": ratio("all", "judged")}
TEXTS: Final = ("scoring_point", "criterion", "text", "name")  # keys of a point's text, the first of which counts
LEAST: Final = {"mean": 0.0, "all": 0.0, "judged": 1.0}


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Which judge reads what, and how votes are put together."""

    judge: str = "openai/gpt-4o-mini"
    votes: Annotated[int, msgspec.Meta(ge=1)] = 1
    temperature: float = 0.0
    trim: bool = False  # the lowest and the highest vote are left out
    needs_right: bool = False  # an answer that MMAU's rule finds wrong is not judged, and has 0
    reads: Literal["reply", "reasoning"] = "reply"
    headline: Literal["mean_met", "all_met"] = "mean_met"


class RubricScorer(Struct, frozen=True):
    """A judge of points, which has to be opened before it is asked."""

    settings: Settings = Settings()
    name: str = own_name(__name__)
    open_model: OpenModel | None = None
    opened: Judge | None = None

    @property
    def metrics(self) -> Mapping[str, Metric]:
        return METRICS if self.settings.headline == "mean_met" else dict(reversed(METRICS.items()))

    @property
    def signature(self) -> Signature:
        """
        >>> RubricScorer(Settings("smollm2", votes=5, trim=True)).signature.rules
        'rubric|judge:smollm2|prompt:rubric.1|votes:5|temperature:0.0|trim:true|reads:reply'
        """
        given = self.settings
        asked = [("judge", given.judge), ("prompt", find_prompt("rubric"))]
        votes = [("votes", given.votes), ("temperature", given.temperature), *[("trim", "true")] * given.trim]
        read = [*[("needs", "right")] * given.needs_right, ("reads", given.reads)]
        return sign_judge(sign("rubric", *asked, *votes, *read), given.judge, self.opened)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[RubricScorer]:
        """The scorer with its judge open."""
        given, opener = self.settings, require_open(self.open_model, "judge")
        async with open_judge(given.judge, opener, given.votes, given.temperature) as judge:
            yield replace(self, opened=judge)

    def bounds(self, item: Item) -> tuple[dict[str, float], dict[str, float]]:  # noqa: ARG002 - alike for all
        return LEAST, {"mean": 1.0, "all": 1.0, "judged": 1.0}

    async def score(self, item: Item, response: Response) -> Score:
        points = points_of(item)
        if response.stop == "filtered":
            return Score(dict(LEAST), state="refused", rule="filtered")
        candidate = response.reasoning or response.whole_text if self.settings.reads == "reasoning" else response.text
        if not candidate.strip():
            return Score(dict(LEAST), state="unparsed", rule="empty")
        if self.settings.needs_right and not any(
            token_match(response.whole_text, answer, item.choices) for answer in answers_of(item)
        ):
            return Score(dict(LEAST), rule="wrong answer")
        judge, template = require_open(self.opened, "judge"), find_prompt("rubric")
        asked = {"question": question_of(item), "candidate": candidate}
        verdicts = await asyncio.gather(*(judge.decide(template, asked | {"reference": point}) for point in points))
        usage = sum((verdict.usage for verdict in verdicts), Usage())
        explanation = "\n\n".join(verdict.reply for verdict in verdicts)
        if lost := next((verdict for verdict in verdicts if verdict.value is None), None):
            return Score({}, state="judge-failed", rule=lost.rule, explanation=explanation, usage=usage)
        met = [verdict.value == template.words[0] for verdict in verdicts]
        counts = {
            "mean": mean_share(verdicts, template.words[0], trim=self.settings.trim),
            "all": float(all(met)),
            "judged": 1.0,
        }
        return Score(counts, f"{sum(met)}/{len(met)}", rule="rubric", explanation=explanation, usage=usage)


def mean_share(verdicts: Sequence[JudgeVerdict], word: str, *, trim: bool) -> float:
    """The mean over votes of the share of points that each finds met, without the lowest and the highest one.

    >>> votes = (("yes", "yes", "no"), ("yes", "no", "no"))
    >>> points = [JudgeVerdict("yes", "", "", values=values) for values in votes]
    >>> mean_share(points, "yes", trim=False), mean_share(points, "yes", trim=True)
    (0.5, 0.5)
    """
    many = max(len(verdict.values) for verdict in verdicts)
    shares: list[float] = []
    for number in range(many):
        given = [verdict.values[number] for verdict in verdicts if len(verdict.values) > number]
        shares.append(sum(value == word for value in given) / len(given))
    shares = sorted(shares)[1:-1] if trim and many > 2 else shares
    return sum(shares) / len(shares)


def points_of(item: Item) -> list[str]:
    """The texts of an item's points. Raises BadData for none."""
    rubric: Any = item.extra.get("rubric")
    if isinstance(rubric, str):
        try:
            rubric = msgspec.json.decode(rubric)
        except msgspec.DecodeError as error:
            raise BadData(f"item '{item.id}': its rubric is no JSON ({error})") from error
    points = [_text(point) for point in rubric] if isinstance(rubric, list) else []
    if not points or not all(points):
        raise BadData(
            f"item '{item.id}' has no rubric, expected a list of texts, or of objects with {', '.join(TEXTS)}"
        )
    return points


def _text(point: Any) -> str:
    if isinstance(point, Mapping):
        return next((str(point[key]) for key in TEXTS if point.get(key)), "")
    return point if isinstance(point, str) else ""


def load(settings: Settings, context: Context) -> RubricScorer:
    """Load the scorer."""
    return RubricScorer(settings, context.name, context.open_model)


def examples() -> tuple[ScorerExample, ...]:
    return (ScorerExample(item=Item("1", "t", "?", extra={"rubric": ["Hears it."]})),)
