"""The words that make a mention of a choice an answer, or deny it, in the languages models answer in.

Every pattern is searched in lower-case text. Those that end in `\\Z` are tried on what stands before a mention in its
own sentence, those that begin with `\\W{0,4}` on what stands right after it. Repeats are bounded, so a search stays
linear.
"""

from __future__ import annotations

from earmark.text._lazy import LazyPattern

BOXED = "\x02"  # stands where a box opened: \boxed{, <|begin_of_box|>, [[

# Nouns that need no verb: "Answer B", "Antwort: B", 答案B.
_ANSWER = (
    r"(?:(?:\b|(?<=_))ans(?:wer)?s?\b|antwort(?:en)?\b|lösung\b|\br[ée]ponses?\b|\brespuestas?\b|\brespostas?\b"
    r"|\brispost[ae]\b|\bjawab(?:an)?(?:nya)?\b|\bjawapan(?:nya)?\b|đáp án|câu trả lời|\bответ\b|\bodpowied[zź]\b"
    r"|\bcevap\b|\byanıt\b|\bantwoord\b|\bsvar(?:et)?\b|\bodpove[dď]\b|\bodpověď\b|\bodgovor\b|\bвідповідь\b"
    r"|\bотговор\b|\bvastaus(?:\s+on)?\b|\bválasz\b|\brăspuns(?:ul)?\b|απάντηση\b|תשובה|பதில்|উত্তর|\bپاسخ\b|\bجواب\b"
    r"|答案|答え|答|回答|解答|正解|정답|답|الإجابة|الجواب|الصحيحة?|उत्तर|คำตอบ(?:ที่ถูกต้อง)?|ตอบ)"
)
# Nouns that need a verb or a colon, and some of them a word like "correct".
_OPTION = (
    r"(?:\b(?:correct|right|best|final|appropriate|suitable|likely|accurate|fitting|plausible|closest|matching|chosen"
    r"|selected|my)\s+(?:\w+\s+){0,2}?(?:options?|choices?|one|letter|match|selection|description|response|pick|guess"
    r"|statement|category|label|candidate|solution|prediction|conclusion)\b|\b(?:option|choice|selection|opci[oó]n"
    r"|op[cç][aã]o|opzione|alternativa|pilihan|opsi|auswahl|choix|вариант)\b|选项|選項|選択肢|선택지)"
)
_FIELD = (
    r"\b(?:final|result|output|prediction|response|label|category|conclusion|verdict|letter|pick|guess|decision"
    r"|rating|score|correction)\W{0,3}[:=]"
)
_IS = (
    r"(?:\b(?:is|are|was|be|ist|lautet|wäre|est|serait|es|sería|é|seria|è|sarebbe|sont|sind|são|sono|zijn|adalah|ialah"
    r"|yaitu|là|jest|je|є|este|είναι|är|er)\b|'s\b|[-:=→>–—]|是|为|為|は|が|은|는|هي|هو|הי?א|הוא|है|คือ)"
)
# What may stand between a cue and a label.
_BRIDGE = (
    r"(?:[\s\W]*(?:most|more|likely|probably|possibly|definitely|clearly|certainly|simply|indeed|actually|therefore"
    r"|thus|hence|option|choice|letter|answer|alternative|number|label|that|the|to be|to|be|it is|it's|la|le|el|die|der"
    r"|das|il|το|η|opci[oó]n|op[cç][aã]o|opzione|alternativa|opsi|pilihan|huruf|buchstabe|lettre|letra|lettera|o|a|选项"
    r"|選項|選択肢|보기|phương án|вариант|ข้อ|ตัวเลือก|الخيار|الحرف|विकल्प|应该|應該|应|为|是)(?![a-z])){0,5}[\s\W]*\Z"
)
# What may stand between a cue and an option's text: a few words of its sentence.
_PROSE = r"(?:[^\w.!?;]+[^\s.!?:;]+){0,9}\W*\Z"
_CHOOSE = (
    r"(?:\b(?:i|we|i'd|i'll|let's|let us|would|will|must|should)\b[^.\n]{0,40}?\b(?:choose|pick|select"
    r"|go(?:ing)? (?:with|for)|opt for|vote for|lean(?:ing)? towards?|say|guess|answer|conclude|rate (?:it|this)"
    r"|give (?:it|this))\b|(?:^|[,:])\W*(?:choose|pick|select|choosing|selecting|picking|going with)\b"
    r"|\b(?:ich (?:wähle|nehme)|je choisis|je dirais|diría que|diria que|direi|elijo|escojo|selecciono|escolho|scelgo"
    r"|memilih|saya pilih|chọn"
    r"|kies|выбираю)\b|เลือก|أختار|选择|選擇|应选|應選|故选|故選|选|選|を選(?:び|択))"
)
CHECKED = r"(?:[\[(][x✓✔][\])]|[☑✅✔✓])"  # a ticked box
_SO = (
    r"(?:(?:\A\W*|[,;:—–]\s*|\band )so\b(?! (?:is|are|was|does)\b)|\b(?:therefore|thus|hence|consequently|conclude"
    r"|leaves?|leaving(?! the\b)|left with"
    r"|must be|has to be|have to be|should be|can only be|i think|i believe|i'm (?:fairly |quite )?(?:sure|confident)"
    r"|points? to|corresponds? to|indicates?|suggests?|makes?|equals?|adds? up to|also|daher|deshalb|somit|donc"
    r"|por tanto|por lo tanto|entonces|portanto|logo|quindi|jadi|maka|значит|поэтому|vậy)\b|所以|因此|故|应该?是|應該是|よって|したがって"
    r"|따라서|(?:\bnot\b|n't\b)[^\n]{1,60}\bbut(?: rather)?\b"
    r"|\bbut (?:actually |really )?(?:it|he|she|they|that) (?:actually |really )?(?:sounds?|seems?)\b|而是|\bsondern\b"
    r"|\bsino\b)"
)
_IT_IS = (
    r"(?:\W+(?:it|this|that|these|those|they|he|she)\b(?:\s*(?:is|'s|was|are|were|must be|has to be|should be"
    r"|would be))?)?"
)
_ITS = r"\bc'est\b|\b(?:it|this|that)(?:\s*(?:is|'s|was)| (?:must|has to|should|would|seems to|appears to) be)\b"
_WRONG = (
    r"(?P<wrong>(?:each|every|all|any|given|provided|following|available|these|those|(?:second|2nd|third"
    r"|3rd)(?= choice| guess)|(?:first|initial)(?= guess| impression| thought)|next|worst|least likely|other|wrong"
    r"|incorrect|false|tempting|falsche|mauvaise"
    r"|incorrecta|incorreta|sbagliata|salah|错误)\s*)?"
)

