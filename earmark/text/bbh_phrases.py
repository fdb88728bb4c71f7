"""VoiceBench's reader of replies to four tasks of BIG-Bench Hard: phrases in their order, of which the first decides.

A phrase stands in a reply whose marks have become blanks; `@` is the letter of an option, and is tried as (a) first.
`re:` is a pattern, `^` and `$` what a reply begins and ends with. Two rules are wrong on their face and are kept, for
this is how their numbers were made: a bare "b" is read as (a), and a sentence "... is not plausible" with words between
is read as plausible. Where nothing is found VoiceBench draws yes or no at random; here such a reply is unread.

>>> read_bbh("The answer is: **(B)**.", "hyperbaton"), read_bbh("No, it is not.", "navigate")
(1, 0)
"""

from __future__ import annotations

import re
from typing import Final

KINDS: Final = ("sports_understanding", "hyperbaton", "navigate", "web_of_lies")
MARKS: Final = re.compile(r"\*\*|[:\"\-,.：]")

OPTIONS: Final = """the answer is (@); the correct adjective order is option (@); the correct sentence is option (@)
correct adjective order options is @; the correct answer is (@); the correct option is (@)
the correct sentence would be option (@); the correct sentence is (@); the proper adjective order is @
the correct adjective order is (@); correct adjective order is @; the adjectives in option @ are in the correct order
the right adjective order is @); the correct adjectivs is (@); the right adjective order is (@)
correct adjectival order is @; the proper adjective order is (@); the correct sentence order is @
option @ correctly follows the standard adjective order; the answer directly is @
the correct order would be option @; final answer should be @; final answer @
option (@) uses the correct adjective sequence; the correct option is option @
the answer is without any modification @; the correct one is option @; answer is without any modification @
the answer is without any modification option @; answer is @; the answer is [@]
option @ follows the correct adjective order; the correct order of adjectives is @; option (@) is the correct answer
the correct order is @; the correct object order is @; the correct answer order is @
the final answer without any modification is @; the correct sentence is @; correct adjective order option is @
correct adjective order is sentence @; correct objective order option is @; the answer is is @
the correct adjective order is option @; the correct adjective order is provided in option @
option @ is more accurate; answer is option @; option @ has the adjectives in the correct order
option @ is closer to being correct; the most logical order is option @
in option @ the adjectives are in the correct order; sentence @ is the closest to the correct adjective order
option @ has the correct order; sentence @ has a more logical; the closest correct order is option @
sentence @ has the correct adjective order; option @ is the closest to the typical order
the correct answer would be option @; the correct option is @; option @ has a better adjective order
option @ has the correct adjective order; option @ seems to follow the typical order
the correct order is found in option @; the correct adjective order is in the # option
the correct adverb order would be @; the correct answer would be the @; the correct adjective order is in option @
the correct adjective order is in sentence @; the adjectives are in the correct order for @; the answer is [option @]
option (@) has a correct adjective order; the correct sentence would be @
option @ follows the correct sequence of adjectives; option @ would be closer to the correct order
the correct sentence with the adjective order is @; option @ is more grammatically correct
option @ would be more correct; =1 option a is incorrect and option b is correct; option @ is the closest match
=1 option b follows the typical order of adjectives; the correct sentence with the adjective order is option @
the correct sentence is option @; the correct objective order is in option @; the answer is option (@)
the correct option would be (@); the correct order is in option @; the correct adjective order is found in option @
option (@) follows the typical order of adjectives; option (@) has the correct adjective order
option (@) follows the general adjective order; option (@) would be more grammatically correct
option @ is the correct; option @ has the correct word order; option @ follows the correct order
following the typical order is the # option; option @ has a slightly better chance of being correct
the answer is sentence @; the final answer is (@); re:sentence @ (.+?) seems to have a more logical
re:the correct adjective order is (.+?) option @; ^@ ; ^@)"""

