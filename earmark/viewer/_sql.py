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
    create table lines (line BIGINT, task VARCHAR, id VARCHAR, condition VARCHAR, repeat INTEGER, question VARCHAR,
        targets VARCHAR[], labels VARCHAR[], group_ VARCHAR, tags MAP(VARCHAR, VARCHAR), sounds INTEGER, reply VARCHAR,
        seconds DOUBLE, tokens_in BIGINT, tokens_out BIGINT, cost DOUBLE, failure VARCHAR, failure_state VARCHAR,
        sound_notes VARCHAR[], audio_seconds DOUBLE);
    create table items as select *, ''::VARCHAR as state, null::VARCHAR as scorer, null::VARCHAR as answer,
        null::BOOLEAN as right_, null::DOUBLE as score, null::VARCHAR as rule from lines;
    create table scores (line BIGINT, task VARCHAR, id VARCHAR, condition VARCHAR, repeat INTEGER, scorer VARCHAR,
        state VARCHAR, answer VARCHAR, counts MAP(VARCHAR, DOUBLE), rule VARCHAR, why VARCHAR, right_ BOOLEAN,
        score DOUBLE, used BOOLEAN);
"""
LINES: Final = f"""
    insert into lines
    select * from (
        select row_number() over () + ? as line, coalesce(item.task, '') as task, item.id as id,
            coalesce(condition, 'plain'), coalesce(repeat, 0), item.question, item.targets, item.labels, item."group",
            item.tags, len(coalesce(audio_sent, [])), response.text, response.seconds, response.usage.tokens_in,
            response.usage.tokens_out, response.usage.cost, failure.message, failure.state,
            list_distinct(flatten(list_transform(audio_sent, lambda s: coalesce(s.notes, [])))),
            list_sum(list_transform(audio_sent, lambda s: s.seconds))
        from {READ} {RECORD}))
    where line <= ?
"""  # noqa: S608 - our own columns
SCORES: Final = f"""
    insert into scores
    select * from (
        select row_number() over () + ? as line, task, id, coalesce(condition, 'plain'), coalesce(repeat, 0), scorer,
            state, answer, counts, rule, why, {RIGHT}, {VALUE}, false
        from {READ} {SCORE}))
    where line <= ?
"""  # noqa: S608 - our own columns
ADD_ITEMS: Final = (
    """delete from items using lines as x
       where items.task = x.task and items.id = x.id and items.condition = x.condition and items.repeat = x.repeat""",
    """insert into items
       select *, coalesce(failure_state, 'answered'), null, null, null, null, null from lines
       qualify row_number() over (partition by task, id, condition, repeat order by line desc) = 1
       order by line""",
    "truncate lines",
)
SCORE_ITEMS: Final = """
    update items
    set state = x.state, scorer = x.scorer, answer = x.answer, score = x.score, rule = x.rule,
        right_ = case when failure_state in ('request-failed', 'sound-failed') then null else x.right_ end
    from (select * from scores where not used
          qualify row_number() over (partition by task, id, condition, repeat
                                     order by right_ is null, list_position(?, scorer), line) = 1) as x
    where items.task = x.task and items.id = x.id and items.condition = x.condition and items.repeat = x.repeat
"""
USE_SCORES: Final = "update scores set used = true where not used"
LIST_COLUMNS: Final = (
    "task", "id", "condition", "repeat", "question", "target", "answer", "state", "right", "score", "scorer", "rule",
    "reply", "failure", "seconds", "cost", "tokens_out", "sounds", "tags",
)  # fmt: skip
HEAD: Final = 160  # letters of a text in a list
LIST_SQL: Final = f"""
    task, id, condition, repeat, left(question, {HEAD}), array_to_string(targets, ' | '), left(answer, {HEAD}), state,
    right_, score, scorer, rule, left(reply, {HEAD}), left(failure, {HEAD}), seconds, cost, tokens_out, sounds,
    coalesce(tags, MAP {{}}::MAP(VARCHAR, VARCHAR))
"""
