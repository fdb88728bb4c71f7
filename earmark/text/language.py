"""Guess the language of a text, by its script, and by the commonest words of languages that share one.

It serves rules such as "answer in Swahili" and is no detector of languages: a text of one word may be taken for another
language of its script, or for none.

>>> [detect_language(text) for text in ("The cat is on the roof.", "Der Hund und die Katze", "你好吗", "यह एक घर है")]
['en', 'de', 'zh', 'hi']
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import Final

# Of a script that one language has for itself, its language; the others are told apart by words.
SCRIPTS: Final = {
    "BENGALI": "bn", "TAMIL": "ta", "TELUGU": "te", "THAI": "th", "HANGUL": "ko", "HEBREW": "he", "KANNADA": "kn",
    "GUJARATI": "gu", "GURMUKHI": "pa", "MALAYALAM": "ml", "HIRAGANA": "ja", "KATAKANA": "ja", "CJK": "zh",
    "GREEK": "el", "LATIN": "", "CYRILLIC": "", "ARABIC": "", "DEVANAGARI": "",
}  # fmt: skip
WORDS: Final = {
    "LATIN": {
        "en": "the of and to in is that it was for on are with as his they at be this have from or had by not but what",
        "de": "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus",
        "fr": "le la les de des et un une à est en que qui dans pour pas sur au avec ce il sont nous vous par plus",
        "es": "el la los de y que en un una es se no por con para su al lo como más pero sus le ya o este muy está",
        "pt": "o os de e que em um uma é não para com por do da dos no na se mais como mas ao são está você foi",
        "it": "il lo gli di e che è un una per non in con del della sono si da come più al nel ma ho anche alla questo",
        "nl": "de het een en van in is dat op te zijn met voor niet aan er om ook als maar door bij dit wordt heeft",
        "pl": "i w na z się nie do to jest że o jak po co ale od za przez dla są tak już był czy oraz tym może",
        "vi": "và của là có không được một những cho trong các với người này để khi đã tôi bạn rất từ trên đến nhiều",
        "sw": "ya na wa kwa ni katika la za cha kuwa hii hiyo lakini kama pia yake watu sana wake mimi wewe hapo hivyo",
        "fi": "ja on ei se että hän oli mutta ovat kun niin myös kuin joka mitä tämä siitä olla voi sen minä sinä ovat",
        "tr": "ve bir bu da de için ile çok ne daha gibi var olarak kadar ama ben sen o en mi değil her şey",
        "id": "yang dan di ini itu dengan untuk tidak dari pada adalah saya akan juga ke dalam karena kamu bisa ada",
    },
    "CYRILLIC": {
        "ru": "и в не на я что он с как это по но из у за от так же его для был все мы вы бы только она",
        "uk": "і в не на що з та у це як до за від по але її його є для були який також ми ви або бути",
        "bg": "и на в да се за от не са с по е като това при до си ще тя той но или има един ги които",
    },
    "ARABIC": {
        "ar": "في من على إلى أن هذا التي الذي ما لا هو هي كان مع عن هذه كل قد ولا كما بين إن ذلك",
        "fa": "و در به از که این را با است برای آن یک خود تا بر هم می نیز ما شما او آنها شده کرد باید",
        "ur": "اور کے میں کی ہے سے کو کا ہیں اس نے پر کہ یہ ایک بھی نہیں تھا کر ہو وہ جو آپ گا لیے",
    },
    "DEVANAGARI": {
        "hi": "के में है की और से का को हैं पर यह एक नहीं भी कि इस वह तो जो हो था लिए साथ करना आप",
        "mr": "आहे आणि या तो ते मी हे की आहेत नाही व करून होते त्या एक हा ही का पण त्यांनी मध्ये साठी असे",
        "ne": "छ र को मा हो यो छन् गर्न भने लागि पनि एक तथा त्यो भएको थियो गर्ने छैन तर हुन्छ म तपाईं यस",
    },
}  # fmt: skip
WORD_SETS: Final = {
    script: {code: frozenset(words.split()) for code, words in languages.items()} for script, languages in WORDS.items()
}
LETTER_RUN: Final = re.compile(r"[^\W\d_]+(?:[\u0900-\u0dff\u0300-\u036f]+[^\W\d_]*)*")


def detect_language(text: str) -> str:
    """Return the code of the language of a text; empty where it has no letters, or no word that tells."""
    scripts: Counter[str] = Counter()
    for sign in text:
        if sign.isalpha():
            name = unicodedata.name(sign, "").partition(" ")[0]
            scripts[name.partition("-")[0]] += 1
    if not scripts:
        return ""
    if scripts["HIRAGANA"] + scripts["KATAKANA"] and scripts["CJK"]:
        return "ja"
    script = scripts.most_common(1)[0][0]
    if script not in WORD_SETS:
        return SCRIPTS.get(script, "")
    words = Counter(match.casefold() for match in LETTER_RUN.findall(text))
    scores = {code: sum(words[word] for word in common) for code, common in WORD_SETS[script].items()}
    best = max(scores, key=lambda code: scores[code])
    return best if scores[best] else ""