YES_NO: Final = """answer is %; the answer %; final answer %; i would answer %; the answer is without any modification %
the answer to the question is %; the answer is !; answer !; the answer is $\\boxed{\\text{!}}$; the answer is \\boxed{%}
the answer is \\boxed{\\text{!}}; the answer is \\boxed{\\text{%}}; i will provide the answer as %; prefix answer %
conclusion %"""

LIES: Final = """=0 the prefix no applies to the statement; =0 veena s statement cannot be true
=1 therefore truly lorene tells the truth; =1 the answer is the truth; =1 affirmatively alejandro tells the truth
=0 re:answer is (.+?) tells a lie; =0 re:answer is (.+?) lies; =0 re:answer is (.+?) says lie
=0 re:answer is (.+?) doesn t tell the truth; =0 re:answer is (.+?) does not tell the truth
=0 re:answer is (.+?) didn t tell the truth; =1 re:answer is (.+?) tells the truth
=1 re:answer is (.+?) does tell the truth; =0 re:answer to the question (.+?) is no
=1 re:answer to the question (.+?) is yes; =1 re:from the above steps we can conclude that (.+?) tells the truth
=0 $does not tell the truth; =0 $cannot be telling the truth; =0 $is lying; =0 $tells the lie
=1 $is also telling the truth; =1 $must be lying; =1 $must be telling the truth; =1 $tells the truth
=1 $delfina does tell the truth; =1 $osvaldo is telling the truth; =0 $lies"""

NAVIGATE: Final = """=0 you do not return to the starting point; =0 you are not at the starting point
=0 you haven t moved back to the starting point; =0 you cannot return to the starting point
=1 you return to the starting point; =0 you are not facing the starting point
=0 you haven t returned to the starting point; =1 you end up back at the starting point
=0 you are not back at the starting point; =0 you will not return to the starting point
=1 yes following these instructions; =1 we end up back at the starting point
=1 indeed returns us to the starting point; =1 indeed bring us back to the starting point
=1 you ll end up right back where you started; =1 we ve now returned to the starting point
=1 i have returned to the starting position; =0 the final position is not directly at the starting point
=0 it appears that we did not return to the exact starting point; =0 does not return us to the starting point
=1 i will end up back where i started; =1 indeed return to the starting point; =1 i ll be back where i started
=1 i ll end up back at the starting point; =1 after following these instructions we return to the starting point
=1 we are back at the starting point!; =1 we are now back at the starting point
=1 you ll end up back where you started; =1 we have now returned to the starting point
=1 i ve returned to the starting point; =1 following these instructions will always return us to the starting point
=1 indeed return you to the starting point; =1 the answer is the starting point
=0 following these instructions doesn t return us to the starting point
=0 following these directions does not lead you back to your original starting point"""

