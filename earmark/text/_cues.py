"""The words that make a mention of a choice an answer, or deny it, in the languages models answer in.

Every pattern is searched in lower-case text. Those that end in `\\Z` are tried on what stands before a mention in its own
sentence, those that begin with `\\W{0,4}` on what stands right after it. Repeats are bounded, so a search stays linear.
"""

from __future__ import annotations

import re

BOXED = "\x02"  # stands where a box opened: \boxed{, <|begin_of_box|>, [[

# Nouns that need no verb: "Answer B", "Antwort: B", 答案B.
_ANSWER = (
    r"(?:\bans(?:wer)?s?\b|antwort(?:en)?\b|lösung\b|\br[ée]ponses?\b|\brespuestas?\b|\brespostas?\b|\brispost[ae]\b|\bjawab(?:an)?(?:nya)?\b"
    r"|\bjawapan(?:nya)?\b|đáp án|câu trả lời|\bответ\b|\bodpowied[zź]\b|\bcevap\b|\byanıt\b|\bantwoord\b|\bsvar(?:et)?\b"
    r"|\bodpove[dď]\b|\bodpověď\b|\bodgovor\b|\bвідповідь\b|\bотговор\b|\bvastaus(?:\s+on)?\b|\bválasz\b|\brăspuns(?:ul)?\b"
    r"|απάντηση\b|תשובה|பதில்|উত্তর|\bپاسخ\b|\bجواب\b"
    r"|答案|答え|答|回答|解答|正解|정답|답|الإجابة|الجواب|उत्तर|คำตอบ)"
)
# Nouns that need a verb or a colon, and some of them a word like "correct".
_OPTION = (
    r"(?:\b(?:correct|right|best|final|appropriate|suitable|likely|accurate|fitting|plausible|closest|matching|chosen"
    r"|selected|my)\s+(?:\w+\s+){0,2}?(?:options?|choices?|one|letter|match|selection|description|response|pick|guess"
    r"|statement|category|label|candidate|solution|prediction|conclusion)\b"
    r"|\b(?:option|choice|selection|opci[oó]n|op[cç][aã]o|opzione|alternativa|pilihan|opsi|auswahl|choix|вариант)\b"
    r"|选项|選項|選択肢|선택지)"
)
_FIELD = r"\b(?:final|result|output|prediction|response|label|category|conclusion|verdict|letter|pick|guess|decision|rating|score)\W{0,3}[:=]"
_IS = (
    r"(?:\b(?:is|are|was|be|ist|lautet|wäre|est|serait|es|sería|é|seria|è|sarebbe|sont|sind|são|sono|zijn|adalah|ialah|yaitu|là|jest|je|є|este"
    r"|είναι|är|er)\b|'s\b"
    r"|[-:=→>–—]|是|为|為|は|が|은|는|هي|הי?א|הוא|है|คือ)"
)
# What may stand between a cue and a label.
_BRIDGE = (
    r"(?:[\s\W]*(?:most|more|likely|probably|possibly|definitely|clearly|certainly|simply|indeed|actually|therefore|thus"
    r"|hence|option|choice|letter|answer|alternative|number|label|that|the|to be|to|be|it is|it's|la|le|el|die|der|das|il|το|η"
    r"|opci[oó]n|op[cç][aã]o|opzione|alternativa|opsi|pilihan|huruf|buchstabe|lettre|letra|lettera|o|a"
    r"|选项|選項|選択肢|보기|phương án|вариант|应该|應該|应|为|是)(?![a-z])){0,5}[\s\W]*\Z"
)
# What may stand between a cue and an option's text: a few words of its sentence.
_PROSE = r"(?:[^\w.!?;]+[^\s.!?:;]+){0,9}\W*\Z"
_CHOOSE = (
    r"(?:\b(?:i|we|i'd|i'll|let's|let us|would|will|must|should)\b[^.\n]{0,40}?\b(?:choose|pick|select|go(?:ing)? (?:with|for)"
    r"|opt for|vote for|lean(?:ing)? towards?|say|guess|answer|conclude)\b|(?:^|[,:])\W*(?:choose|pick|select|choosing|selecting|picking|going with)\b"
    r"|\b(?:ich (?:wähle|nehme)|je choisis|je dirais|elijo|escojo|selecciono|escolho|scelgo|memilih|saya pilih|chọn|kies"
    r"|выбираю)\b|选择|選擇|应选|應選|故选|故選|选|選|を選(?:び|択))"
)
_SO = (
    r"(?:(?:^|[,;:—–]\s*|\band )so\b|\b(?:therefore|thus|hence|consequently|conclude|leaves?|leaving|left with|must be|has to be"
    r"|have to be|should be|can only be|i think|i believe|i'm (?:fairly |quite )?(?:sure|confident)|points? to|corresponds? to"
    r"|also|daher|deshalb|somit|donc|por tanto|por lo tanto|entonces|portanto|logo|quindi|jadi|maka|значит|поэтому|vậy)\b"
    r"|所以|因此|故|应该?是|應該是|よって|したがって|따라서|\bnot\b[^\n]{1,60}\bbut(?: rather)?\b|而是|\bsondern\b|\bsino\b)"
)
_IT_IS = r"(?:\W+(?:it|this|that|these|those|they|he|she)\b(?:\s*(?:is|'s|was|are|were|must be|has to be|should be|would be))?)?"
_ITS = r"\bc'est\b|\b(?:it|this|that)(?:\s*(?:is|'s|was)| (?:must|has to|should|would|seems to|appears to) be)\b"
_WRONG = r"(?P<wrong>(?:other|wrong|incorrect|false|tempting|falsche|mauvaise|incorrecta|incorreta|sbagliata|salah|错误)\W*)?"

