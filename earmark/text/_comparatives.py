"""Comparisons of two sounds: "A is lower than B, so B is higher", read by the comparative that the question asks for.

A clause says of one of the two that it has more or less of something: higher, no gap, after the other. Which of the
two is meant follows from what is asked: of two tones one is the higher if the other is the lower. Where the question
is not known, "more" is taken to be asked (higher, louder, longer, a gap), and only what says so in these words is
read: "not higher than B" is read, "lower than B" is not, since the lower one may be what is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from earmark.text._keys import Key, Mention
from earmark.text._keywords import keywords
from earmark.text._lazy import LazyPattern
from earmark.text._mentions import words_in
from earmark.text._screen import blank

# More and less of everything that is asked of two sounds.
_DIMENSIONS = {
    "gap": (
        (
            r"(?:(?:short|brief|small|tiny|little|long|silent) )?"
            r"(?:gaps?|silences?|interruptions?|interrupted|breaks?|pauses?|paused|drop-?outs?)"
        ),
        r"continuous|uninterrupted|gapless|unbroken",
    ),
    "pitch": (
        r"high(?:er|est)?(?:[- ]pitch(?:ed)?)?|shriller|sharper in pitch",
        r"low(?:er|est)?(?:[- ]pitch(?:ed)?)?|deeper",
    ),
    "loudness": (
        r"loud(?:er|est)?|stronger|more intense|more powerful",
        r"soft(?:er|est)?|quiet(?:er|est)?|fainter|weaker",
    ),
    "duration": (r"long(?:er|est)|more prolonged|more time", r"short(?:er|est)|briefer"),
    "tempo": (
        r"fast(?:er|est)?|quick(?:er|est)?|more rapid(?:ly)?|more frequent(?:ly)?",
        r"slow(?:er|est)?|less rapid(?:ly)?",
    ),
    "timbre": (
        r"bright(?:er|est)?|crisper|more brilliant",
        r"dark(?:er|est)?|dull(?:er|est)?|mellower|more muffled|warmer",
    ),
    "distance": (
        r"farther|farthest|further|furthest|more distant|far(?: away)?|more reverberant",
        r"close(?:r|st)|near(?:er|est)|less distant|less reverberant",
    ),
    "tone": (
        r"(?:hidden |steady |pure |faint )?(?:tones?|beeps?|whistles?|hums?)",
        r"only noise|just noise|pure noise|noise only",
    ),
    "time": (
        r"first|earlier|earliest|before|precedes|preceded|leads|starts it|ahead of",
        r"later|latest|last|after|second|follows|followed|afterwards|subsequently|lags",
    ),
}
_RISING = r"(?:rises?|rising|rose|increases?|goes up|going up|went up|ascends?|climbs?)"
_FALLING = r"(?:falls?|falling|fell|decreases?|goes down|going down|went down|descends?|drops?)"
_NOUN = (
    r"(?:sounds?|clips?|tones?|noises?|recordings?|audios?|samples?|beeps?|rows?(?: of beeps)?|intervals?|stimulus"
    r"|stimuli|signals?|ones?|options?"
    r"|segments?|sequences?|tracks?|pulses?)"
)
_ORDINAL = (r"first|1st|former|earlier", r"second|2nd|latter|last|later")
_BARE = ("1|one", "2|two")
_GENERIC = frozenset(
    "the a b 1 2 one two first second 1st 2nd number former latter sound clip tone noise recording audio sample"
    " beep beeps row interval stimulus option signal is has ones sounds".split()
)
VERBS = (
    r"(?:is|was|has|had|have|sounds?|seems?|lasts?|contains?|goes|comes|appears?|starts?|begins?"
    r"|plays?|does|doesn't|isn't|hasn't|wasn't|precedes?|leads?|follows?|lacks?|being)"
)
CLAUSE_END = LazyPattern(
    r"[.;!?。\n]+(?=\s|\Z)|,(?!\d)|\s[-–—]+\s|\b(?:and|but|while|whereas|so|therefore|thus|hence|because|since"
    r"|although|though|which|then)\b"
)
THAN = LazyPattern(
    r"\bthan\b|\bcompared (?:to|with)\b|\brelative to\b|\bas opposed to\b|\b(?:before|after|precedes|preceded"
    r"|follows|followed by|leads|ahead of)\b"
)
NEGATION = LazyPattern(
    r"(?:\b(?:not|no|without|never|lacks?|less|neither|isn't|hasn't|doesn't|wasn't|lacking|free of)\b"
    r"|n't\b)(?:\W+\w+){0,3}?\W+\Z"
)
NOT_SAID = LazyPattern(
    r"\b(?:whether|if|cannot|can't|could not|couldn't|unable|unclear|same|equal(?:ly)?|identical|similar|both"
    r"|neither|either|or|might|may|between)\b|\?"
)
MOVES = LazyPattern(rf"\b(?:(?P<up>{_RISING})|{_FALLING})\b")
NUMBER = LazyPattern(r"\W*([12])\W*")
HIDDEN = LazyPattern(r"\bhidden\b|\bcontains?\b|\bin (?:which|it)\b")
ALIKE = LazyPattern(r"\bas (?:\w+ ){1,2}as\b")
PLACED = LazyPattern(r"\b(?:in|it is|it's|number)\b")
HEDGE = LazyPattern(r"\bif i (?:had|have|must|were)\b[^,:]*[,:]?|\bhigh(?:er)? quality\b|\bvery\b")


class Fact(NamedTuple):
    """One of the two sounds has more (or less) of something."""

    position: int  # 0 or 1
    dimension: str
    more: bool
    echoed: bool  # said in the word for "more", denied or not
    start: int
    end: int


class Named(NamedTuple):
    """One place where one of the two sounds is named."""

    position: int  # 0 or 1
    start: int
    end: int


class Asked(NamedTuple):
    """More or less of what is asked."""

    dimension: str
    more: bool


@lru_cache(maxsize=1)
def _comparative() -> LazyPattern:
    """Any word for more or less of something, in a group of that name."""
    groups = [
        rf"(?P<{name}_{sign}>\b(?:{words})\b)"
        for name, both in _DIMENSIONS.items()
        for sign, words in zip(("more", "less"), both, strict=True)
    ]
    return LazyPattern("|".join(groups))


# ---------------------------------------------------------------- the two that are compared


@lru_cache(maxsize=256)
def _names(labels: tuple[str, ...], choices: tuple[str, ...]) -> LazyPattern | None:
    """The names of the two sounds, in groups `name0` and `name1`: by position, or by their telling words."""
    if len(labels) != 2 or not (choices or all(len(label) == 1 for label in labels)):
        return None
    letters = [label if len(label) == 1 and label.isalpha() else "AB"[n] for n, label in enumerate(labels)]
    if own := _by_name(choices):
        tail = rf"\w{{0,2}}(?:[- ]pitched)?)\b(?:\s+(?i:{_NOUN})\b)?"
        return LazyPattern("|".join(rf"(?P<name{n}>{_letter(letters[n])}|\b(?i:{own[n]}{tail})" for n in (0, 1)))
    if all(set(choice.lower().replace(".", " ").split()) <= _GENERIC for choice in choices):
        return LazyPattern("|".join(_by_position(n, letters[n]) for n in (0, 1)))
    return None


@lru_cache(maxsize=256)
def _by_name(choices: tuple[str, ...]) -> tuple[str, ...]:
    """The one word that tells each of two short options from the other: low and high, dog and cat."""
    if len(choices) != 2 or all(set(choice.lower().split()) <= _GENERIC for choice in choices):
        return ()
    first, second = (keywords(choice) for choice in choices)
    own = [*(first - second), *(second - first)]
    short = all(len(choice.split()) <= 3 for choice in choices)
    return (
        tuple(own) if len(first - second) == len(second - first) == 1 and short and all(map(str.isalpha, own)) else ()
    )


def _letter(letter: str) -> str:
    """A letter as the name of a sound; "A" before a noun is an article."""
    followed = rf"\s*[^\w\s'-]|\s+-|\s*\Z|\s+(?i:{VERBS}|than|and|or|because|since|\w+er)\b|'s\b"
    return rf"(?<![\w'-]){letter}(?={followed})|(?<=[a-z] ){letter}(?![\w'])"


def _by_position(n: int, letter: str) -> str:
    bare = f"{letter.lower()}|{_BARE[n]}"
    return (
        rf"(?P<name{n}>(?i:(?:\b{_NOUN}\s*(?:number\s|no\.?\s?|\#)?|\#|\bnumber\s|\bno\.\s?)(?:{bare}))\b"
        rf"|\b(?i:(?:{_ORDINAL[n]})(?:[- ]{_NOUN})?)\b|{_letter(letter)})"
    )


# ---------------------------------------------------------------- what is said of them


def _clauses(text: str) -> Iterator[tuple[int, str]]:
    begin = 0
    for stop in CLAUSE_END.finditer(text):
        yield begin, text[begin : stop.end() if stop[0].strip() == "?" else stop.start()]
        begin = stop.end()
    yield begin, text[begin:]


def _facts(text: str, names: LazyPattern) -> Iterator[Fact]:
    for begin, clause in _clauses(HEDGE.sub(blank, text)):
        named = [Named(int(bool(one["name1"])), *one.span()) for one in names.finditer(clause)]
        if not 0 < len(named) <= 2 or NOT_SAID.search(clause.lower()):
            continue
        masked = clause
        for one in named:
            masked = masked[: one.start] + " " * (one.end - one.start) + masked[one.end :]
        yield from _of_clause(begin, masked.lower(), named)


def _of_clause(begin: int, clause: str, named: Sequence[Named]) -> Iterator[Fact]:
    """The facts of one clause, in which one or both sounds are named."""
    moved = MOVES.search(clause)
    if len(named) == 2 and moved and " to " in clause:
        yield Fact(named[-1].position, "pitch", bool(moved["up"]), True, begin + named[-1].start, begin + named[-1].end)
        return
    for word in _comparative().finditer(clause):
        dimension, _, sign = (word.lastgroup or "").rpartition("_")
        negated = bool(NEGATION.search(clause[: word.start()]))
        if ALIKE.search(clause) and not negated:
            continue
        if (one := _subject(clause, word.span(), named)) is not None:
            yield Fact(
                one.position, dimension, (sign == "more") != negated, sign == "more", begin + one.start, begin + one.end
            )


def _subject(clause: str, place: tuple[int, int], named: Sequence[Named]) -> Named | None:
    """The sound that a comparative at this place is said of."""
    than = THAN.search(clause)
    before = [one for one in named if not than or one.start < than.start()]
    if not before:  # "higher than the first"
        return Named(1 - named[0].position, named[0].start, named[0].end)
    if len(before) == 2:
        before = [one for one in named if one.start < place[0]][-1:] or before
    one = before[0]
    return None if clause[place[1] : one.start].strip() in ("of", "of the") else one


@lru_cache(maxsize=1024)
def asked(question: str) -> Asked | None:
    """The comparative that a question asks for: the first after its last "which", else the last of all.

    >>> asked("You hear two tones. Which one is higher in pitch?")
    Asked(dimension='pitch', more=True)
    """
    low = question.lower()
    start = max(0, *(low.rfind(word) for word in ("which", "who ", "does ", "what")))
    matches = list(_comparative().finditer(low, start)) or list(_comparative().finditer(low))[-1:]
    for word in matches:
        dimension, _, sign = (word.lastgroup or "").rpartition("_")
        if dimension != "tone" or HIDDEN.search(low):
            return Asked(dimension, sign == "more")
    return None


def _wanted(facts: Sequence[Fact]) -> Asked | None:
    """The comparative that is asked for, as far as a reply echoes it."""
    dimensions = {one.dimension for one in facts}
    if len(dimensions) > 1:
        dimensions -= {"tone"}
    if len(dimensions) != 1 or not any(one.echoed for one in facts):
        return None
    return Asked(dimensions.pop(), more=True)


def compared(text: str, key: Key, question: str) -> Mention | None:
    """The one of two sounds that a reply says to be what is asked for.

    >>> from earmark.text._keys import key_of
    >>> key = key_of(("A", "B"), ("the first", "the second"), False)
    >>> compared("A is lower in pitch than B. Therefore, B is higher.", key, "").label
    'B'
    >>> compared("A is lower in pitch than B.", key, "Which one is higher in pitch?").label
    'B'
    """
    names = _names(key.labels, key.choices)
    if names is None:
        return None
    want = asked(question) if question else None
    if whole := _named_alone(text, names, want):
        return Mention(key.labels[whole.position], whole.start, whole.end, "marked", "concluded")
    ordered = "time" if _by_name(key.choices) else ""
    if ordered and want and want.dimension != "time":
        return None
    facts = [one for one in _facts(text, names) if want or (one.dimension == "time") == bool(ordered)]
    want = want or _wanted(facts)
    facts = [one for one in facts if want and one.dimension == want.dimension]
    chosen = {one.position if want and one.more == want.more else 1 - one.position for one in facts}
    if len(chosen) != 1:
        return None
    return Mention(key.labels[chosen.pop()], facts[-1].start, facts[-1].end, "marked", "concluded")


def compares(text: str, key: Key) -> bool:
    """True if a reply compares the two sounds of an item in any way."""
    names = _names(key.labels, key.choices) if two_sounds(key) else None
    return names is not None and any(True for _ in _facts(text, names))


def two_sounds(key: Key) -> bool:
    """True if the options are two sounds by position, such as "the first" and "the second"."""
    return _names(key.labels, key.choices) is not None and not _by_name(key.choices)


def _named_alone(text: str, names: LazyPattern, want: Asked | None) -> Named | None:
    """The sound that is all a reply names, or the one that "B > A" puts first."""
    if (alone := NUMBER.fullmatch(text)) is not None:
        return Named(int(alone[1]) - 1, *alone.span(1))
    named = [Named(int(bool(match["name1"])), *match.span()) for match in names.finditer(text)]
    if len(named) == 1 and not words_in(PLACED.sub("", (text[: named[0].start] + text[named[0].end :]).lower())):
        return named[0]
    if len(named) != 2 or words_in((text[: named[0].start] + text[named[1].end :]).lower()):
        return None
    sign = text[named[0].end : named[1].start].strip()
    if sign not in (">", "<"):
        return None
    return named[(sign == "<") != (want is not None and not want.more)]