SPORTS: Final = """=1 final answer the sentence is plausible; =1 the answer is directly yes
=0 no the sentence is not possible; =0 the answer is it is not possible; =1 the answer is the sentence is plausible
=0 the sentence is not particularly plausible; =0 the sentence is not plausible
=1 yes the sentence is structurally plausible; =1 is the sentence plausible? yes it is
=0 i would say that it is not a plausible sentence.; =0 no the original sentence is not plausible
=0 it s not a plausible; =0 to answer your original question no; =1 making it plausible; =0 making it implausible
=1 it is indeed a plausible sentence; =1 considering these points the sentence is plausible
=1 i would say the sentence is plausible; =1 i would say that the sentence is plausible
=0 i d say it s not entirely plausible; =0 therefore not plausible; =0 making it an implausible statement
=0 the following sentence is not plausible; =0 considering these points the sentence is unlikely to be true
=0 considering these points the sentence is not plausible; =1 yes the sentence is plausible
=1 based on this analysis the sentence is plausible; =1 considering these points the sentence seems plausible
=1 given the context the sentence is plausible; =1 considering these factors the sentence is plausible
=0 considering these points the sentence is unlikely to be plausible
=1 given the context of sports particularly basketball this sentence is plausible
=1 considering these points the sentence is likely true; =1 considering these elements the sentence is plausible
=0 i would say it s unlikely; =0 it seems unlikely; =1 given this analysis the sentence is plausible
=1 considering these points the sentence is the plausible; =0 the sentence is not entirely possible
=0 the sentence is not entirely accurate; =0 the sentence is not entirely plausible; =1 the answer is plausible
=0 modification of answer not possible; =1 i would say that the sentence is generally plausible
=1 given these points the sentence is plausible; =1 considering these points the sentence seems to be a plausible
=1 the sentence appears to be a plausible; =0 ==not plausible
=1 re:considering these points the sentence (.+?) is grammatically correct and makes sense
=1 re:considering these points the sentence (.+?) is plausible
=0 re:considering these points the sentence (.+?) is unlikely
=1 re:based on this analysis the sentence (.+?) is plausible
=1 re:considering these points the sentence (.+?) seems to be a possible
=1 re:based on these steps the sentence (.+?) is plausible
=1 re:based on this analysis the sentence (.+?) seems plausible
=1 re:considering these points the sentence (.+?) appears to be plausible
=1 re:considering these points the sentence (.+?) seems plausible; =0 re:the sentence (.+?) is not very plausible
=1 re:considering these points (.+?) is a plausible sentence
=1 re:given this information the sentence (.+?) is plausible
=1 re:given the context the sentence (.+?) is plausible; =1 re:the sentence (.+?) is flexible and realistic
=0 re:considering these points the sentence (.+?) is not a plausible statement
=1 re:the sentence (.+?) is not plausible"""

ENDS: Final = "=0 ^no; =1 ^yes; =0 $no; =1 $yes"


def expand(text: str) -> list[tuple[str, int]]:
    """Phrases and what each is read as: `@` is a or b, `#` first or second, `%` no or yes, `!` false or true.

    >>> expand("answer is %; =1 $yes")
    [('answer is no', 0), ('answer is yes', 1), ('$yes', 1)]
    """
    phrases = []
    for phrase in re.split(r"; |\n", text):
        fixed = re.match(r"=([01]) (.*)", phrase)
        if fixed:
            phrases.append((fixed[2], int(fixed[1])))
            continue
        for value, words in enumerate((("a", "first", "no", "false"), ("b", "second", "yes", "true"))):
            filled = phrase
            for sign, word in zip("@#%!", words, strict=True):
                filled = filled.replace(sign, word)
            phrases.append((filled, value))
    return phrases


PHRASES: Final = {
    "hyperbaton": expand(OPTIONS),
    "web_of_lies": expand(f"{YES_NO}\n{LIES}\n{ENDS}"),
    "navigate": expand(f"{YES_NO}\n{NAVIGATE}\n{ENDS}"),
    "sports_understanding": expand(f"{YES_NO}\n{SPORTS}\n{ENDS}"),
}


def plain_reply(reply: str) -> str:
    """A reply in lower case, its marks as blanks.

    >>> plain_reply("<1> The answer -- is: **No**.<|turn_end|>")
    'the answer is no'
    """
    low = reply.lower()
    low = low[: -len("<|user|>")].strip() if low.endswith("<|user|>") else low
    low = low[3:].strip() if low.startswith(("<1>", "<2>", "<3>")) else low
    return " ".join(MARKS.sub(" ", low.replace("<|turn_end|>", "")).split())


def read_bbh(reply: str, kind: str) -> int | None:
    """Read a reply as 1 for yes or (b), 0 for no or (a); None where no phrase is found."""
    plain = plain_reply(reply)
    if kind == "hyperbaton" and plain in ("a", "b"):
        return 0
    for phrase, value in PHRASES[kind]:
        if _stands_in(phrase, plain):
            return value
    return None


def _stands_in(phrase: str, reply: str) -> bool:
    if phrase.startswith("re:"):
        return re.search(phrase[3:], reply) is not None
    if phrase.startswith("=="):
        return reply == phrase[2:]
    if phrase.startswith("^"):
        return reply.startswith(phrase[1:])
    return reply.endswith(phrase[1:]) if phrase.startswith("$") else phrase in reply
