"""Regenerate the logs of tests/importers/logs: real ones, written by each harness with a local server as model.

    python tools/peer_logs.py inspect VENV [OUT]      VENV: an environment with inspect-ai and openai
    python tools/peer_logs.py evalscope VENV [OUT]    with evalscope and soundfile
    python tools/peer_logs.py lmms-eval VENV [OUT]    with torch, then lmms-eval without its dependencies, then those it asks for

Nothing of what a reader looks at is touched. Left out afterwards, to keep the files small: Inspect's events, messages,
attachments and tracebacks (by Inspect's own reading and writing), what evalscope's report tells of speed, lmms-eval's
of the machine, and errors of metrics that need data from elsewhere. The items hold what goes wrong in a run: a reply
that names no letter, an empty one, one cut for length, one withheld, a request that is refused, answers that change
from one epoch to the next.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import wave
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from aiohttp import web  # noqa: E402 - beside the tests' server
from servers import serving, words  # noqa: E402


class Question(NamedTuple):
    """One question and what the server says to it."""

    text: str
    choices: tuple[str, ...]
    target: str
    reply: str
    stop: str = "stop"


CHOICES: Final = (
    Question("Which animal is heard?", ("cat", "dog", "bird", "car"), "B", "ANSWER: B"),
    Question("How many knocks are there?", ("two", "three", "four"), "A", "I hear two knocks."),
    Question("Is it raining?", ("yes", "no"), "A", "!400"),
    Question("Who speaks?", ("man", "woman", "child"), "C", ""),
    Question("Which instrument plays?", ("viola", "violin"), "A", "It might be the", "length"),
    Question("What is said in private?", ("nothing", "something"), "A", "", "content_filter"),
    Question("Does the pitch rise?", ("yes", "no"), "A", "ANSWER: A|ANSWER: B"),
)
TEXTS: Final = (
    Question("What is said?", (), "hello world", "hello world"),
    Question("Which city is named?", (), "Paris", "It is Paris, of course."),
    Question("Who is greeted?", (), "Ann", "!400"),
)


TIMES: Final = Counter[str]()  # how often each was asked


def handler(body: dict[str, Any], _: int) -> web.StreamResponse:
    """Answer each question with its own reply, with an error where it is marked, with several in turn."""
    asked = words(body)
    question = next(question for question in (*CHOICES, *TEXTS) if question.text in asked)
    TIMES[question.text] += 1
    if question.reply.startswith("!"):
        return web.json_response(
            {"error": {"message": "Invalid audio: cannot be decoded"}}, status=int(question.reply[1:])
        )
    replies = question.reply.split("|")
    message = {"role": "assistant", "content": replies[TIMES[question.text] % len(replies)]}
    choice = {"index": 0, "finish_reason": question.stop, "message": message}
    usage = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}
    fields = {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": [choice],
        "usage": usage,
    }
    return web.json_response(fields)


def run(command: Sequence[str | Path], folder: Path, **environment: str) -> None:
    """Run a harness; that items fail is no failure of it."""
    fields = {"TMPDIR": str(folder), "HF_HUB_OFFLINE": "1"} | environment
    done = subprocess.run(
        list(map(str, command)), cwd=folder, env=os.environ | fields, capture_output=True, text=True, check=False
    )
    print(done.stdout[-600:], done.stderr[-600:] if done.returncode else "")


def sound(path: Path) -> str:
    """Fifty milliseconds of silence."""
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", ""))
        file.writeframes(bytes(800))
    return path.name


# ---------------------------------------------------------------- the harnesses


INSPECT_TASKS: Final = """
from inspect_ai import Task, task
from inspect_ai.dataset import json_dataset
from inspect_ai.scorer import Score, choice, exact, includes, mean, scorer
from inspect_ai.solver import generate, multiple_choice

@scorer(metrics={"grade": [mean()], "words": [mean()]})
def several():
    async def score(state, target):
        said = state.output.completion
        return Score(value={"grade": 4 if "Paris" in said else float("nan"), "words": len(said.split())}, explanation="graded")
    return score

@task
def audio_choices(epochs: int = 1):
    return Task(dataset=json_dataset("choices.jsonl"), solver=multiple_choice(), scorer=choice(), epochs=epochs)

@task
def audio_texts():
    return Task(dataset=json_dataset("texts.jsonl"), solver=generate(), scorer=[includes(), exact(), several()])
