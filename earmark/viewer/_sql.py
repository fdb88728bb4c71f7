"""SQL of the table of a run, with explicit columns: journals of other versions have the same."""

from __future__ import annotations

from typing import Final

RECORD: Final = """{
    item: 'STRUCT(id VARCHAR, task VARCHAR, question VARCHAR, labels VARCHAR[], targets VARCHAR[], "group" VARCHAR,
                  tags MAP(VARCHAR, VARCHAR))',
    condition: 'VARCHAR', repeat: 'INTEGER',
    response: 'STRUCT(text VARCHAR, seconds DOUBLE, usage STRUCT(tokens_in BIGINT, tokens_out BIGINT, cost DOUBLE))',
    failure: 'STRUCT(state VARCHAR, message VARCHAR)',
    audio_sent: 'STRUCT(seconds DOUBLE, notes VARCHAR[])[]'}"""
SCORE: Final = """{
    task: 'VARCHAR', id: 'VARCHAR', condition: 'VARCHAR', repeat: 'INTEGER', scorer: 'VARCHAR', state: 'VARCHAR',
    answer: 'VARCHAR', counts: 'MAP(VARCHAR, DOUBLE)', rule: 'VARCHAR', why: 'VARCHAR', value: 'DOUBLE',
    "right": 'BOOLEAN'}"""
READ: Final = "read_json(?, format = 'newline_delimited', ignore_errors = true, maximum_object_size = ?, columns ="
# Scores of version 0.1 do not say whether an item is right: there its counts do. Graded items have a score alone.
RIGHT: Final = """
    case when value is not null then "right"
         when counts['right'] is not null
         then case when coalesce(counts['n'], counts['judged'], 1) > 0 then counts['right'] >= 1 end
         when counts['kept'] is not null then case when counts['kept'] > 0 then counts['same'] > 0 end
         when counts['wrong'] is not null then case when counts['n'] > 0 then counts['wrong'] = 0 end
         when counts['exact_match'] is not null then counts['exact_match'] >= 1
    end
"""
VALUE: Final = "coalesce(value, counts['rate'], counts['right'], counts['same'], map_values(counts)[1])"
EMPTY: Final = """
    create table items (line BIGINT, task VARCHAR, id VARCHAR, condition VARCHAR, repeat INTEGER, question VARCHAR,
        targets VARCHAR[], labels VARCHAR[], group_ VARCHAR, tags MAP(VARCHAR, VARCHAR), sounds INTEGER, reply VARCHAR,
        seconds DOUBLE, tokens_in BIGINT, tokens_out BIGINT, cost DOUBLE, failure VARCHAR, failure_state VARCHAR,
        sound_notes VARCHAR[], audio_seconds DOUBLE, state VARCHAR, scorer VARCHAR, answer VARCHAR, right_ BOOLEAN,
        score DOUBLE, rule VARCHAR, copy_of BIGINT);
    create table scores (line BIGINT, task VARCHAR, id VARCHAR, condition VARCHAR, repeat INTEGER, scorer VARCHAR,
        state VARCHAR, answer VARCHAR, counts MAP(VARCHAR, DOUBLE), rule VARCHAR, why VARCHAR, right_ BOOLEAN,
        score DOUBLE, used BOOLEAN);
"""
# Of several scores of an item the one that says whether it is right, of those the one by the first scorer.
FIRST_SCORES: Final = """
    (select * from scores where not used
     qualify row_number() over (partition by task, id, condition, repeat
                                order by right_ is null, list_position(?, scorer), line) = 1)
"""
RIGHT_UNLESS_FAILED: Final = "case when failure_state in ('request-failed', 'sound-failed') then null else x.right_ end"
ITEMS: Final = f"""
    insert into items
    select l.*, coalesce(x.state, failure_state, 'answered'), x.scorer, x.answer, {RIGHT_UNLESS_FAILED}, x.score,
        x.rule, null
    from (
        select row_number() over () + ? as line, coalesce(item.task, '') as task, item.id as id,
            coalesce(condition, 'plain') as condition, coalesce(repeat, 0) as repeat, item.question, item.targets,
            item.labels, item."group", item.tags, len(coalesce(audio_sent, [])), response.text, response.seconds,
            response.usage.tokens_in, response.usage.tokens_out, response.usage.cost, failure.message,
            failure.state as failure_state,
            list_distinct(flatten(list_transform(audio_sent, lambda s: coalesce(s.notes, [])))),
            list_sum(list_transform(audio_sent, lambda s: s.seconds))
        from {READ} {RECORD})) as l
    left join {FIRST_SCORES} as x
      on l.task = x.task and l.id = x.id and l.condition = x.condition and l.repeat = x.repeat
    where l.line <= ?
"""  # noqa: S608 - our own columns
SCORES: Final = f"""
    insert into scores
    select * from (
        select row_number() over () + ? as line, task, id, coalesce(condition, 'plain'), coalesce(repeat, 0), scorer,
            state, answer, counts, rule, why, {RIGHT}, {VALUE}, false
        from {READ} {SCORE}))
    where line <= ?
"""  # noqa: S608 - our own columns
# The last line about a question counts.
KEEP_LATEST: Final = """
    delete from items using (
        select task, id, condition, repeat, max(line) as last from items group by all having count(*) > 1) as x
    where items.task = x.task and items.id = x.id and items.condition = x.condition and items.repeat = x.repeat
      and items.line < x.last
"""
# A set that two judges judged is imported as two tasks, such as set and set.gpt4o_judge, with the same replies: rows of
# the second are copies of those of the first.
FIND_COPIES: Final = """
    update items set copy_of = x.first from (
        select line, first_value(line) over (
            partition by split_part(task, '.', 1), id, condition, repeat, question, targets, reply
            order by length(task), line) as first
        from items where failure is null) as x
    where items.line = x.line and x.first != x.line
"""
SCORE_ITEMS: Final = f"""
    update items
    set state = x.state, scorer = x.scorer, answer = x.answer, score = x.score, rule = x.rule,
        right_ = {RIGHT_UNLESS_FAILED}
    from {FIRST_SCORES} as x
    where items.task = x.task and items.id = x.id and items.condition = x.condition and items.repeat = x.repeat
"""  # noqa: S608 - our own columns
USE_SCORES: Final = "update scores set used = true where not used"
LIST_COLUMNS: Final = (
    "task", "id", "condition", "repeat", "question", "target", "answer", "state", "right", "score", "scorer", "rule",
    "reply", "failure", "seconds", "cost", "tokens_out", "sounds", "tags", "copy",
)  # fmt: skip
HEAD: Final = 160  # letters of a text in a list
LIST_SQL: Final = f"""
    task, id, condition, repeat, left(question, {HEAD}), array_to_string(targets, ' | '), left(answer, {HEAD}), state,
    right_, score, scorer, rule, left(reply, {HEAD}), left(failure, {HEAD}), seconds, cost, tokens_out, sounds,
    coalesce(tags, MAP {{}}::MAP(VARCHAR, VARCHAR)), copy_of is not null
"""