_MOST = (  # "the most plausible setting is"
    r"\bthe most (?:likely|plausible|probable|appropriate|logical|fitting|suitable|accurate)"
    r" (?:\w+ ){1,3}(?:is|was|would be|seems to be)\b"
)
DECLARED = LazyPattern(
    rf"{_WRONG}(?:{CHECKED}[^\w\n]*\Z|{BOXED}[\s\W]*\Z|(?:{_ANSWER}|{_OPTION})[^\n]{{0,80}}?{_IS}{_BRIDGE}"
    rf"|(?:{_ANSWER}|{_FIELD}|{_CHOOSE}){_BRIDGE})"
)
DECLARED_TEXT = LazyPattern(
    rf"{_WRONG}(?:{CHECKED}[^\w\n]*\Z|{BOXED}[\s\W]*\Z|(?:{_ANSWER}|{_OPTION})[^\n]{{0,80}}?{_IS}{_PROSE}"
    rf"|{_ANSWER}\W*\Z|(?:{_FIELD}|{_CHOOSE}|{_MOST}){_PROSE})"
)
_LIKELY = (
    r"(?:definitely|probably|certainly|clearly|surely|surely|obviously|maybe|perhaps|possibly|likely|apparently"
    r"|presumably|only|(?<!could )(?<!may )(?<!might )(?<!can )be|(?<!so )is|was|it's|that's|are|say|guess|think|pick"
    r"|choose"
    r"|ist|wäre|wohl|wahrscheinlich|vielleicht|est|serait|probablement|es|sea|sería|probablemente|é|seja|provavelmente"
    r"|è|sia|probabilmente|это|наверное|вероятно|adalah|là|jest|este|är|er|कि|auf|que|brzmi|muss|เป็น|правильно|верно"
    r"|всего|คือ|return|(?:é|es|est|è) (?:a|o|la|le|el))"
)
CONCLUDED = LazyPattern(rf"(?:{_SO}{_IT_IS}|{_ITS}){_BRIDGE}")
LIKELY = LazyPattern(rf"(?:\b{_LIKELY}\W{{1,3}}|[是为為は]\s?)\Z")  # before a letter that stands alone
CONCLUDED_TEXT = LazyPattern(rf"{_SO}{_PROSE}")
DENIED = LazyPattern(
    r"(?:\b(?:not|cannot|no|never|neither|nor|without|far from|anything but|hardly|by no means|nothing like|opposite of"
    r"|at (?:least|most)\b[^.;!?\n]{1,40}\b(?:possibly|perhaps|maybe|or)\b|(?:at first|initially"
    r"|originally)\b[^.;!?\n]{0,40}?\b(?:seem\w*|sound\w*|look\w*|appear\w*|thought|guess\w*|said)|\bfirst (?:thought"
    r"|guess(?:ed)?|said)|rul(?:e[sd]?|ing) out|eliminat\w+|exclud\w+|reject\w*|rather than|instead of|other than"
    r"|unlike|as opposed to|except|plutôt\b[^.;!?\n]{1,40}\bqu(?:e |')|eher\b[^.;!?\n]{1,40}\bals"
    r"|скорее\b[^.;!?\n]{1,40}\bчем|than|less likely|less probable|less plausible|less(?=\W*\Z)|less an?|unable|whether"
    r"|unclear|lacks?|nicht|keine?\w*|statt|ob|pas|ni|s'il|não|nem|non|bukan|tidak|không|не|нет|není|nie|ei ole|nu este"
    r"|δεν|όχι)\b|לא|ليس|ليست|ไม่ใช่|n't\b|是否|不是|并非|不选|不選|而非|排除|不像|没有|不)(?P<scope>[^,;:.!?，；。]{0,80})\Z"
)
NOT_LESS = LazyPattern(r"\bless\b[^.;!?\n]{0,80}\bthan\b[^,;:.!?\n]{0,20}\Z")  # "less likely a man than a woman"
COUNTERFACTUAL = LazyPattern(
    r"\bhad (?:he|she|it|they|i|we|you|\w{2,12}) not\W*\Z|\bhadn't\W*\Z"
)  # would have, had he not
CONTRAST = LazyPattern(  # all that stands between what is denied and what holds
    r"\W*(?:but(?: rather)?|rather|instead|sondern|sino|mais|mas|ma|а|но|tetapi|melainkan|mà là|而是|가 아니라|이 아니라|은 아니고"
    r"|는 아니고|가 아닌|이 아닌|ではなくて?|じゃなくて?|でなくて?|بل|बल्कि|नहीं|แต่เป็น|แต่)\W*(?:(?:an?|the|it is|it's|it|is|c'est|es|é|è|ist"
    r"|это|la|le|el|der|die|das|ein|eine|una?|um|uma|une?|option|to|because|since|he|she|they)\W+){0,3}"
)
CONDITION = LazyPattern(  # "if it were low, A": an answer to another question
    r"\b(?:if|assuming|suppose|supposing|provided that|in case|unless|depending on|depends on)\b"
    r"(?!\W+(?:i|we|you|one (?:had|has|must)|anything|forced|pressed|not|needed|necessary|only|at all|so|any)\b)"
    r"|\bwenn\b|\bfalls\b|\bjika\b|\bkalau\b|如果|若是|もし|만약"
)
EACH = LazyPattern(
    r"\b(?:each|every|all|any|the (?:given|available|possible|following|provided)|these|those|between|through)\W*\Z"
)
SURE = LazyPattern(r"\b(?:it|this|that|he|she|they)\b|\b(?:actually|really|in fact)\b")
ENUMERATOR = LazyPattern(r"[.)]\s+\w")  # after a number that opens a line
IN_PASSING = LazyPattern(
    r"\b(?:at least|at most|only|which|each|every|this|that|the|first|any|no|as|more than|less than|than)\s+\Z"
)
PART_OF = LazyPattern(
    r"\s+(?:of(?! them\b| these\b)|or more|by one|such|another|who|whose|which|can|could|might|must|should|more)\b"
)
TURNED_DOWN = LazyPattern(
    r"\b(?:wrong|incorrect|false|unlikely|eliminated|excluded|ruled out|falsch|fausse?s?|salah)\b|错误|不对"
)
RESUMED = LazyPattern(r"\b(?:but|so|only|instead|therefore|because|since|as|which|that|just|merely)\b|而是|但")
_STATES = r"(?:is|are|was|were|would be|seems?|appears?|can be|could be|must be|should be|has to be|looks?|sounds?)"
DENIED_AFTER = LazyPattern(
    r"\s*[☐☒✗✘❌]\s*(?:\n|\Z)|"
    rf"\s?\?\s*(?:no|nope|not|nein|non)\b"  # "Happy? No."
    r"|\s?[-–—:]\s*(?:no|nope|wrong|incorrect)\s*(?:[.,;!\n]|\Z)"  # "Option A: Man - no."
    r"|\s+if (?!(?:i|we|you|one)\b)(?:\w+ ){1,3}(?:had|hadn't)\b"  # "would have been late if the bus had not come"
    rf"|\W{{0,4}}(?:{_STATES}\s+(?:\w+\s+){{0,2}}?(?:not|wrong|incorrect|false|ruled out|eliminated|excluded"
    rf"|unlikely|less|out"
    r"|improbable|implausible|irrelevant|inaccurate)\b|(?:is|are|was|were|does|do|did|would|could|wo|ca)n't\b|cannot\b"
    r"|(?:does|do|did|would|could) not\b|不正确|不對|不对|错误|不符合|可以排除|是错|(?:も|は)?違い?|では(?:な|あり)|じゃな|でな[いく]"
    r"|(?:가|이|은|는)?\s*아[니닌닙]|नहीं|ist (?:falsch|nicht)|n'est pas"
    r"|est (?:incorrecte?|fausse?)|no es\b|es incorrect|não é|non è|salah\b|bukan\b|tidak\b)"
)
DECLARED_AFTER = LazyPattern(
    r"\s*[☑✅✔✓]\s*(?:\n|\Z)|\s+it is\b|"
    rf"\W{{0,4}}(?:{_STATES}\s+(?:\w+\s+){{0,4}}?(?:correct|right|true|best|better|accurate|appropriate|suitable|answer"
    rf"|choice|option|(?:more|most) (?:likely|plausible|probable|fitting))\b"
    r"|(?:fits|matches|describes|suits)\s+(?:\w+\s+){0,4}(?:best|better)\b|(?:fits|matches|remains)\b|rather than\b"
    r"|هي (?:الإجابة|الجواب|الخيار)|(?:选项)?是?最?(?:正确|合适|恰当|符合)|是对的|が正|が適切|を選|을 선택|를 선택|(?:wählen|nehmen|stimmt)\b"
    r"|está (?:corret|correct)|सही|ถูก|ist (?:die )?(?:richtig|korrekt)|est (?:la )?(?:bonne|correcte?|juste)"
    r"|es (?:la )?(?:respuesta |opción )?(?:correct|mejor)|é (?:a )?(?:resposta )?(?:corret|cert)"
    r"|è (?:la )?(?:risposta )?(?:corrett|giust)|(?:adalah )?(?:jawaban )?(?:yang )?(?:benar|tepat)\b|là đáp án|だと(?:思"
    r"|考)|です\W*\Z|でしょう|(?:이|인 것)?\s?(?:입니다|이다|예요|이에요|라고 생각)|[이가] (?:맞|옳)|है\W*\Z)"
)
DECLARED_AFTER_TEXT = LazyPattern(
    rf"\W{{0,4}}(?:{_STATES}\s+(?:\w+\s+){{0,4}}?(?:answer|choice|option|candidate|(?:more|most) likely)\b|是正确|が正解)"
)
CLAIMED = LazyPattern(
    r"(?:(?:\b(?:is|are|was|were|be)|'s)\b|\b(?:sounds?|looks?|seems?|appears?)\b|是|听起来像)(?:\W+(?:likely|probably"
    r"|clearly|definitely|mainly|primarily|typically|most|best|described|as|like|to|be|being|from|of|by|in|that|an?|the"
    r"|very|quite)){0,5}\W*\Z"
)
SENTENCE_END = LazyPattern(r"[.!?;]+(?=\s|\Z)|[。！？；]|\n")
JOINT = LazyPattern(  # all that stands between two choices of one list
    r"[\s()\[\],;/&+、，<>-]*(?:(?:(?:mixed|combined|along|together) with|as well as|plus|and|or|und|oder|et|ou|y|e|o"
    r"|dan|atau|va|và|hoặc|и|или|lub|eller|veya|ή)\b|또는|혹은|または"
    r"|あるいは|أو|या|और|หรือ|还是|或者?|和|与|與|及|と|も|か|와|과|도|나)?(?:\s(?:maybe|perhaps|possibly|probably|even|else"
    r"|also)\b)?[\s()\[\],、，<>-]*(?:\b(?:options?|choices?|an?|the|la|le|der|die|das)\b|选项)?[\s()\[\]]*\Z"
)
NAMED = LazyPattern(
    r"(?:\b(?:options?|choice|answer|letter|alternative|opci[oó]n|op[cç][aã]o|opzione|alternativa|opsi|pilihan|antwort"
    r"|réponse|lettre|letra)|选项|選項|選択肢|선택지|보기|вариант|ข้อ|ตัวเลือก|الخيار|الحرف|विकल्प)\W{0,3}\Z"
)
PAUSE = LazyPattern(  # after a letter that stands as a label
    r"\s*(?:\Z|[^\w\s])|\s*\n|\s+(?:because|since|as|due|given|based|for|rather than|instead of|is|and|or|with|und"
    r"|oder|et|dan|weil|denn"
    r"|parce|porque|pois|perché|karena|sebab|ist|est|es|é|è|jest|är|adalah|là|it is)\b"
    r"|\s*[\u3040-\u9fff\uac00-\ud7af]|\s+[\u0400-\u1fff]"
)
STOP = LazyPattern(
    r"\s*(?:\Z|[.!:;()\[\n–—-])|,?\s+(?:because|since|as|weil|denn|car|porque|karena)\b|[。！；（]|，?因为"
)
VERB = LazyPattern(
    r"\s+(?!(?:and|or|but|with|while|as|because|since|then|nor|followed|along|together|in|at|on|of|by|near|under|to"
    r"|from|behind|over|through)\b)[^\W\d_]"
)
CLAUSE_END = LazyPattern(r"[,;:.!?]|\b(?:and|while|as|but|then|whereas|followed)\b")
KEY_NAME = LazyPattern(  # music: "C minor", "B:maj7"
    r"[ -]?(?:major|minor|flat|sharp|natural|majeur|mineur|mayor|menor|dur|moll)\b|:(?:maj|min|dim|hdim|aug|sus|7)"
)
_TELL = (
    r"(?:determined?|identif(?:y|ied)|tell|say|answer(?:ed)?|choose|select|decide|listen|hear|process|access|analy[sz]e"
    r"|help|assist|provide|infer(?:red)?|discern(?:ed)?|recogni[sz]e|confirm|know|conclude|judge|play)"
)
REFUSAL = LazyPattern(
    rf"\b(?:can(?:no|')t|can not|could(?:n't| not)|(?:unable|not able|not possible"
    rf"|impossible) to)\W+(?:\w+\W+){{0,2}}?{_TELL}\b"
    r"|\b(?:i'm|i am|we are) (?:\w+ )?(?:sorry|unable|not able)\b|\A\W*sorry\b|\bas an ai\b|\b(?:do not|don't) know\b"
    r"|\b(?:insufficient|not enough) (?:information|context|data|evidence|detail)|\bno (?:audio|information)\b"
    r"|\bnot (?:\w+ )?(?:specified|mentioned|provided|stated|given|indicated|determined|identified)\b|\b(?:does|do"
    r"|did)(?: not|n't) (?:contain|provide|specify|mention|include|indicate)\b|\b(?:unknown|undetermined)\b|\b(?:i|must"
    r"|have to) (?:refuse|decline)\b|\bkann (?:\w+ ){0,3}(?:nicht|keine)\b|\bweiß (?:\w+ )?nicht\b|\bnie (?:mogę"
    r"|wiem)\b|\b(?:weet|kan) (?:\w+ )?niet\b|bilmiyorum|\bleider nicht\b|désolé|je ne (?:peux|sais) pas|lo siento"
    r"|no (?:puedo|sé)\b|desculpe|não (?:posso|consigo|sei)|mi dispiace|non (?:lo |la )?(?:posso|so)\b|\bmaaf\b"
    r"|tidak (?:dapat|bisa|tahu)|xin lỗi|không (?:thể|biết)|извините|не (?:могу|можу|знаю)|无法|不能|抱歉|对不起|不知道|わかりません"
    r"|できません|申し訳|알 수 없|모르|죄송|لا (?:أعرف|أستطيع|يمكنني)|ไม่(?:สามารถ|ทราบ|รู้)|पता नहीं"
)
HEDGES = LazyPattern(r"\b(?:wait|hmm+|actually|hold on|let me|on second thought|but|however|alternatively)\b")
# Said in passing far too often to be an answer unless something says that they are one.
CLAIMABLE = frozenset("true false both neither none same other all".split())  # but for "it is true"
COMMON = frozenset("yes no none all both neither other others true false not one it any same".split())

