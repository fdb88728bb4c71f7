"""Numbers as answers, read the GSM8K way.

    accuracy = replies whose number is the right one / n

Which number of a reply is its answer goes by `policy`:

    last         the first after the last "####", "answer is", "answer:" or \\boxed{, else the last of the reply
    lm-eval      the last, as "flexible-extract" of the LM evaluation harness finds it
    lm-strict    the first after "#### ", "strict-match" of the same; a reply without it has no answer
    audiobench   the first after the last "The answer is" or "####", else the last

By `rule_last` two numbers are the same if they have the same value, 5 and 5.00; commas between digits, signs of money
and what follows a number do not count. The others compare as their scripts do: `lm-eval` and `lm-strict` texts without
commas, $ and a last period, so that 5.00 is not 5; `audiobench` numbers of floating point, written out. A reply in
which no number is found is unparsed, and wrong. Number words are not read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from decimal import Decimal
from typing import ClassVar, Final, Literal, NamedTuple

from msgspec import Struct

from earmark.errors import BadData
from earmark.plugins import own_name
from earmark.plugins.examples import ScorerExample
from earmark.scorers._base import AnswerScorer
from earmark.stats.ratio import ratio
from earmark.types import Item, Metric, Response, Score, Signature, sign

METRICS: Final = {"accuracy": ratio("right", "n"), "accuracy_read": ratio("right", "read")}

CUE: Final = re.compile(r"####|answer\s+is\b|answer\s*:|\\boxed\s*\{|答案(?:是|为|為|\s*[:：])|答えは", re.IGNORECASE)
NUMBER: Final = re.compile(
    r"(?<![\w.])[-−+]?(?:[$€£]\s?)?(?:(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?|\.[0-9]+)(?![0-9])"
)
FULL_WIDTH: Final = {ord("０") + digit: str(digit) for digit in range(10)}
NOT_OF_THE_NUMBER: Final = re.compile(r"[,$€£+\s]")
LM_EVAL: Final = re.compile(r"-?[$0-9.,]{2,}|-?[0-9]+")
LM_STRICT: Final = re.compile(r"#### (-?[0-9.,]+)")
LM_IGNORED: Final = re.compile(r"(?s:.*#### )|[,$]|\.$")
AUDIOBENCH_CUE: Final = re.compile(r"The answer is:|The answer is|the answer is|####")
AUDIOBENCH_NUMBER: Final = re.compile(r"-?\d+/?\.?\d*")


class Policy(NamedTuple):
    """A way to read a number from a reply, and what it is compared by."""

    read: Callable[[str], str | None]
    value: Callable[[str], Hashable]


# ---------------------------------------------------------------- ours


def last_number(reply: str) -> str | None:
    """The number that a reply gives as its answer, as it stands there.

    >>> last_number("9 eggs at $2 make $18. The answer is $18.00, not 16"), last_number("3 and 4 make 7 apples.")
    ('$18.00', '7')
    """
    reply = reply.translate(FULL_WIDTH)
    *before, after = CUE.split(reply)
    if before and (match := NUMBER.search(after)):
        return match[0]
    numbers = NUMBER.findall(reply)
    return numbers[-1] if numbers else None


def number_value(number: str) -> Hashable:
    """The value of a number, or the text itself where it holds none.

    >>> number_value("$1,000.0") == number_value("1000"), number_value("−3") == number_value("-3")
    (True, True)
    """
    number_text = last_number(number)
    return Decimal(NOT_OF_THE_NUMBER.sub("", number_text).replace("−", "-")) if number_text else number


# ---------------------------------------------------------------- others'


def lm_flexible(reply: str) -> str | None:
    """
    >>> lm_flexible("She pays $18.")
    '$18.'
    """
    numbers = LM_EVAL.findall(reply)
    return numbers[-1] if numbers else None


def lm_strict(reply: str) -> str | None:
    """
    >>> lm_strict("9 * 2 = 18 #### 18")
    '18'
    """
    match = LM_STRICT.search(reply)
    return match[1] if match else None


def lm_value(number: str) -> str:
    """
    >>> lm_value("9 * 2 = #### 1,800."), lm_value("$18.")
    ('1800', '18')
    """
    return LM_IGNORED.sub("", number).lower()


def audiobench_number(reply: str) -> str | None:
    """
    >>> audiobench_number("First 4. The answer is 18, and not 16"), audiobench_number("4, then 18.50.")
    ('18', '18.5')
    """
    if any(reply.count(cue) > 1 for cue in AUDIOBENCH_CUE.pattern.split("|")):  # it goes on to questions of its own
        reply = reply.strip("\n").partition("\n\n")[0]
    *before, after = AUDIOBENCH_CUE.split(reply)
    numbers = [audiobench_value(text) for text in AUDIOBENCH_NUMBER.findall(after.replace(",", ""))]
    return numbers[0 if before else -1].rstrip(".").rstrip("/") if numbers else None


def audiobench_value(number: str) -> str:
    """A number written out; what is none as it stands.

    >>> audiobench_value("18.50"), audiobench_value("3/4"), audiobench_value("... #### 1,800")
    ('18.5', '0.75', '1800')
    """
    number = number.rpartition("#### ")[2].replace(",", "")
    top, slash, bottom = number.partition("/")
    try:
        written = str(float(top) / float(bottom) if slash else float(number)).rstrip("0")
    except (ValueError, ZeroDivisionError):
        return number
    return written.rstrip(".") if written.endswith(".") else str(float(written))


POLICIES: Final = {
    "last": Policy(last_number, number_value),
    "lm-eval": Policy(lm_flexible, lm_value),
    "lm-strict": Policy(lm_strict, lm_value),
    "audiobench": Policy(audiobench_number, audiobench_value),
}


# ---------------------------------------------------------------- the scorer


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Reads a number from the reply and compares it with the right ones."""

    policy: Literal["last", "lm-eval", "lm-strict", "audiobench"] = "last"


class NumberScorer(AnswerScorer, frozen=True):
    """Reads a number from the reply and compares it with the right ones."""

    settings: Settings = Settings()
    name: str = own_name(__name__)
    metrics: ClassVar[Mapping[str, Metric]] = METRICS

    @property
    def signature(self) -> Signature:
        """
        >>> NumberScorer(Settings("lm-eval")).signature.rules
        'number|policy:lm-eval'
        """
        return sign("number", ("policy", self.settings.policy))

    async def score_reply(self, item: Item, response: Response) -> Score:
        answer = POLICIES[self.settings.policy].read(
            response.text if self.settings.policy == "last" else response.whole_text
        )
        return Score(
            self.counts(item, answer), answer, "unparsed" if answer is None else "answered", self.settings.policy
        )

    def bounds(self, item: Item) -> tuple[dict[str, float], dict[str, float]]:
        return self.counts(item, None), {"right": 1.0, "read": 1.0, "n": 1.0}

    def counts(self, item: Item, answer: str | None) -> dict[str, float]:
        """The counts of one item whose reply was read as `answer`."""
        if not item.targets:
            raise BadData(f"item '{item.id}' has no target; expected the right number")
        compared = POLICIES[self.settings.policy].value
        right = answer is not None and compared(answer) in {compared(target) for target in item.targets}
        return {"right": float(right), "read": float(answer is not None), "n": 1.0}


load = NumberScorer.load


def examples() -> tuple[ScorerExample, ...]:
    return (
        ScorerExample(
            item=Item("1", "t", "?", targets=("42",)),
            right="The answer is 42.",
            wrong="41",
            any_words=True,
            neutral=("accuracy_read",),
        ),
    )
