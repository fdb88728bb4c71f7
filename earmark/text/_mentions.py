"""Where a reply names a choice, and what the words around it make of that.

Screening comes first: thinking parts, an echoed chat and whatever follows the end of the turn are left out, markup becomes
blanks. Every step keeps lengths, so that a place in the screened text is a place in the reply. Then letters that stand as
labels and the texts of options are found, each with its stance, and lists such as "A, B and C" are tied together as chains.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal, TypeAlias

import msgspec
from msgspec import Struct

from earmark.text import _cues as cues
from earmark.text._telling import COUNTS, LEADING, TOKEN, telling_words

Stance: TypeAlias = Literal["declared", "concluded", "said", "denied"]


class Mention(Struct, frozen=True):
    """One place where a reply names a choice."""

    label: str
    start: int
    end: int
    form: Literal["marked", "bare", "text"]  # marked: in brackets, after "option", or before its own option's text
    stance: Stance = "said"


class Key(Struct, frozen=True):
    """What is looked for: made once for an item."""

    labels: tuple[str, ...]
    spelled: dict[str, str]  # a label as it may be found -> as the item spells it
    letter: re.Pattern[str]
    texts: tuple[tuple[str, re.Pattern[str]], ...]
    verbatim: dict[str, str]
    telling: dict[str, frozenset[str]]  # the words that tell an option from the others


class Sheet(Struct, frozen=True):
    """What is left of a reply to be read."""

    text: str
    begin: int  # where it stood in the reply
    skipped: int  # how much was left out after `HEAD` characters

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch of the text stood in the reply."""
        first, last = (at + self.begin + (self.skipped if at >= HEAD else 0) for at in (start, end))
        return first, last


class Page(Struct, frozen=True):
    """The choices that a reply names, in order: a chain is a list such as "A, B and C"."""

    text: str  # without markup
    low: str  # in lower case
    own: str  # without quoted speech and the options listed
    chains: tuple[tuple[Mention, ...], ...]
    key: Key
    several: bool  # whether more than one answer was asked for

    @property
    def mentions(self) -> list[Mention]:
        return [one for chain in self.chains for one in chain]


# ---------------------------------------------------------------- screening: lengths are kept, so spans stay true

_THINK = r"(?:think|thinking|thoughts?|reasoning|reflection|analysis|scratchpad)"
_ANSWER = r"(?:answer|final_answer|response|conclusion)"
THOUGHT = re.compile(
    rf"[<\[◁](?=[|/\sa-z])(?:(?P<close>\|?(?:/(?:seed:)?|end_(?:of_)?){_THINK}\|?[>\]▷]|\|?channel\|?>\s*final(?:<\|message\|>)?|channel\|>)"
    rf"|(?P<open>\|?(?:start_|begin_of_|seed:)?{_THINK}\|?[>\]▷]|\|?channel\|?>\s*(?:analysis|thought|commentary)\b)"
    rf"|(?P<answer>\s*{_ANSWER}\s*>))",
    re.IGNORECASE,
)
ANSWER_PART = re.compile(rf"<\s*{_ANSWER}\s*>(.*?)(?=</\s*{_ANSWER}|\Z)", re.IGNORECASE | re.DOTALL)
ECHOED_CHAT = re.compile(r"\s*(?:system|user)\n.*\nassistant\n", re.DOTALL)
TURN_END = re.compile(
    r"<\|(?:im_end|im_start|endoftext|eot_id|end|eom_id|user|start_header_id)\|>|</s>|<eos>|<end_of_turn>"
    r"|\n[ \t]*(?:user|human|model|assistant)[ \t]*(?::|\n|\Z)",
    re.IGNORECASE,
)
BOX = re.compile(r"\\f?box(?:ed)?\s*\{|<\|begin_of_box\|>|\[\[")
NOISE = re.compile(  # markdown, LaTeX, tags and quotation marks
    r"<\|[^<>|\n]{1,40}\|>|</?(?:[a-z][a-z0-9_]{0,20}|[A-Z_]{2,20})\s?/?>|\\(?:text|math|bf|it|rm)[a-z]{0,4}\s*\{|\\[()\[\]]"
    r"|[*`$\"“”„«»「」『』{}]|(?<!\w)_|_(?!\w)|(?<![A-Za-z])['‘’]|['‘’](?![A-Za-z])"
)
QUOTED = re.compile(r"[\"“„«][^\"”»\n]{1,400}[\"”»]")
HEAD, TAIL = 4_000, 8_000  # characters: an answer stands at the start or at the end


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _without_speech(found: re.Match[str]) -> str:
    """Blanks for what somebody in the recording says: a quotation of more than three words."""
    return _blank(found) if found[0].count(" ") > 2 else found[0]


