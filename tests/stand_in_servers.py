"""Programs that stand in for `vllm` and `docker` on PATH: the first is a small real server that speaks OpenAI's language."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

VLLM = """#!{python}
import json, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

words = sys.argv[1:]
with Path({log!r}).open("a") as log:
    log.write(json.dumps(["vllm", *words]) + "\\n")
if "broken/weights" in words:
    sys.exit("ValueError: no such weights")
port, names = int(words[words.index("--port") + 1]), []
for word in words[words.index("--served-model-name") + 1 :]:
    if word.startswith("--"):
        break
    names.append(word)
ready = time.monotonic() + 0.3


class Handler(BaseHTTPRequestHandler):
    def reply(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        if self.path == "/health":
            self.reply(200 if time.monotonic() > ready else 503, {{}})
        else:
            self.reply(200, {{"data": [{{"id": name, "owned_by": "vllm"}} for name in names]}})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        known = body["model"] in names
        choice = {{"finish_reason": "stop", "message": {{"role": "assistant", "content": "A"}}}}
        self.reply(200 if known else 404, {{"choices": [choice]}} if known else {{"error": {{"message": "no such model"}}}})

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
"""
DOCKER = """#!{python}
import json, os, signal, subprocess, sys
from pathlib import Path

words, home = sys.argv[1:], Path({home!r})
with Path({log!r}).open("a") as log:
    log.write(json.dumps(["docker", *words]) + "\\n")
if words[0] == "run":
    name = words[words.index("--name") + 1]
    port = words[words.index("--publish") + 1].split(":")[1]
    flags = words[words.index("--model") :]
    line = [str(home / "vllm"), "serve", flags[1], "--port", port, *flags[2:]]
    process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    (home / f"{{name}}.pid").write_text(str(process.pid))
    print("0123456789ab")
else:
    pid = home / f"{{words[-1]}}.pid"
    if words[0] == "inspect":
        print("true" if pid.exists() else "false")
    elif words[0] == "stop":
        os.kill(int(pid.read_text()), signal.SIGTERM)
        pid.unlink()
"""


def install(place: Path) -> Path:
    """Put both programs into a folder; the file that they write their arguments to."""
    log = place / "commands.jsonl"
    for name, text in {"vllm": VLLM, "docker": DOCKER}.items():
        path = place / name
        path.write_text(text.format(python=sys.executable, log=str(log), home=str(place)))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return log


def commands(log: Path) -> list[list[str]]:
    """The commands that were given, in order."""
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
