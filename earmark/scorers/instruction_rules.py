"""Instructions that rules can check: IFEval's 25, and MMAU-Pro's 21.

    strict_prompt      = replies that keep every rule of their prompt / n
    strict_instruction = rules that are kept / rules
    loose_prompt, loose_instruction: the same, a rule being kept by any of eight forms of the reply
    mean               = the mean of the four, as VoiceBench reports it

The eight forms leave out the first line, the last, both, and asterisks. An item names its rules in `extra.rules` (a
name, or a list of them) and their arguments in `extra.arguments` (an object, or a list of them; texts are read as
JSON). An empty reply keeps none. The rules are in `text/instruction_rules.py`. With `rules=mmau-pro` the headline is
`strict_prompt`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from earmark.errors import BadData, alternatives
from earmark.plugins import own_name
from earmark.plugins.examples import ScorerExample
from earmark.scorers._base import RuleScorer
from earmark.stats.ratio import ratio
from earmark.text.instruction_rules import RULES, loose_replies
from earmark.types import Counts, Item, Metric, Number, Response, Score, Signature, sign

SHARES: Final = {
    "strict_prompt": ratio("strict_prompt", "n"),
    "strict_instruction": ratio("strict", "rules"),
    "loose_prompt": ratio("loose_prompt", "n"),
    "loose_instruction": ratio("loose", "rules"),
}


def mean_of_four(counts: Counts) -> Number:
    """The mean of the four shares."""
    total: Number = sum(metric.value(counts) for metric in SHARES.values())
    return total / 4


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Which rules."""

    rules: Literal["ifeval", "mmau-pro"] = "ifeval"


class InstructionScorer(RuleScorer, frozen=True):
    """Checks that a reply keeps the rules of its instruction."""

    settings: Settings = Settings()
    name: str = own_name(__name__)

    @property
    def metrics(self) -> Mapping[str, Metric]:
        mean = {"mean": Metric(mean_of_four, limits=(0, 1))} if self.settings.rules == "ifeval" else {}
        return mean | SHARES

    @property
    def signature(self) -> Signature:
        """
        >>> InstructionScorer().signature.rules
        'instruction_rules|rules:ifeval.1|sentences:earmark.1|language:earmark.1'
        """
        rules = ("rules", f"{self.settings.rules}.1")
        return sign("instruction_rules", rules, ("sentences", "earmark.1"), ("language", "earmark.1"))

    async def score_reply(self, item: Item, response: Response) -> Score:
        if not response.text.strip():
            return Score(self.bounds(item)[0], state="unparsed", rule="empty")
        forms = loose_replies(response.text) if self.settings.rules == "ifeval" else (response.text,)
        strict, loose = [], []
        for name, arguments in rules_of(item):
            kept = [self._keeps(item, name, arguments, form) for form in forms]
            strict.append(kept[0])
            loose.append(any(kept))
        names = [name for name, _ in rules_of(item)]
        broken = [name for name, kept in zip(names, strict, strict=True) if not kept]
        rule = f"broken: {', '.join(broken)}" if broken else "kept"
        return Score(_counts(strict, loose), "kept" if all(strict) else "broken", rule=rule)

    def _keeps(self, item: Item, name: str, arguments: Mapping[str, Any], reply: str) -> bool:
        check = RULES[self.settings.rules].get(name)
        if check is None:
            if self.settings.rules == "mmau-pro":  # whose script knows no such rule either, and counts it as broken
                return False
            raise BadData(
                f"item '{item.id}': no rule is called '{name}'{alternatives(name, RULES[self.settings.rules])}"
            )
        try:
            return bool(reply.strip()) and bool(check(reply, arguments))
        except (KeyError, TypeError, ValueError, re.error) as error:
            raise BadData(
                f"item '{item.id}': the rule '{name}' cannot be checked ({error!r}); see extra.arguments"
            ) from error

    def bounds(self, item: Item) -> tuple[dict[str, float], dict[str, float]]:
        many = len(rules_of(item))
        return _counts([False] * many, [False] * many), _counts([True] * many, [True] * many)


def _counts(strict: list[bool], loose: list[bool]) -> dict[str, float]:
    return {
        "strict_prompt": float(all(strict)),
        "strict": float(sum(strict)),
        "loose_prompt": float(all(loose)),
        "loose": float(sum(loose)),
        "rules": float(len(strict)),
        "n": 1.0,
    }


def rules_of(item: Item) -> list[tuple[str, dict[str, Any]]]:
    """The rules of an item and their arguments. Raises BadData where there are none, or not as many of both."""
    names, arguments = (_plain(item, key) for key in ("rules", "arguments"))
    names = names if isinstance(names, list) else [names]
    arguments = arguments if isinstance(arguments, list) else [arguments or {}]
    if len(names) != len(arguments) or not names or not all(isinstance(name, str) and name for name in names):
        raise BadData(
            f"item '{item.id}' has {len(names)} rules and {len(arguments)} arguments; expected as many of both"
        )
    extra = {"prompt_transcription": item.extra.get("prompt_transcription", "")}
    return [
        (name, extra | {key: value for key, value in (each or {}).items() if value is not None})
        for name, each in zip(names, arguments, strict=True)
    ]


def _plain(item: Item, key: str) -> Any:
    """A value of an item; a text that holds JSON as what it says."""
    value = item.extra.get(key)
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            return msgspec.json.decode(value)
        except msgspec.DecodeError as error:
            raise BadData(f"item '{item.id}': extra.{key} begins like JSON and is none ({error})") from error
    return value


load = InstructionScorer.load


def examples() -> tuple[ScorerExample, ...]:
    return (
        ScorerExample(
            item=Item("1", "t", "?", extra={"rules": "punctuation:no_comma", "arguments": {}}),
            right="yes",
            wrong="yes, no",
        ),
    )
