"""Finds the choices that a reply mentions, each with the stance that the words around it express.

Mentions are letters used as labels and texts of options. Lists such as "A, B and C" are joined to chains. Options
listed as in the question, or discussed one by one, are no answers and are dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct, structs

from earmark.text import _cues as cues
from earmark.text._keys import ChoiceIndex, Mention, Stance, is_number, occurrences, stands_apart, words_of
from earmark.text._lazy import LazyPattern
from earmark.text._screen import NOISE, blank, lower

FIRST, LAST = 12, 80  # mentions kept, from either end
WINDOW = 200  # characters of context before a mention
MIN_RUN = 3  # options discussed in order
LONG = 250  # characters: a longer reply gives reasons before its answer
BESIDE = LazyPattern(r"(?:[\W_]|\b(?:[aA]n?|[tT]he)\b){0,12}")  # between a label and its own option's text
CONFLICT = LazyPattern(r"\s?[).:\]]+ ?(?:(?:[aA]n?|[tT]he) )?")  # between a label and another option's text
DASH = LazyPattern(r"\s[-–—]+\s")
CLOSED = LazyPattern(r"\s?[)\]）】>]")
OPENED = LazyPattern(r"[(\[<（【]\s*\Z")
QUOTED = LazyPattern(r"[\"“„«][^\"”»\n]{1,400}[\"”»]")
ARTICLES_AND_SIGNS = LazyPattern(r"\b(?:an?|the)\b|[\W_]")
LINE_LEAD = LazyPattern(r"(?:[\W_]|\b(?:options?|choice|the|an?)\b|\(?\d{1,2}[.)](?=\s))*")


class MentionList(Struct, frozen=True):
    """The choices that a reply mentions, in order: a chain is a list such as "A, B and C"."""

    raw: str  # the clean reply
    text: str  # without markup
    lower: str  # in lower case
    chains: tuple[tuple[Mention, ...], ...]
    index: ChoiceIndex
    multi_select: bool  # more than one answer was asked for
    all_mentions: list[Mention]  # all of them, before lists are looked at
    dropped: tuple[Mention, ...]  # those that are only listed or discussed
    refusals: tuple[tuple[int, int], ...]  # spans where the model says that it cannot answer
    broken: bool  # the reply stops within its reasoning
    none_fits: bool = False  # the reply says that no option fits

    @property
    def mentions(self) -> list[Mention]:
        return [mention for chain in self.chains for mention in chain]


# ---------------------------------------------------------------- finding


def _find_letters(text: str, low: str, index: ChoiceIndex) -> Iterator[Mention]:
    """Find letters that are used as labels."""
    lettered = bool(index.choices) and not index.texts  # the options are the letters themselves
    for match in index.letter.finditer(text):
        start, end = match.span()
        if not stands_apart(text, start, end):
            continue
        if end - start > 1 and match[0] not in index.spelled:
            yield from (
                Mention(letter, position, position + 1, "bare") for position, letter in enumerate(match[0], start)
            )
            continue
        if match[0] not in index.spelled or cues.KEY_NAME.match(low, end):
            continue
        before, after = low[max(0, start - 24) : start], text[end : end + 12]
        closed = bool(CLOSED.match(after))
        bracketed = closed and (after[0] in ")]" or bool(OPENED.search(before)))
        pauses = bool(cues.PAUSE.match(after))
        named = bool(cues.NAMED.search(before) or (lettered and cues.SOURCE.search(before))) and (
            pauses or match[0] not in "aiI"
        )
        wordy = match[0].islower() or match[0] in "AEIOUY"  # may be a word of some language
        if bracketed or named or pauses or not wordy:
            yield Mention(index.spelled[match[0]], start, end, "marked" if bracketed or named else "bare")


def _find_texts(low: str, index: ChoiceIndex) -> list[Mention]:
    """Find the texts of options; one inside a longer one is left out."""
    words = words_of(low)
    mentions = [
        Mention(option.label, start, end, "text")
        for option in index.texts
        for start, end in occurrences(option, words, low)
        if not (is_number(option.joined) and _is_incidental_number(low, start, end))
    ]
    kept: list[Mention] = []
    for mention in sorted(mentions, key=lambda mention: (mention.start, -mention.end)):
        if not kept or mention.end > kept[-1].end or (mention.start, mention.end) == (kept[-1].start, kept[-1].end):
            kept.append(mention)
    return kept


def _is_incidental_number(low: str, start: int, end: int) -> bool:
    """True if a number only opens a line of a list, or is part of "at least one", "one of"."""
    line = low[low.rfind("\n", 0, start) + 1 : start]
    if not line.strip(" \t*#(") and cues.ENUMERATOR.match(low, end):
        return True
    return bool(cues.PART_OF.match(low, end)) or bool(cues.IN_PASSING.search(low[max(0, start - 24) : start]))


def _find_ordinals(low: str, index: ChoiceIndex) -> list[Mention]:
    """Find "the second option", "option two" and "the last choice", if no option is a number or an ordinal itself."""
    if not index.choices or any(cues.NUMERAL.search(choice.lower()) for choice in (*index.choices, *index.labels)):
        return []
    mentions = []
    for place in cues.ORDINAL.finditer(low):
        word = place["ordinal0"] or place["ordinal1"] or place["ordinal2"] or place["number"]
        position = len(index.labels) - 1 if word == "last" else cues.ORDINALS[word] - 1
        if 0 <= position < len(index.labels):
            mentions.append(Mention(index.labels[position], *place.span(), "marked"))
    return mentions


def _merge_mentions(letters: Sequence[Mention], texts: list[Mention], text: str, index: ChoiceIndex) -> list[Mention]:
    """Merge a label with its own option's text after it; drop bare letters inside an option's text."""
    merged: list[Mention] = []
    own: set[int] = set()
    position = 0
    for letter in letters:
        while position < len(texts) and texts[position].end <= letter.start:
            position += 1
        gap = BESIDE.match(text, letter.end)
        reach = gap.end() if gap else letter.end
        beside = [n for n in range(position, min(position + 4, len(texts))) if letter.end <= texts[n].start <= reach]
        mine = [n for n in beside if texts[n].label == index.same[letter.label]]
        if mine:
            own.add(mine[0])
            merged.append(structs.replace(letter, end=texts[mine[0]].end, form="marked"))
        elif letter.form == "marked" or position == len(texts) or texts[position].start > letter.start:
            merged.append(letter)
    merged += [mention for n, mention in enumerate(texts) if n not in own]
    return sorted(merged, key=lambda mention: (mention.start, -mention.end))


# ---------------------------------------------------------------- stances


def words_in(text: str) -> str:
    """Remove articles, spaces and signs from a text."""
    return ARTICLES_AND_SIGNS.sub("", text)


def sentence_before(low: str, start: int) -> tuple[str, int]:
    """Return the part of a mention's sentence before it, and its offset."""
    begin = max(0, start - WINDOW)
    lead = low[begin:start]
    body = lead.rstrip(" \t\n\r([{<（【-•·>")
    if body and cues.SENTENCE_END.fullmatch(body[-1]):
        return "", start
    ends = [end.end() for end in cues.SENTENCE_END.finditer(body)]
    return lead[ends[-1] if ends else 0 :], begin + (ends[-1] if ends else 0)