def plain(text: str) -> str:
    """Full-width, circled, boxed and styled letters as plain ones, each in its place.

    >>> plain("答案：Ｂ Ⓒ 🅳")
    '答案:B C D'
    """
    table = {ord("’"): "'"}
    for sign in set(text):
        code = ord(sign)
        if code < 0x80 or 0x3040 <= code < 0xD800:  # plain already
            continue
        same = unicodedata.normalize("NFKC", sign)
        if 0x1F130 <= code < 0x1F190 and (code - 0x1F130) % 32 < 26:
            same = chr(ord("A") + (code - 0x1F130) % 32)
        if same != sign and len(same) == 1:
            table[code] = same
    return text.translate(table)


def _lower(text: str) -> str:
    low = text.lower()
    return low if len(low) == len(text) else "".join(sign.lower() if len(sign.lower()) == 1 else sign for sign in text)


def folded(text: str) -> str:
    return " ".join(plain(text).casefold().split())


def without_thought(text: str, *, opened: bool) -> str | None:
    """The reply with blanks for its thinking parts; None where it ends inside one."""
    start: int | None = 0 if opened else None
    kept: list[str] = []
    done = 0
    for tag in THOUGHT.finditer(text):
        if tag["open"]:
            start = tag.start() if start is None else start
        elif start is not None or (tag["close"] and not kept):
            begin, end = max(start or 0, done), tag.end() if tag["close"] else tag.start()
            kept += [text[done:begin], " " * (end - begin)]
            start, done = None, end
    return "".join(kept) + text[done:] if start is None else None


def screened(text: str) -> Sheet:
    """The model's own answer: its two ends if it is very long, with a mark where a box opens."""
    begin = echoed.end() if (echoed := ECHOED_CHAT.match(text)) else 0
    parts = [part.span(1) for part in ANSWER_PART.finditer(text, begin) if part[1].strip()]
    begin, end = parts[-1] if parts else (begin, len(text))
    turn = next((turn for turn in TURN_END.finditer(text, begin, end) if text[begin : turn.start()].strip()), None)
    answer = text[begin : turn.start() if turn else end]
    begin += len(answer) - len(answer.lstrip())
    answer = answer.strip()
    skipped = max(0, len(answer) - HEAD - TAIL)
    if skipped:
        answer = answer[: HEAD - 1] + "\n" + answer[HEAD + skipped :]
    return Sheet(BOX.sub(lambda box: cues.BOXED + " " * (len(box[0]) - 1), answer), begin, skipped)


# ---------------------------------------------------------------- what to look for

SPACED = (
    "0-9A-Za-z\u00c0-\u1fff#♯♭"  # scripts that part words by spaces; in Chinese, Japanese and Thai a word may touch
)
UNSPACED = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
GAP = r"[\W_]{0,8}"  # between the words of an option's text
ARTICLES = ("a", "an", "the")
BESIDE = re.compile(r"(?:[\W_]|\b(?:an?|the)\b){0,12}", re.IGNORECASE)  # between a label and its own option's text


def _word(token: str) -> str:
    """A token as a pattern: a small count may be a digit or a word, a long word may be parted."""
    for digit, name in enumerate(COUNTS):
        if token in (str(digit), name):
            return f"(?:{digit}|{name})"
    return "[ -]?".join(token) if len(token) > 7 and token.isalpha() else re.escape(token)


@lru_cache(maxsize=4096)
def _text_pattern(choice: str) -> re.Pattern[str] | None:
    """An option's words in order, whatever stands between them.

    >>> bool(_text_pattern("The bass drum").search("it is a bass-drum!"))
    True
    """
    tokens = TOKEN.findall(_lower(plain(choice)))
    if not tokens:
        return None
    lead = 0
    while lead < len(tokens) - 1 and tokens[lead] in LEADING:  # "He is a", "In the": an answer seldom repeats it
        lead += 1
    opening, core = tokens[:lead], [token for token in tokens[lead:] if token not in ARTICLES] or tokens[lead:]
    first, last = core[0], core[-1]
    before = "" if UNSPACED.match(first[0]) else rf"(?<![{SPACED}])(?<!\d[.,:/])"
    after = "" if UNSPACED.match(last[-1]) else rf"(?![{SPACED}])(?![.,:/]\d)"
    plural = "(?:s|es)?" if len(last) > 2 and last.isascii() and last.isalpha() else ""
    repeated = rf"(?:{GAP.join(map(re.escape, opening))}{GAP})?" if opening else ""
    return re.compile(
        before + repeated + before + (GAP + r"(?:(?:an?|the)\W{1,8})?").join(map(_word, core)) + plural + after
    )


