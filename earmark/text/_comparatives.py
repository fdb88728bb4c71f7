"""Parses comparisons of two sounds, "A is lower than B, so B is higher", by the comparative that the question asks for.

A clause states that one of the two has more or less of something: higher, no gap, after the other. The answer follows
from the question: of two tones one is the higher if the other is the lower. If the question is unknown, it is assumed
to ask for "more" (higher, louder, longer, a gap), and only clauses with these words count: "not higher than B" does,
"lower than B" does not, since the question may ask for the lower one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from earmark.text._keys import ChoiceIndex, Mention
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
    r"|stimuli|signals?|ones?|options?|segments?|sequences?|tracks?|pulses?)"
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
ELLIPSIS = LazyPattern(r"\s+(?:(?:also|slightly|much|clearly|still|is|was|sounds?)\s+){0,3}\w+er\b[^,.]{0,20}\Z")
HIDDEN = LazyPattern(r"\bhidden\b|\bcontains?\b|\bin (?:which|it)\b")
ALIKE = LazyPattern(r"\bas (?:\w+ ){1,2}as\b")
PLACED = LazyPattern(r"\b(?:in|it is|it's|number)\b")
HEDGE = LazyPattern(r"\bif i (?:had|have|must|were)\b[^,:]*[,:]?|\bhigh(?:er)? quality\b|\bvery\b")


class Fact(NamedTuple):
    """One of the two sounds has more (or less) of something."""

    position: int  # 0 or 1
    dimension: str
    more: bool
    echoed: bool  # expressed by the word for "more", denied or not
    start: int
    end: int


class SoundName(NamedTuple):
    """One mention of one of the two sounds."""

    position: int  # 0 or 1
    start: int
    end: int


class Comparative(NamedTuple):
    """More or less of a dimension."""

    dimension: str
    more: bool


@lru_cache(maxsize=1)
def _comparative_pattern() -> LazyPattern:
    """Pattern of any word for more or less of something, in a group of that name."""
    groups = [
        rf"(?P<{name}_{sign}>\b(?:{words})\b)"
        for name, both in _DIMENSIONS.items()
        for sign, words in zip(("more", "less"), both, strict=True)
    ]
    return LazyPattern("|".join(groups))


# ---------------------------------------------------------------- the two that are compared


@lru_cache(maxsize=256)
def _names(labels: tuple[str, ...], choices: tuple[str, ...]) -> LazyPattern | None:
    """Pattern of the names of the two sounds, in groups `name0` and `name1`: by position, or by distinctive words."""
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
    """The one word that distinguishes each of two short options from the other: low and high, dog and cat."""
    if len(choices) != 2 or all(set(choice.lower().split()) <= _GENERIC for choice in choices):
        return ()
    first, second = (keywords(choice) for choice in choices)
    own = [*(first - second), *(second - first)]
    short = all(len(choice.split()) <= 3 for choice in choices)
    return (
        tuple(own) if len(first - second) == len(second - first) == 1 and short and all(map(str.isalpha, own)) else ()
    )


def _letter(letter: str) -> str:
    """Pattern of a letter as the name of a sound; "A" before a noun is an article."""
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
    subject: list[SoundName] = []
    for begin, clause in _clauses(HEDGE.sub(blank, text)):
        sound_names = [SoundName(int(bool(match["name1"])), *match.span()) for match in names.finditer(clause)]
        if not sound_names and ELLIPSIS.match(clause):  # "the second was quieter but higher"
            sound_names = [SoundName(before.position, 0, 0) for before in subject]
        subject = sound_names if len(sound_names) == 1 else []
        if not 0 < len(sound_names) <= 2 or NOT_SAID.search(clause.lower()):
            continue
        masked = clause
        for sound_name in sound_names:
            masked = masked[: sound_name.start] + " " * (sound_name.end - sound_name.start) + masked[sound_name.end :]
        yield from _of_clause(begin, masked.lower(), sound_names)


def _of_clause(begin: int, clause: str, sound_names: Sequence[SoundName]) -> Iterator[Fact]:
    """Yield the facts of one clause, in which one or both sounds are named."""
    moved = MOVES.search(clause)
    if len(sound_names) == 2 and moved and " to " in clause:
        yield Fact(
            sound_names[-1].position,
            "pitch",
            bool(moved["up"]),
            True,
            begin + sound_names[-1].start,
            begin + sound_names[-1].end,
        )
        return
    for word in _comparative_pattern().finditer(clause):
        dimension, _, sign = (word.lastgroup or "").rpartition("_")
        negated = bool(NEGATION.search(clause[: word.start()]))
        if ALIKE.search(clause) and not negated:
            continue
        if (subject := _subject(clause, word.span(), sound_names)) is not None:
            yield Fact(
                subject.position,
                dimension,
                (sign == "more") != negated,
                sign == "more",
                begin + subject.start,
                begin + subject.end,
            )


def _subject(clause: str, place: tuple[int, int], sound_names: Sequence[SoundName]) -> SoundName | None:
    """Sound that is the subject of a comparative at this place."""
    than = THAN.search(clause)
    before = [sound_name for sound_name in sound_names if not than or sound_name.start < than.start()]
    if not before:  # "higher than the first"
        return SoundName(1 - sound_names[0].position, sound_names[0].start, sound_names[0].end)
    if len(before) == 2:
        before = [sound_name for sound_name in sound_names if sound_name.start < place[0]][-1:] or before
    sound_name = before[0]
    return None if clause[place[1] : sound_name.start].strip() in ("of", "of the") else sound_name


@lru_cache(maxsize=1024)
def question_comparative(question: str) -> Comparative | None:
    """Find the comparative that a question asks for: the first after its last "which", else the last of all.

    >>> question_comparative("You hear two tones. Which one is higher in pitch?")
    Comparative(dimension='pitch', more=True)
    """
    low = question.lower()
    start = max(0, *(low.rfind(word) for word in ("which", "who ", "does ", "what")))
    matches = list(_comparative_pattern().finditer(low, start)) or list(_comparative_pattern().finditer(low))[-1:]
    for word in matches:
        dimension, _, sign = (word.lastgroup or "").rpartition("_")
        if dimension != "tone" or HIDDEN.search(low):
            return Comparative(dimension, sign == "more")
    return None


def _infer_comparative(facts: Sequence[Fact]) -> Comparative | None:
    """Infer the comparative that is asked for from the facts of a reply."""
    dimensions = {fact.dimension for fact in facts}
    if len(dimensions) > 1:
        dimensions -= {"tone"}
    if len(dimensions) != 1 or not any(fact.echoed for fact in facts):
        return None
    return Comparative(dimensions.pop(), more=True)


def compare_sounds(text: str, index: ChoiceIndex, question: str) -> Mention | None:
    """Find the one of two sounds that a reply says the question asks for.

    >>> from earmark.text._keys import build_choice_index
    >>> index = build_choice_index(("A", "B"), ("the first", "the second"), False)
    >>> compare_sounds("A is lower in pitch than B. Therefore, B is higher.", index, "").label
    'B'
    >>> compare_sounds("A is lower in pitch than B.", index, "Which one is higher in pitch?").label
    'B'
    """
    names = _names(index.labels, index.choices)
    if names is None:
        return None
    want = question_comparative(question) if question else None
    if whole := _single_name(text, names, want):
        return Mention(index.labels[whole.position], whole.start, whole.end, "marked", "concluded")
    ordered = "time" if _by_name(index.choices) else ""
    if ordered and want and want.dimension != "time":
        return None
    facts = [fact for fact in _facts(text, names) if want or (fact.dimension == "time") == bool(ordered)]
    want = want or _infer_comparative(facts)
    facts = [fact for fact in facts if want and fact.dimension == want.dimension]
    chosen = {fact.position if want and fact.more == want.more else 1 - fact.position for fact in facts}
    if len(chosen) != 1:
        return None
    return Mention(index.labels[chosen.pop()], facts[-1].start, facts[-1].end, "marked", "concluded")


def has_comparison(text: str, index: ChoiceIndex) -> bool:
    """True if a reply compares the two sounds of an item in any way."""
    names = _names(index.labels, index.choices) if two_sounds(index) else None
    return names is not None and any(True for _ in _facts(text, names))


def two_sounds(index: ChoiceIndex) -> bool:
    """True if the options are two sounds by position, such as "the first" and "the second"."""
    return _names(index.labels, index.choices) is not None and not _by_name(index.choices)


def _single_name(text: str, names: LazyPattern, want: Comparative | None) -> SoundName | None:
    """Find the sound that is the whole reply, or the one that "B > A" puts first."""
    if (alone := NUMBER.fullmatch(text)) is not None:
        return SoundName(int(alone[1]) - 1, *alone.span(1))
    sound_names = [SoundName(int(bool(match["name1"])), *match.span()) for match in names.finditer(text)]
    if len(sound_names) == 1 and not words_in(
        PLACED.sub("", (text[: sound_names[0].start] + text[sound_names[0].end :]).lower())
    ):
        return sound_names[0]
    if len(sound_names) != 2 or words_in((text[: sound_names[0].start] + text[sound_names[1].end :]).lower()):
        return None
    sign = text[sound_names[0].end : sound_names[1].start].strip()
    if sign not in (">", "<"):
        return None
    return sound_names[(sign == "<") != (want is not None and not want.more)]