def _stance(
    low: str, mention: Mention, previous: int, index: ChoiceIndex, refusals: Sequence[tuple[int, int]]
) -> Stance:
    """Stance of a mention by the words around it. A cue belongs to the first choice after it.

    `previous`: end of the mention before it.
    """
    after = low[mention.end : mention.end + 80]
    sentence, begin = sentence_before(low, mention.start)
    declined = [end for start, end in refusals if begin <= start and end <= mention.start]
    if declined and not cues.CLAUSE_PAUSE.search(low[declined[0] : mention.start]):  # "hard to tell a man from a woman"
        return "denied"
    if _left_open(low, mention, sentence, begin) or (
        cues.DENIED_AFTER.match(after) and not cues.TAG_QUESTION.match(after)
    ):
        return "denied"
    lead = sentence[max(0, previous - begin) :]
    if previous > begin and not lead.rpartition("\n")[0].rstrip().endswith((":", "：")):
        lead = lead.rpartition("\n")[2]  # what stands in the line of another choice belongs to that
    text = mention.form == "text"
    denial = cues.DENIED.search(lead)
    if denial and (
        cues.RESUMED.search(denial["scope"].strip().removeprefix("that"))
        or cues.NOT_LESS.search(sentence)
        or cues.COUNTERFACTUAL.search(lead)
    ):
        denial = None
    denied_from = denial.start() if denial else -1
    declared = (cues.DECLARED_TEXT if text else cues.DECLARED).search(lead)
    if declared and declared.start() >= denied_from and not cues.EACH.search(lead[: declared.start()]):
        return "denied" if declared["wrong"] or cues.TURNED_DOWN.search(declared[0]) else "declared"
    concluded = (cues.CONCLUDED_TEXT if text else cues.CONCLUDED).search(lead)
    if denial and not (concluded and concluded.start() >= denied_from):
        return "denied"
    if not concluded and (cues.DECLARED_AFTER_TEXT if text else cues.DECLARED_AFTER).match(after):
        return "declared"
    return "concluded" if concluded or (not text and index.plain and cues.LIKELY.search(lead)) else "said"