# ---------------------------------------------------------------- replies without an answer

DECLINES = LazyPattern(  # the model speaks of itself or of what it was given, not of what is heard
    rf"\b(?:i|we)(?:'m| am| are)? (?:\w+ )?(?:can(?:no|')t|can not|could(?:n't| not)|unable to"
    rf"|not able to)\W+(?:\w+\W+){{0,2}}?{_TELL}\b|\b(?:it is|it's|is) (?:\w+ )?(?:not possible|impossible|difficult"
    rf"|hard|unclear)\b[^.\n]{{0,60}}?\b{_TELL}\b|\b(?:can(?:no|')t|could(?:n't| not)) be (?:\w+ )?{_TELL}\b"
    rf"|\bunable to (?:\w+ )?{_TELL}\b|\bnot determinable\b"
    r"|\b(?:i|we) (?:do not|don't|didn't|did not) (?:hear any|have access|have the|have any|see any|have enough"
    r"|receive)\b|\bas an ai\b|\b(?:insufficient|not enough|enough) (?:information|context|data|evidence|detail)"
    r"|\bno (?:\w+ ){0,2}(?:audio|recording|clip|utterance|information)\b[^.\n]{0,30}\b(?:is|was|provided|given"
    r"|attached)\b|\b(?:please|could you|can you|would you|if you(?: can| could|'d like to"
    r"| would like to)?) (?:\w+ ){0,2}?(?:provide|share|upload|re-?upload|attach|send|describe|clarify|specify|confirm"
    r"|play|repeat)\b|\b(?:would|will|i'd|i) need (?:to (?:listen|hear|know|see)|the|an?|more|further|access"
    r"|specific)\b|\b(?:is|are) (?:missing|not available|necessary|required|needed) ?(?:[.,;]|\Z|to\b|for\b)"
    r"|\bwithout (?:more|the (?:actual|audio|clip|recording)|access|further|additional|hearing|listening)\b"
    r"|\bje ne (?:peux|sais|parviens) pas|\bimpossible de\b|\bno (?:puedo|sé|es posible)\b|\bnão (?:posso|consigo|sei"
    r"|é possível)\b|\bnon (?:posso|riesco|so|è possibile)\b|\bkann (?:\w+ ){0,5}(?:nicht|keine)\b|\bnicht (?:sagen"
    r"|bestimmen|erkennen|beurteilen|hören)\b|\btidak (?:dapat|bisa|tahu)\b|\bkhông (?:thể|biết)\b|не (?:могу|можу"
    r"|знаю)|无法|不能确定|不知道|わかりません|できません|判断できない|알 수 없|모르|할 수 없|لا (?:أعرف|أستطيع|يمكنني|يمكن)|ไม่(?:สามารถ|ทราบ|รู้)"
    r"|पता नहीं|नहीं (?:बता|कह|सुन) सकत"
)
NOT_SAID = LazyPattern(  # what is heard does not tell
    r"\b(?:(?:is|are|was|were|been) not|isn't|aren't|wasn't|weren't) (?:\w+ly )?(?:specified|mentioned|provided|stated"
    r"|given|indicated)\b|\b(?:does|do|did)(?: not|n't) (?:contain|provide|specify|mention|include|indicate)\b"
)
BUT_IS = LazyPattern(  # "it may sound like A at first, but it's B"
    r"[^.;!?\n]{0,30}\bbut\b\W+(?:(?:it|this|that|he|she|they)(?:'s|\s+is|\s+was|\s+are)\W+)?(?:(?:is|was|actually"
    r"|really|in fact|rather|more likely|clearly)\W+){0,2}(?:(?:an?|the|like)\W+){0,2}"
)
BOXES = LazyPattern(r"\[[ x✓✔]?\]|\([ x✓✔]?\)|[☐☒☑✅✔✓✗✘❌]")
WHENS = LazyPattern(r"\bwhen\b[^.;!?\n]{0,60}\b(?:is|are|was|were)\b[^.;!?\n]{0,30},\s*(?:and )?when\b")
RETURNS = LazyPattern(  # after having declined
    r"\b(?:but|however|though|although|still|nevertheless|nonetheless|yet|based on|judging|guess|assum\w+|likely"
    r"|appears?|seems?|sounds|if i had to|leans?|aber|mais|pero|mas|ma|tetapi|namun|nhưng|но)\b|但|不过|しかし|が、|하지만|ولكن"
    r"|लेकिन|แต่"
)
NONE_OF_THESE = LazyPattern(
    r"\b(?:none|neither|any|all|either|each)(?: one)? of (?!(?:the |your |my )?(?:other|rest|remaining)\b)(?:(?:these"
    r"|those|them)\b|(?:the |your |my )?(?:\w+ ){0,2}(?:options?|choices?|answers?|alternatives|above|labels)\b)"
    r"|\bnot (?:\w+ ){0,2}?(?:among|one of|in|listed|covered)\b[^.\n]{0,30}\b(?:options|choices|answers|alternatives"
    r"|list|listed|above)\b|\bno (?:\w+ )?(?:options?|choices?|answers?)\b[^.\n]{0,40}\b(?:match|fit|appl|correct|suit"
    r"|describe|correspond|right)|\bnone (?:\w+ )?(?:match|fit|appl|correspond)\w*|\b(?:options?|choices?)(?: provided"
    r"| given)?(?: \([^)]{0,80}\))? (?:do|does)(?: not|n't) (?:match|list|include|contain|fit)\b|\bnot match any\b"
    r"|\bnot (?:listed|among them|on the list)\b|以上(?:都|皆)(?:不|非)|都不(?:是|对|正确)|どれでもない|どれも|해당 없음|كل ما سبق|لا شيء"
    r"|\b(?:keine|aucune?|ninguna?|nenhuma?|nessuna?) (?:der|des|de|das|dos|delle)\b"
)
_STEP = (
    r"(?:analy[sz]e|identify|count|transcribe|listen|compare|determine|consider|examine|choose|select|look|break"
    r"|evaluate|check|provide|output|outline|infer|start|begin|try|proceed|focus|find|assess|review|go through)"
)
PLAN = LazyPattern(  # a step that is still to be taken
    rf"\b(?:i|we)(?: will|'ll| need to| have to| must| should| would| would need to|'d| am going to| shall| can"
    rf"| would have to) (?:\w+ly )?(?:first |then |now |also )?{_STEP}\b"
    r"|\bi can (?:describe|help|explain|assist|tell you)\b|\blet's\b|\blet us\b|\blet me\b|\b(?:the|my|your) (?:task"
    r"|goal|question|instruction)\b|\bto (?:\w+ )?(?:determine|answer|identify|solve|find|count"
    r"|decide)\b[^.\n]{0,120}?\b(?:i|we|you)\b|\boptions? (?:are|include)\b|\bconsider(?:ing)? (?:each|the|all)\b"
)
END = LazyPattern(r"(?:[.!?。！？…؟।]|</\w+>|[)\]}»”\"'])[\s*_`\"'”’)\]}>|]*\Z")
LIST_ITEM = LazyPattern(r"\n[ \t]*(?:[*•·–-]|\(?\d{1,3}[.)])[ \t]+[^\n]*\Z")
RULED_OUT = LazyPattern(r"\b(?:eliminat\w+|exclud\w+|rul(?:e[sd]?|ing) out)\b")
VERDICT = LazyPattern(  # at an end of a line that weighs one option
    r"\A\W*(?:yes|correct|true|right|fits|matches|plausible and)\b|[✓✔✅☑]|\b(?:correct|best (?:fit|match|answer"
    r"|choice)|the answer|(?:fits|matches) best|best one|plausible one)\W*\Z"
)
PERCENT = LazyPattern(r"[\s)\]:=(,–-]{0,6}(?:about |around |approx\w*\.? |~|≈)?(?:(\d{1,3}(?:\.\d+)?)\s?%|(0?\.\d+)\b)")
PERCENT_BEFORE = LazyPattern(r"(\d{1,3}(?:\.\d+)?)\s?%\s*(?:for )?\Z")
CHECKED_BOX = LazyPattern(CHECKED)
SOURCE = LazyPattern(r"\b(?:speaker|sound|clip|tone|recording|person|voice|audio|sample|instrument|track)\W{0,3}\Z")
ORDINALS = {
    word: number
    for number, words in enumerate(
        (
            "first 1st one 1",
            "second 2nd two 2",
            "third 3rd three 3",
            "fourth 4th four 4",
            "fifth 5th five 5",
            "sixth 6th six 6",
        ),
        1,
    )
    for word in words.split()
}
_NOUN = r"(?:options?|choices?(?!\s?[:=])|answers?|alternatives?)"
_NTH = r"(?P<ordinal%d>first|second|third|fourth|fifth|sixth|[1-6](?:st|nd|rd|th)|last)"
ORDINAL = LazyPattern(
    rf"\b{_NTH % 0}\s+(?:answer\s+)?{_NOUN}\b|\b{_NOUN}\s+(?:number\s+|no\.?\s*|#)?(?P<number>one|two|three|four|five"
    rf"|six|[1-6])\b(?![.,:]?\d)|\A\W*(?:the )?{_NTH % 1}(?: one)?(?=\W*\Z)|(?:(?<=answer is )|(?<=answer is the )"
    rf"|(?<=choose the )|(?<=pick the )|(?<=select the )){_NTH % 2}(?: one)?\b"
)
NUMERAL = LazyPattern(
    r"\d|\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|first|second|third|last)\b"
)
LABEL_ALONE = LazyPattern(r"\s*(?:\Z|[.)\]:\n!]|-\s|,\s*(?:because|since|as)\b)")
CLAUSE_LEAD = LazyPattern(
    r"(?:\d\s?[).:]|[,;:—–]|\s-|\b(?:and|but|so|thus|hence|therefore|say|guess|probably|likely|definitely|certainly"
    r"|maybe|perhaps))\W*(?:(?:an?|the|option|it is|it's|is)\W+)?\Z"
)
NO_CLAIM = (CONDITION, DECLINES, NOT_SAID, NONE_OF_THESE, PLAN)
ANYWAY = LazyPattern(r"\b(?:but|so|therefore|instead|still)\b")
OTHER_ANSWER = LazyPattern(  # an answer of few words
    r"\b(?:the|my|final|correct|right) (?:\w+ )?answer(?: is|:)(?: therefore| thus)?[^\w.;!?\n]{0,6}"
    r"((?!not\b)[^\s.;!?\n]+(?: [^\s.;!?\n]+){0,2})(?=[.;!?\n]|\Z)"
)
BECAUSE = LazyPattern(r",?\s+(?:because|since|as|weil|denn|car|porque|karena)\b")
SUBJECT = LazyPattern(r"\s+(?:is|ist|est|es|é|è|jest|är|adalah|là)\b")  # "B is a high voice"
LABEL_VERB = LazyPattern(r"\s+(?:seems|sounds|fits|matches|would|should|appears|looks|describes|corresponds|sein)\b")
OR_BEFORE = LazyPattern(r"\b(?:or|oder|ou)\W+(?:(?:an?|the|une?|d'une?|eine?)\W+)?\Z")
LEAD_ARTICLE = LazyPattern(r"\A\W*(?:la|le|el|il|die)\s")
TAG_QUESTION = LazyPattern(r",\s*(?:(?:is|was|does|are|were|do)n't|right|no|innit)\b[^?]{0,12}\?")
TAKEN_BACK = LazyPattern(
    r"[\s.,;…–—-]*\b(?:no|wait|hmm+|actually|sorry|correction|scratch that|i mean|make that)\b[\s,.…:–—-]"
)
ABBREVIATED = LazyPattern(r"\b(ans|opt)\.")
ALSO = LazyPattern(r",?\s*(?:or|and|as well as|oder|und|ou|et|o|y|e)\b|\s*/")
INSTEAD = LazyPattern(r"\b(?:instead of|rather than|without|unlike|not)\b[^,;.!?\n]*")
BY_MEANS = LazyPattern(r"\b(?:with|by|of|than)\W+(?:(?:an?|the)\W+)?\Z")
CLAUSE_PAUSE = LazyPattern(
    r"[;:—–]|\s-\s|\bbut\b|,\W*(?:(?:an?|the|so|option|maybe|probably|perhaps|it's|i'd say)\W+){0,3}\Z"
)
