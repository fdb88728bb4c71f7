"""Parses the choice of a reply by rules, in the order that `choice_parser` lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import structs

from earmark.text import _cues as cues
from earmark.text._comparatives import compare_sounds, has_comparison
from earmark.text._keys import ChoiceIndex, Mention, build_choice_index, distinctive_keywords
from earmark.text._keywords import keywords
from earmark.text._mentions import MentionList, find_mentions
from earmark.text._rules import (
    FIRM,
    WEAK,
    Rule,
    enumerates_options,
    opens_with_label,
    rule_concluded,
    rule_declared,
    rule_first,
    rule_label,
    rule_last,
    rule_option_text,
)
from earmark.text._screen import CleanReply, clean_reply, fold
from earmark.text.choices import Parsed

QUOTES = " \t\r\n\"'“”‘’«»`*"
LATE = 300  # characters before the end


def parse_by_rules(
    reply: str, labels: Sequence[str], choices: Sequence[str], question: str, *, cut: bool, multi_select: bool
) -> Parsed:
    """Parse a reply whose thoughts are left out; the arguments are those of `parse_choice`."""
    index = build_choice_index(tuple(labels), tuple(choices), multi_select)
    if parsed := _parse_verbatim(reply, index):
        return parsed
    clean = clean_reply(reply, question)
    listing = find_mentions(clean.text, index, multi_select=multi_select)
    return _apply_rules(listing if multi_select else _after_none_fits(listing), clean, question, cut=cut)


def _parse_verbatim(reply: str, index: ChoiceIndex) -> Parsed | None:
    """Parse a reply that is the text of one option, in quotation marks or without."""
    bare = reply.strip(QUOTES)
    whole = index.verbatim.get(fold(reply)) or index.verbatim.get(fold(bare))
    start = reply.index(bare)
    return Parsed(whole, "verbatim", (start, start + len(bare)), "answered") if whole else None


def _apply_rules(listing: MentionList, clean: CleanReply, question: str, *, cut: bool) -> Parsed:
    for name, rule in _rules(listing, question, cut=cut).items():
        mentions = rule(listing)
        chosen = [label for label in listing.index.labels if any(label == mention.label for mention in mentions)]
        if chosen:
            span = clean.span_in_reply(mentions[0].start, mentions[0 if len(chosen) == 1 else -1].end)
            clear = listing.multi_select or len(chosen) == 1
            return Parsed(",".join(chosen), name, span, "answered") if clear else _no_answer("several-answers", span)
    if not cut and (listing.refusals or cues.REFUSAL.search(listing.lower) or cues.NOT_SAID.search(listing.lower)):
        return Parsed(None, "refusal", None, "refused")
    if not cut and listing.none_fits:
        return _no_answer("none-of-these")
    return _no_answer("cut" if cut or listing.broken else "")


def _no_answer(why: str, span: tuple[int, int] | None = None) -> Parsed:
    return Parsed(None, why, span, "unparsed")


def _rules(listing: MentionList, question: str, *, cut: bool) -> Mapping[str, Rule]:
    """Choose the rules: for a truncated reply only the firm ones, and none if it retracts its answer."""
    if cut or listing.broken:
        firm = rule_declared(listing) or rule_first(listing)
        if firm:
            return (
                {}
                if cues.HEDGES.search(listing.lower, firm[-1].end)
                else {"declared": rule_declared, "first": rule_first}
            )
        if not cut:
            return {"concluded": _rule_late_conclusion, "last": rule_last}
        whole = not cues.SENTENCE_END.search(listing.lower.strip())
        return {"label": rule_label, "option-text": rule_option_text} if whole else {}

    def by_comparison(listing: MentionList) -> Sequence[Mention]:
        mention = (
            None
            if listing.multi_select or (opens_with_label(listing) and not enumerates_options(listing))
            else compare_sounds(listing.text, listing.index, question)
        )
        return (mention,) if mention else ()

    rules = {"declared": rule_declared, "compared": by_comparison, **FIRM}
    return rules if listing.none_fits or has_comparison(listing.text, listing.index) else {**rules, **WEAK}


def _rule_late_conclusion(listing: MentionList) -> Sequence[Mention]:
    """Find a conclusion near the end of a reply that breaks off."""
    mentions = rule_concluded(listing)
    return mentions if mentions and mentions[0].start > len(listing.lower) - LATE else ()


def _after_none_fits(listing: MentionList) -> MentionList:
    """Keep the mentions after the last place where a reply says that no option fits, or answers something else."""
    matches = [] if listing.index.none else list(cues.NONE_OF_THESE.finditer(listing.lower))
    ends = [place.end() for place in matches] + [
        place.end()
        for place in cues.OTHER_ANSWER.finditer(listing.lower)
        if not any(place.start() <= mention.start <= place.end() for mention in listing.mentions)
        and not any(keywords(place[1]) <= words for words in distinctive_keywords(listing.index).values())
    ]
    if not ends:
        return listing
    end = max(ends)
    chains = tuple(chain for chain in listing.chains if chain[0].start >= end)
    return structs.replace(
        listing,
        chains=chains,
        all_mentions=[mention for mention in listing.all_mentions if mention.start >= end],
        none_fits=True,
    )