def _left_open(low: str, mention: Mention, sentence: str, begin: int) -> bool:
    """True if a mention is part of a question, or of a condition such as "if it is low, A"."""
    if cues.CONDITION.search(sentence) and not cues.ANYWAY.search(sentence):
        return True
    return _is_in_question(low, mention, sentence) or bool(cues.WHENS.search(low, begin, mention.end + WINDOW))


def _is_in_question(low: str, mention: Mention, sentence: str) -> bool:
    """True if a mention is part of a question of the reply, such as "Could it be a child?"."""
    if cues.TAG_QUESTION.match(low, mention.end):
        return False
    stop = cues.SENTENCE_END.search(low, mention.end, mention.end + WINDOW)
    return bool(stop and stop[0][0] in "?？" and words_in(sentence))


def _belong_together(mention: Mention, other: Mention, gap: str) -> bool:
    """True if two neighbours form a list, or a label with another option's text."""
    if (mention.form == other.form == "text" and ";" in gap) or (mention.label == other.label and "," in gap):
        return False
    if cues.BOXES.search(gap) or (DASH.search(gap) and "\n" not in gap):
        return False
    if (mention.form == "text") == (other.form == "text") or other.form == "marked":
        return len(gap) < 40 and bool(cues.JOINT.match(gap))
    alone = mention.end - mention.start == len(mention.label)
    return alone and other.form == "text" and mention.label != other.label and bool(CONFLICT.fullmatch(gap))


def _spread_stances(
    stances: list[Stance], gaps: Sequence[str], joined: Sequence[bool], *, multi_select: bool
) -> list[Stance]:
    """Spread the stance of one end of a list to all of its mentions."""
    shared = [near and (multi_select or ";" not in gap) for near, gap in zip(joined, gaps, strict=True)]
    for n, same in enumerate(shared):
        if same and stances[n + 1] == "said":
            stances[n + 1] = stances[n]
    for n in reversed(range(len(shared))):
        if shared[n] and stances[n] == "said":
            stances[n] = stances[n + 1]
    for n, gap in enumerate(gaps):  # "not A but B"
        if stances[n] == "denied" and stances[n + 1] == "said" and cues.CONTRAST.fullmatch(gap):
            stances[n + 1] = "concluded"
        elif stances[n] == stances[n + 1] == "said" and cues.BUT_IS.fullmatch(gap) and cues.SURE.search(gap):
            stances[n], stances[n + 1] = "denied", "concluded"
    return stances


def _build_chains(
    low: str,
    every: Sequence[Mention],
    gone: Sequence[Mention],
    index: ChoiceIndex,
    refusals: Sequence[tuple[int, int]],
    *,
    multi_select: bool,
) -> list[tuple[Mention, ...]]:
    """Join the mentions to chains, without those that are only discussed."""
    mentions = [mention for mention in every if mention not in gone]
    ends = {mention: before.end for before, mention in pairwise(every)}
    gaps = [low[mention.end : other.start] for mention, other in pairwise(mentions)]
    joined = [
        _belong_together(mention, other, gap)
        and not (gap.strip() == "," and low[: mention.start].rstrip(" (").endswith("not"))
        for (mention, other), gap in zip(pairwise(mentions), gaps, strict=True)
    ]  # "not C, D": D it is
    shared = [near and (multi_select or "\n" not in gap) for near, gap in zip(joined, gaps, strict=True)]
    chains: list[tuple[Mention, ...]] = []
    stances = _spread_stances(
        [_stance(low, mention, ends.get(mention, 0), index, refusals) for mention in mentions],
        gaps,
        shared,
        multi_select=multi_select,
    )
    for n, mention in enumerate(mentions):
        each = structs.replace(mention, stance=stances[n])
        if n > 0 and shared[n - 1] and stances[n - 1] == each.stance:
            chains[-1] += (each,)
        else:
            chains.append((each,))
    return chains


# ---------------------------------------------------------------- options that are only gone through


def _is_listing(chain: Sequence[Mention], index: ChoiceIndex) -> bool:
    """True if options are only listed, as in the question."""
    labels = {mention.label for mention in chain}
    return len(labels) > 2 or (len(labels) == 2 and len(index.labels) == 2)