@lru_cache(maxsize=256)
def _letter_pattern(labels: tuple[str, ...], spelled: tuple[str, ...], several: bool) -> re.Pattern[str]:
    """Any label as it may be found, where no word or number goes on around it."""
    found = "|".join(re.escape(label) for label in sorted(spelled, key=len, reverse=True)) or r"(?!)"
    run = ""
    if several and labels and all(len(label) == 1 and label.isupper() for label in labels):  # "ABD" names three
        run = rf"|(?=[{''.join(labels)}]{{2}})" + "".join(f"{label}?" for label in labels)
    return re.compile(
        rf"(?<![{SPACED}_&'’/\\°])(?<![{SPACED}]-)(?<![A-Z]\.)(?:{found}{run})"
        rf"(?![{SPACED}_'’/&%])(?!-[{SPACED}])(?!\.[A-Z]\.|[.,:]\d)"
    )


@lru_cache(maxsize=4096)
def key_of(labels: tuple[str, ...], choices: tuple[str, ...], several: bool) -> Key:
    spelled = {label: label for label in labels}
    for label in labels:
        spelled.setdefault(label.upper(), label)
        spelled.setdefault(label.lower(), label)
    pairs = [(label, choice) for label, choice in zip(labels, choices, strict=False) if choice.strip() not in spelled]
    texts = [folded(choice) for _, choice in pairs]
    telling = {label: telling_words(plain(choice)) for label, choice in pairs}
    shared = frozenset.intersection(*telling.values()) if telling else frozenset()
    return Key(
        labels,
        spelled,
        _letter_pattern(labels, tuple(spelled), several),
        tuple((label, pattern) for label, choice in pairs if (pattern := _text_pattern(choice))),
        {text: label for text, (label, _) in zip(texts, pairs, strict=True) if text and texts.count(text) == 1},
        {label: words - shared for label, words in telling.items()},
    )


# ---------------------------------------------------------------- finding the choices a reply names

FIRST, LAST = 12, 80  # mentions looked at, from either end
CONFLICT = re.compile(r"\s?[).:\]]+ ?(?:(?:an?|the) )?", re.IGNORECASE)  # between a label and another option's text


def _letters(text: str, low: str, key: Key) -> Iterator[Mention]:
    """Where a letter stands as a label."""
    for found in key.letter.finditer(text):
        start, end = found.span()
        if end - start > 1 and found[0] not in key.spelled:
            yield from (Mention(one, at, at + 1, "bare") for at, one in enumerate(found[0], start))
            continue
        if found[0] not in key.spelled:
            continue
        before, after = low[max(0, start - 24) : start], text[end : end + 12]
        closed = bool(re.match(r"\s?[)\]）】>]", after))
        bracketed = closed and (after[0] in ")]" or bool(re.search(r"[(\[<（【]\s*\Z", before)))
        pauses = bool(cues.PAUSE.match(after))
        named = bool(cues.NAMED.search(before)) and (pauses or found[0] not in "aAiI")
        wordy = found[0].islower() or found[0] in "AEIOUY"  # may be a word of some language
        if bracketed or named or pauses or not wordy:
            yield Mention(key.spelled[found[0]], start, end, "marked" if bracketed or named else "bare")


def _texts(low: str, key: Key) -> list[Mention]:
    """Where the texts of options stand; what lies inside a longer one is left out."""
    found = [Mention(label, *place.span(), "text") for label, pattern in key.texts for place in pattern.finditer(low)]
    kept: list[Mention] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if not kept or one.end > kept[-1].end or (one.start, one.end) == (kept[-1].start, kept[-1].end):
            kept.append(one)
    return kept


def _merged(letters: Sequence[Mention], texts: list[Mention], text: str) -> list[Mention]:
    """A label and its own option's text beside it are one mention; a bare letter inside an option's text is none."""
    merged: list[Mention] = []
    own: set[int] = set()
    at = 0
    for letter in letters:
        while at < len(texts) and texts[at].end <= letter.start:
            at += 1
        gap = BESIDE.match(text, letter.end)
        reach = gap.end() if gap else letter.end
        beside = [n for n in range(at, min(at + 4, len(texts))) if letter.end <= texts[n].start <= reach]
        mine = [n for n in beside if texts[n].label == letter.label]
        if mine:
            own.add(mine[0])
            merged.append(msgspec.structs.replace(letter, end=texts[mine[0]].end, form="marked"))
        elif letter.form == "marked" or at == len(texts) or texts[at].start > letter.start:
            merged.append(letter)
    merged += [one for n, one in enumerate(texts) if n not in own]
    return sorted(merged, key=lambda one: (one.start, -one.end))