"""
INSPECT_LESS: Final = """
import sys
from pathlib import Path
from inspect_ai.log import read_eval_log, write_eval_log
source, target, form = sys.argv[1:]
log = read_eval_log(source)
for sample in log.samples or []:
    sample.events, sample.attachments, sample.messages, sample.events_data = [], {}, [], None
    if sample.error:
        sample.error.traceback = sample.error.traceback_ansi = ""
log.eval.packages = {}
if log.error:
    log.error.traceback = log.error.traceback_ansi = ""
write_eval_log(log, target, format=form)
"""


def inspect_rows(clip: Path) -> dict[str, list[dict[str, Any]]]:
    """The samples of both tasks; one of the choices has two right answers."""
    heard = {"type": "audio", "audio": str(clip), "format": "wav"}
    choices: list[dict[str, Any]] = [
        {"id": f"c{n}", "input": [{"role": "user", "content": [heard, {"type": "text", "text": question.text}]}]}
        | {"choices": list(question.choices), "target": question.target}
        for n, question in enumerate(CHOICES, start=1)
    ]
    several = {"id": "several", "input": "Which animal is heard?", "choices": ["a", "b", "c"], "target": ["A", "B"]}
    brief = {"role": "system", "content": "Be brief."}
    texts = [
        {"id": n, "input": [brief, {"role": "user", "content": question.text}], "target": question.target}
        for n, question in enumerate(TEXTS, start=1)
    ]
    return {"choices": [*choices, several], "texts": texts}


def inspect(venv: Path, url: str, folder: Path, out: Path) -> None:
    """Choices over two epochs, scored as they fail; texts with the failed left out, and texts that end at the failure."""
    for name, lines in inspect_rows(folder / sound(folder / "a.wav")).items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "task.py").write_text(INSPECT_TASKS)
    (folder / "less.py").write_text(INSPECT_LESS)
    model = "openai-api/mock/mock-audio"
    command: list[str | Path] = [
        venv / "bin/inspect",
        "eval",
        "--model",
        model,
        "--display",
        "plain",
        "--max-retries",
        "1",
    ]
    known = {"MOCK_API_KEY": "x", "MOCK_BASE_URL": url}
    for name, task, words_ in (
        ("choices.eval", "audio_choices", ["-T", "epochs=2", "--no-fail-on-error", "--max-connections", "1"]),
        ("texts.json", "audio_texts", ["--no-fail-on-error", "--score-on-error"]),
        ("broken.eval", "audio_texts", []),
    ):
        logs = folder / name
        run([*command, *words_, "--log-dir", logs, f"task.py@{task}"], folder, **known)
        (log,) = logs.glob("*.eval")
        target = out / "inspect" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        run([venv / "bin/python", "less.py", log, target, target.suffix[1:]], folder)


def evalscope(venv: Path, url: str, folder: Path, out: Path) -> None:
    """Choices once, and texts twice over; what fails is left out of both."""
    name = sound(folder / "a.wav")
    (folder / "choices").mkdir()
    (folder / "texts").mkdir()
    rows = [
        {"question": f"<audio 1> {asked.text}", "options": asked.choices, "audio_1": name, "answer": asked.target}
        for asked in CHOICES
    ]
    (folder / "choices/heard_val.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    lines = [
        {"messages": [{"role": "user", "content": question.text}], "answer": question.target} for question in TEXTS
    ]
    (folder / "texts/heard.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    sets = {"general_vmcq": ("choices", 1), "general_vqa": ("texts", 2)}
    for dataset, (place, repeats) in sets.items():
        arguments = json.dumps({dataset: {"local_path": place, "subset_list": ["heard"]}})
        command = ["eval", "--model", "mock-audio", "--api-url", url, "--api-key", "x", "--eval-type", "openai_api"]
        command += ["--datasets", dataset, "--dataset-args", arguments, "--repeats", str(repeats), "--ignore-errors"]
        command += ["--generation-config", '{"retries":1,"retry_interval":1}', "--work-dir", "out", "--no-timestamp"]
        run([venv / "bin/evalscope", *command], folder)
    for part in ("reviews", "predictions", "reports"):
        shutil.copytree(folder / "out" / part, out / "evalscope" / part, ignore=shutil.ignore_patterns("*.html"))
    for path in (out / "evalscope/reports").rglob("*.json"):
        fields = json.loads(path.read_text())
        shown = ("identity", "num", "score", "semantics")
        metrics = [{name: metric[name] for name in shown} for metric in fields["metrics"]]
        kept = ("schema_version", "name", "dataset_name", "model_name", "execution_summary")
        path.write_text(json.dumps({name: fields[name] for name in kept} | {"metrics": metrics}, indent=1))
    for path in (out / "evalscope/reviews").rglob("*.jsonl"):
        reviews = [json.loads(line) for line in path.read_text().splitlines()]
        for review in reviews:
            review["sample_score"]["score"]["metadata"] = {}
        path.write_text("".join(json.dumps(review, ensure_ascii=False) + "\n" for review in reviews))


LMMS_UTILS: Final = """
def nothing(doc): return []
def asked(doc, kwargs=None):
    listed = "".join(f"\\n{letter}. {choice}" for letter, choice in zip("ABCD", doc["choices"]))
    return doc["question"] + listed + "\\nAnswer with the option's letter from the given choices directly."