def _runs(low: str, mentions: Sequence[Mention], index: ChoiceIndex) -> Iterator[list[Mention]]:
    """Yield runs of mentions that open lines: in ascending or descending order of labels, or on consecutive lines."""
    run: list[Mention] = []
    step = last = 0
    ordered = near = True
    for mention in mentions:
        begin = low.rfind("\n", 0, mention.start) + 1
        previous, last = last, mention.end
        if previous > begin or not LINE_LEAD.fullmatch(low[begin : mention.start]):
            continue
        position = index.labels.index(mention.label)
        change = position - index.labels.index(run[-1].label) if run else 0
        between = low[run[-1].end : begin].partition("\n")[2] if run else ""
        ordered = ordered and change != 0 and step * change >= 0
        near = near and not words_in(between) and mention.label not in {each.label for each in run}
        if run and (ordered or near):
            step = change
            run.append(mention)
        else:
            yield run
            run, step, ordered, near = [mention], 0, True, True
    yield run


def _find_walkthroughs(
    low: str, mentions: Sequence[Mention], index: ChoiceIndex
) -> tuple[list[Mention], list[Mention]]:
    """Find mentions that open lines which discuss the options one by one, and those whose line alone says yes."""
    dropped: list[Mention] = []
    chosen: list[Mention] = []
    for run in _runs(low, mentions, index):
        whole = len(run) >= min(MIN_RUN, len(index.labels))
        if len(run) < 2 or not (whole or index.labels.index(run[0].label) in (0, len(index.labels) - 1)):
            continue
        if any(cues.CHECKED_BOX.search(low, max(0, mention.start - 8), mention.start) for mention in run):
            continue
        ends = [low.find("\n", mention.end) for mention in run]
        rest = [low[mention.end : end if end >= 0 else len(low)] for mention, end in zip(run, ends, strict=True)]
        alone = run[-1].end - run[-1].start == len(run[-1].label)
        if alone and not words_in(rest[-1]) and all(words_in(line) for line in rest[:-1]):
            run.pop()  # steps of a list, then the answer
        right = [mention for mention, line in zip(run, rest, strict=False) if cues.VERDICT.search(line)]
        chosen += right if len(right) == 1 else []
        dropped += [mention for mention in run if mention not in chosen]
    return dropped, chosen


def find_mentions(raw: str, index: ChoiceIndex, *, multi_select: bool) -> MentionList:
    """Find the choices that a clean reply mentions."""
    text = NOISE.sub(lambda match: _without_tag(match[0], index), raw)
    low = cues.ABBREVIATED.sub(lambda match: match[1] + " ", lower(text))
    letters = sorted(
        [*_find_letters(text, low, index), *_find_ordinals(low, index)],
        key=lambda mention: (mention.start, -mention.end),
    )
    match = _merge_mentions(letters, _find_texts(low, index), text, index)
    if len(match) > FIRST + LAST:
        match = match[:FIRST] + match[-LAST:]
    refusals = tuple(place.span() for place in cues.DECLINES.finditer(low))
    gone, chosen = ([], []) if multi_select else _find_walkthroughs(low, match, index)
    chains = [
        tuple(
            structs.replace(mention, stance="declared")
            if structs.replace(mention, stance="said") in chosen
            else mention
            for mention in chain
        )
        for chain in _build_chains(low, match, gone, index, refusals, multi_select=multi_select)
    ]
    listed = [] if multi_select else [chain for chain in chains if _is_listing(chain, index)]
    return MentionList(
        raw=raw,
        text=text,
        lower=low,
        chains=tuple(chain for chain in chains if chain not in listed),
        index=index,
        multi_select=multi_select,
        all_mentions=match,
        dropped=(*gone, *(mention for chain in listed for mention in chain)),
        refusals=refusals,
        broken=breaks_off(raw),
    )


def without_speech(listing: MentionList) -> str:
    """Return the reply in lower case without quoted speech, and without the choices that it mentions."""
    text = QUOTED.sub(_blank_speech, lower(listing.raw))
    for mention in (*listing.dropped, *listing.mentions):
        text = text[: mention.start] + " " * (mention.end - mention.start) + text[mention.end :]
    return text


def breaks_off(text: str) -> bool:
    """True if a long reply stops within its reasoning: in mid-sentence, or after an item of a list."""
    return len(text) >= LONG and bool(cues.LIST_ITEM.search(text.rstrip()) or not cues.END.search(text.rstrip()))


def _without_tag(tag: str, index: ChoiceIndex) -> str:
    """Replace markup by blanks, except an option in angle brackets."""
    return f" {tag[1:-1]} " if tag[:1] == "<" and tag[1:-1].lower() in index.verbatim else " " * len(tag)


def _blank_speech(match: re.Match[str]) -> str:
    """Replace quoted speech of the recording by blanks: a quotation of more than three words."""
    return blank(match) if match[0].count(" ") > 2 else match[0]