DECLARED = re.compile(
    rf"{_WRONG}(?:{BOXED}[\s\W]*\Z|(?:{_ANSWER}|{_OPTION})[^\n]{{0,80}}?{_IS}{_BRIDGE}|(?:{_ANSWER}|{_FIELD}|{_CHOOSE}){_BRIDGE})"
)
DECLARED_TEXT = re.compile(
    rf"{_WRONG}(?:{BOXED}[\s\W]*\Z|(?:{_ANSWER}|{_OPTION})[^\n]{{0,80}}?{_IS}{_PROSE}|{_ANSWER}\W*\Z|(?:{_FIELD}|{_CHOOSE}){_PROSE})"
)
CONCLUDED = re.compile(rf"(?:{_SO}{_IT_IS}|{_ITS}){_BRIDGE}")
CONCLUDED_TEXT = re.compile(rf"{_SO}{_PROSE}")
DENIED = re.compile(
    r"(?:\b(?:not|cannot|no|never|neither|nor|without|rul(?:e[sd]?|ing) out|eliminat\w+|exclud\w+|reject\w*|rather than"
    r"|instead of|other than|unlike|as opposed to|except|than|unable|whether|if|unclear|lacks?|nicht|keine?\w*|statt|pas|ni"
    r"|não|nem|non|bukan|tidak|không|не|нет|není|nie|ei ole|nu este|δεν|όχι)\b|לא|n't\b|不是|并非|不选|不選|而非|排除|不像|没有|不)"
    r"(?P<scope>[^,;:.!?，；。]{0,80})\Z"
)
TURNED_DOWN = re.compile(
    r"\b(?:wrong|incorrect|false|unlikely|eliminated|excluded|ruled out|falsch|fausse?s?|salah)\b|错误|不对"
)
RESUMED = re.compile(r"\b(?:but|so|only|instead|therefore|because|since|as|which|that|just|merely)\b|而是|但")
_STATES = r"(?:is|are|was|were|would be|seems?|appears?|can be|could be|must be|should be|has to be|looks?|sounds?)"
DENIED_AFTER = re.compile(
    rf"\s?\?\s*(?:no|nope|not|nein|non)\b"  # "Happy? No."
    r"|\s?[-–—:]\s*(?:no|nope|wrong|incorrect)\s*(?:[.,;!\n]|\Z)"  # "Option A: Man - no."
    rf"|\W{{0,4}}(?:{_STATES}\s+(?:\w+\s+){{0,2}}?(?:not|wrong|incorrect|false|ruled out|eliminated|excluded|unlikely|less|out"
    r"|improbable|implausible|irrelevant|inaccurate)\b|(?:is|are|was|were|does|do|did|would|could|wo|ca)n't\b|cannot\b"
    r"|(?:does|do|did|would|could) not\b|不正确|不對|不对|错误|不符合|可以排除|是错|ではな|じゃな|아니|ist (?:falsch|nicht)|n'est pas"
    r"|est (?:incorrecte?|fausse?)|no es\b|es incorrect|não é|non è|salah\b|bukan\b|tidak\b)"
)
DECLARED_AFTER = re.compile(
    rf"\W{{0,4}}(?:{_STATES}\s+(?:\w+\s+){{0,4}}?(?:correct|right|true|best|better|accurate|appropriate|suitable|answer|choice|option|(?:more|most) likely)\b"
    r"|(?:fits|matches|describes|suits)\s+(?:\w+\s+){0,4}best|(?:选项)?是?最?(?:正确|合适|恰当|符合)|是对的|が正|が適切|を選"
    r"|을 선택|를 선택|ist (?:die )?(?:richtig|korrekt)|est (?:la )?(?:bonne|correcte?|juste)"
    r"|es (?:la )?(?:respuesta |opción )?(?:correct|mejor)|é (?:a )?(?:resposta )?(?:corret|cert)"
    r"|è (?:la )?(?:risposta )?(?:corrett|giust)|(?:adalah )?(?:jawaban )?(?:yang )?(?:benar|tepat)\b|là đáp án)"
)
DECLARED_AFTER_TEXT = re.compile(
    rf"\W{{0,4}}(?:{_STATES}\s+(?:\w+\s+){{0,4}}?(?:answer|choice|option)\b|是正确|が正解)"
)
CLAIMED = re.compile(
    r"(?:(?:\b(?:is|are|was|were|be)|'s)\b|\b(?:sounds?|looks?|seems?|appears?)\b|是|听起来像)"
    r"(?:\W+(?:likely|probably|clearly|definitely|mainly|primarily|typically|most|best|described|as|like|to|be|being|from|of|by|in"
    r"|that|an?|the|very|quite)){0,5}\W*\Z"
)
SENTENCE_END = re.compile(r"[.!?;]+(?=\s|\Z)|[。！？；]|\n")
JOINT = re.compile(  # all that stands between two choices of one list
    r"[\s()\[\],;/&+、，<>-]*(?:(?:and|or|und|oder|et|ou|y|e|o|dan|atau|va|và|hoặc|и|или)\b|或者?|和|与|與|及|と|와|과)?"
    r"[\s()\[\],、，<>-]*(?:\b(?:options?|choices?|an?|the|la|le|der|die|das)\b|选项)?[\s()\[\]]*\Z"
)
NAMED = re.compile(
    r"(?:\b(?:options?|choice|answer|letter|alternative|opci[oó]n|op[cç][aã]o|opzione|alternativa|opsi|pilihan|antwort|réponse|lettre|letra)"
    r"|选项|選項|選択肢|선택지|보기|вариант)\W{0,3}\Z"
)
PAUSE = re.compile(  # after a letter that stands as a label
    r"\s*(?:\Z|[^\w\s])|\s*\n|\s+(?:because|since|as|due|given|based|for|is|and|or|with|und|oder|et|dan|weil|denn|parce|porque|pois"
    r"|perché|karena|sebab)\b|\s*[\u3040-\u9fff\uac00-\ud7af]"
)
STOP = re.compile(
    r"\s*(?:\Z|[.!:;()\[\n–—-])|,?\s+(?:because|since|as|weil|denn|car|porque|karena)\b|[。！；（]|，?因为"
)
VERB = re.compile(r"\s+(?!(?:and|or|but|with|while|as|then|nor|followed|along|together)\b)[^\W\d_]")
CLAUSE_END = re.compile(r"[,;:.!?]|\b(?:and|while|as|but|then|whereas|followed)\b")
KEY_NAME = re.compile(
    r"[ -]?(?:major|minor|flat|sharp|natural|majeur|mineur|mayor|menor|dur|moll)\b"
)  # music: "C minor"
_TELL = (
    r"(?:determined?|identif(?:y|ied)|tell|say|answer(?:ed)?|choose|select|decide|listen|hear|process|access|analy[sz]e|help"
    r"|assist|provide|infer(?:red)?|discern(?:ed)?|recogni[sz]e|confirm|know|conclude|judge|play)"
)
REFUSAL = re.compile(
    rf"\b(?:can(?:no|')t|can not|could(?:n't| not)|(?:unable|not able|not possible|impossible) to)\W+(?:\w+\W+){{0,2}}?{_TELL}\b"
    r"|\b(?:i'm|i am|we are) (?:\w+ )?(?:sorry|unable|not able)\b|\A\W*sorry\b|\bas an ai\b|\b(?:do not|don't) know\b"
    r"|\b(?:insufficient|not enough) (?:information|context|data|evidence|detail)|\bno (?:audio|information)\b"
    r"|\bnot (?:\w+ )?(?:specified|mentioned|provided|stated|given|indicated|determined|identified)\b"
    r"|\b(?:does|do|did)(?: not|n't) (?:contain|provide|specify|mention|include|indicate)\b|\b(?:unknown|undetermined)\b"
    r"|\b(?:i|must|have to) (?:refuse|decline)\b"
    r"|\bkann (?:\w+ ){0,3}(?:nicht|keine)\b|\bweiß (?:\w+ )?nicht\b|\bnie (?:mogę|wiem)\b|\b(?:weet|kan) (?:\w+ )?niet\b|bilmiyorum|\bleider nicht\b|désolé|je ne (?:peux|sais) pas|lo siento|no (?:puedo|sé)\b"
    r"|desculpe|não (?:posso|consigo|sei)|mi dispiace|non (?:lo |la )?(?:posso|so)\b|\bmaaf\b|tidak (?:dapat|bisa|tahu)|xin lỗi|không (?:thể|biết)"
    r"|извините|не (?:могу|можу|знаю)|无法|不能|抱歉|对不起|不知道|わかりません|できません|申し訳|알 수 없|모르|죄송|لا (?:أعرف|أستطيع|يمكنني)|ไม่(?:สามารถ|ทราบ|รู้)|पता नहीं"
)
WAVERS = re.compile(r"\b(?:wait|hmm+|actually|hold on|let me|on second thought|but|however|alternatively)\b")
# Said in passing far too often to be an answer unless something says that they are one.
COMMON = frozenset("yes no none all both neither other others true false not one it any same".split())