def sentence_before(low: str, start: int) -> tuple[str, int]:
    """What stands in a mention's sentence before it, and where that begins."""
    begin = max(0, start - 200)
    lead = low[begin:start]
    body = lead.rstrip(" \t\n\r([{<（【-•·>")
    if body and cues.SENTENCE_END.fullmatch(body[-1]):
        return "", start
    ends = [end.end() for end in cues.SENTENCE_END.finditer(body)]
    return lead[ends[-1] if ends else 0 :], begin + (ends[-1] if ends else 0)


def _stance(low: str, one: Mention, previous: Mention | None) -> Stance:
    """What the words around a mention make of it. A cue belongs to the first choice after it."""
    after = low[one.end : one.end + 80]
    if cues.DENIED_AFTER.match(after):
        return "denied"
    lead, begin = sentence_before(low, one.start)
    lead = lead[max(0, (previous.end if previous else 0) - begin) :]
    text = one.form == "text"
    denial = cues.DENIED.search(lead)
    if denial and cues.RESUMED.search(denial["scope"]):
        denial = None
    declared = (cues.DECLARED_TEXT if text else cues.DECLARED).search(lead)
    if declared and not (denial and denial.start() > declared.start()):
        return "denied" if declared["wrong"] or cues.TURNED_DOWN.search(declared[0]) else "declared"
    concluded = (cues.CONCLUDED_TEXT if text else cues.CONCLUDED).search(lead)
    if concluded and not (denial and denial.start() > concluded.start()):
        return "concluded"
    if denial:
        return "denied"
    return "declared" if (cues.DECLARED_AFTER_TEXT if text else cues.DECLARED_AFTER).match(after) else "said"


def _joined(one: Mention, other: Mention, gap: str) -> bool:
    """Whether two neighbours belong together: in a list, or a label beside another option's text."""
    if (one.form == "text") == (other.form == "text") or other.form == "marked":
        return len(gap) < 40 and bool(cues.JOINT.match(gap))
    return other.form == "text" and one.label != other.label and bool(CONFLICT.fullmatch(gap))


def _chains(low: str, found: Sequence[Mention], key: Key, *, several: bool) -> list[tuple[Mention, ...]]:
    """The mentions in lists; what is said of one end of a list is said of all of it."""
    gaps = [low[one.end : other.start] for one, other in pairwise(found)]
    joined = [_joined(one, other, gap) for (one, other), gap in zip(pairwise(found), gaps, strict=True)]
    stances = [_stance(low, one, previous) for previous, one in zip([None, *found], found, strict=False)]
    shared = [near and (several or "\n" not in gap) for near, gap in zip(joined, gaps, strict=True)]
    for n, same in enumerate(shared):
        if same and stances[n + 1] == "said":
            stances[n + 1] = stances[n]
    for n in reversed(range(len(shared))):
        if shared[n] and stances[n] == "said":
            stances[n] = stances[n + 1]
    chains: list[tuple[Mention, ...]] = []
    for n, one in enumerate(found):
        each = msgspec.structs.replace(one, stance=stances[n])
        goes_on = n > 0 and joined[n - 1] and stances[n - 1] == each.stance
        in_order = n > 0 and key.labels.index(found[n - 1].label) < key.labels.index(one.label)
        if goes_on and (shared[n - 1] or (one.form == "marked" and in_order)):
            chains[-1] += (each,)
        else:
            chains.append((each,))
    return chains


def _listing(chain: Sequence[Mention], key: Key) -> bool:
    """Whether options are only listed, as in the question."""
    labels = {one.label for one in chain}
    return len(labels) > 2 or (len(labels) == 2 and len(key.labels) == 2)


def page_of(text: str, key: Key, *, several: bool) -> Page:
    """The choices that a screened reply names."""
    own = list(QUOTED.sub(_without_speech, _lower(text)))
    text = NOISE.sub(_blank, text)
    low = _lower(text)
    found = _merged(list(_letters(text, low, key)), _texts(low, key), text)
    if len(found) > FIRST + LAST:
        found = found[:FIRST] + found[-LAST:]
    chains = _chains(low, found, key, several=several)
    listed = [] if several else [chain for chain in chains if _listing(chain, key)]
    for chain in listed:
        own[chain[0].start : chain[-1].end] = " " * (chain[-1].end - chain[0].start)
    return Page(text, low, "".join(own), tuple(chain for chain in chains if chain not in listed), key, several)
