"""Keywords of a text: the stems of its words without function words."""

from __future__ import annotations

import re
from functools import lru_cache

from earmark.text._lazy import LazyPattern

TOKEN = LazyPattern(r"(?:(?<![\w.])[-−+](?=\d))?[^\W_][\w#♯♭]*(?:'[a-z]+)?")
SHORT = LazyPattern(r"\b(?:[a-z]\.){2,4}")  # "D.S.L."
COUNTS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty
""".split()
TENS = "thirty forty fifty sixty seventy eighty ninety".split()
NUMBERS = {word: str(count) for count, word in enumerate(COUNTS)}
NUMBERS |= {word: str(10 * count) for count, word in enumerate(TENS, 3)}
# Words with which an option's text may open, and which do not distinguish it.
LEADING = frozenset(
    """
    a an the he she it they we you i he's she's it's they're there there's is are was were be to in on at by from for
    with of into
""".split()
)
# Function words, which do not distinguish one option from another.
FILLER = frozenset(
    """
    a an the and or but if of in on at to from by with about into over after before as than then so that this these
    those there here it its he she they them their his her him i you we us our your my me is are was were be been
    being am do does did doing done has have had having will would can could should shall may might must who what
    which when where why how very quite rather really too just only also more most some any all both each such own
    same s t
""".split()
)
DENIALS = frozenset("not no never without neither nor cannot none".split())
_FAMILIES = (  # words whose common stem no ending shows; the first stands for all
    "anger angry|man men male males|woman women female females|child children|happy joy joyful joyous"
    "|fear afraid scared fearful"
    "|rises rose ascends ascending upward upwards increases increasing climbs climbing"
    "|falls fell descends descending downward downwards decreases decreasing drops dropping"
)
IRREGULAR = {word: family.split()[0] for family in _FAMILIES.split("|") for word in family.split()[1:]}
MOVES = LazyPattern(r"\b(?:goes|going|go|went|moves|moving|glides|slides) (up|down)\b")


def _root(word: str) -> str:
    """Rough stem of a word.

    >>> {_root("happy"), _root("happiness")}, {_root("frustrated"), _root("frustration")}
    ({'happ'}, {'frustrat'})
    """
    word = IRREGULAR.get(word, word).removesuffix("'s")
    if word in NUMBERS:
        return NUMBERS[word]
    for ending in ("iness", "ness", "ment", "ing", "ful", "ion", "ed", "es", "ly", "s"):
        if word.endswith(ending) and len(word) - len(ending) > 2:
            word = word.removesuffix(ending)
            break
    if len(word) > 3 and word[-1] in "eiy":
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ps" else word


@lru_cache(maxsize=4096)
def keywords(text: str) -> frozenset[str]:
    """Stems of the content words of a text; a denial adds "not".

    >>> sorted(keywords("She wasn't singing"))
    ['not', 'sing']
    """
    low = SHORT.sub(lambda short: short[0].replace(".", ""), text.lower())
    low = MOVES.sub(lambda move: "rises" if move[1] == "up" else "falls", low)
    words = TOKEN.findall(low)
    roots = {_root(word) for word in words if word not in FILLER and word not in DENIALS and "n't" not in word}
    return frozenset(roots | {"not" for word in words if word in DENIALS or "n't" in word})


_YES = frozenset("yes yeah yep yup indeed certainly absolutely definitely sure correct".split())
_YES_WORDS = (
    "of course",
    "i think so",
    "i believe so",
    "that is correct",
    "that's correct",
    "that's right",
    "it does",
    "it is",
)
_NO = frozenset("nope nah never".split())
_NO_WORDS = (
    "not really",
    "not at all",
    "absolutely not",
    "definitely not",
    "certainly not",
    "of course not",
    "i don't think so",
    "i do not think so",
    "it does not",
    "it doesn't",
    "it is not",
    "it isn't",
)


def polarity(low: str) -> str:
    """ "yes" or "no" if the first clause of a lower-case reply says so in other words; else empty.

    >>> polarity("not really."), polarity("absolutely"), polarity("it is a bell")
    ('no', 'yes', '')
    """
    clause = re.split(r"[.,;:!\n]", low.strip(), maxsplit=1)[0].strip()
    if clause in _NO_WORDS or clause in _NO:
        return "no"
    return "yes" if clause in _YES_WORDS or clause in _YES else ""