def right(doc): return doc["answer"]
def graded(doc, results):
    said = results[0].strip()[-1:]
    return {"accuracy": {"correct": said == doc["answer"], "predicted_answer": said}, "length": len(results[0])}
def share(found): return sum(one["correct"] for one in found) / len(found)
"""
LMMS_TASK: Final = """
task: {task}
dataset_path: parquet
dataset_kwargs: {{data_files: {{test: {task}.parquet}}}}
test_split: test
output_type: generate_until
doc_to_visual: !function utils.nothing
doc_to_text: {asked}
doc_to_target: {right}
generation_kwargs: {{max_new_tokens: 32, temperature: 0, do_sample: false}}
{graded}
"""
LMMS_GRADED: Final = """
process_results: !function utils.graded
metric_list:
  - {metric: accuracy, aggregation: !function utils.share, higher_is_better: true}
  - {metric: length, aggregation: mean, higher_is_better: false}
"""
LMMS_EXACT: Final = "metric_list: [{metric: exact_match, aggregation: mean, higher_is_better: true}]"


def lmms_eval(venv: Path, url: str, folder: Path, out: Path) -> None:
    """Choices graded by a function that gives an object and a number, and texts by an exact match."""
    tasks = folder / "tasks"
    tasks.mkdir()
    (tasks / "utils.py").write_text(LMMS_UTILS)
    made = "import json, sys, pandas; pandas.DataFrame(json.loads(sys.argv[1])).to_parquet(sys.argv[2])"
    for task, questions, asked, right, graded in (
        ("heard_choices", CHOICES, "!function utils.asked", "!function utils.right", LMMS_GRADED),
        ("heard_texts", TEXTS, "question", "answer", LMMS_EXACT),
    ):
        (tasks / f"{task}.yaml").write_text(LMMS_TASK.format(task=task, asked=asked, right=right, graded=graded))
        rows = [
            {"question": question.text, "choices": question.choices, "answer": question.target}
            for question in questions
        ]
        run([venv / "bin/python", "-c", made, json.dumps(rows), folder / f"{task}.parquet"], folder)
    arguments = f"model_version=mock-audio,base_url={url},api_key=x,num_cpus=1"
    command: list[str | Path] = [
        venv / "bin/python",
        "-m",
        "lmms_eval",
        "--model",
        "async_openai",
        "--tasks",
        "heard_choices,heard_texts",
    ]
    command += ["--include_path", "tasks", "--log_samples", "--output_path", "out", "--model_args", arguments]
    run(command, folder, OPENAI_API_KEY="x", OPENAI_API_BASE=url)
    shutil.copytree(folder / "out", out / "lmms_eval")
    for path in (out / "lmms_eval").rglob("*_results.json"):
        fields = json.loads(path.read_text())
        kept = ("results", "higher_is_better", "n-samples", "model_name", "model_source", "date", "lmms_eval_version")
        path.write_text(json.dumps({name: fields[name] for name in kept if name in fields}, indent=1))


def main(peer: str, venv: Path, out: Path) -> None:
    """Make one harness's logs."""
    made = {"inspect": inspect, "evalscope": evalscope, "lmms-eval": lmms_eval}[peer]
    shutil.rmtree(out / peer.replace("-", "_"), ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder, serving(handler) as server:
        made(venv.resolve(), server.url, Path(folder).resolve(), out.resolve())


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]) if len(sys.argv) > 3 else ROOT / "tests/importers/logs")
