"""Data in Personalized-Hearing's layout, as large as the real one: one user, sixty sessions, ten frames and ten seconds
each.

make(folder)        writes data/ and media/ under the folder
script(folder, url) asks every question as the authors' script does: all media read and encoded again for each of them
"""

from __future__ import annotations

import base64
import http.client
import json
import time
from pathlib import Path
from urllib.parse import urlsplit

import av
import numpy as np
import soundfile

from earmark.audio import media
from earmark.benchmarks import _hearing_data as hearing_data
from earmark.benchmarks import personalized_hearing as ph

SESSIONS, FRAMES, QUESTIONS = 60, 20, 24


def make(folder: Path) -> None:
    """Write one user's data and media."""
    rng = np.random.default_rng(0)
    for index in range(SESSIONS):
        place = folder / "media" / f"asset_{index}"
        (place / "frames").mkdir(parents=True)
        soundfile.write(place / "audio.wav", rng.normal(0, 0.1, 480_000), 48000, "PCM_16")
        for frame in range(FRAMES):
            image = np.repeat(np.repeat(rng.integers(0, 255, (36, 64, 3), "uint8"), 10, 0), 10, 1)
            picture_of = av.VideoFrame.from_ndarray(image, "rgb24")
            (place / "frames" / f"frame_{frame:03}.jpg").write_bytes(media.jpeg(av, picture_of))
    talk = [{"role": "user", "content": "What was that?"}, {"role": "assistant", "content": "A crow, to your left."}]
    sessions = [
        {
            "session_id": f"S{index:02}",
            "timestamp": f"20{20 + index // 12}-{index % 12 + 1:02}-01",
            "selected_asset_id": f"asset_{index}",
            "dialogue": talk,
        }
        for index in range(SESSIONS)
    ]
    asked = [
        {
            "candidate_id": f"q{index}",
            "Type": "audio_recall",
            "Question": "Which sound?",
            "Correct_Answer": "a fan",
            "Incorrect_Answers": ["a dog", "a tap", "rain"],
            "question_location": {"session_id": f"S{SESSIONS - 1 - index % 3:02}", "turn_cutoff": 2},
        }
        for index in range(QUESTIONS)
    ]
    user = folder / "data" / "001"
    user.mkdir(parents=True)
    (user / hearing_data.SESSIONS).write_text(json.dumps({"sessions": sessions}))
    (user / hearing_data.QUESTIONS).write_text(json.dumps({"qa": asked}))


def script(folder: Path, url: str, prepared: Path) -> tuple[float, float]:
    """Processor and wall seconds of asking every question with media that were coded before, read and encoded each
    time.
    """
    settings = ph.Settings(data=str(folder / "data"), media=str(folder / "media"))
    connection = http.client.HTTPConnection(urlsplit(url).netloc)
    cpu, wall = time.process_time(), time.perf_counter()
    for item in ph.items(settings):
        messages = []
        for turn in ph.prompt(settings, item).turns:
            content = [_content(part, prepared) for part in turn.parts]
            messages.append({"role": turn.role, "content": content})
        body = json.dumps({"model": "bench", "messages": messages, "max_tokens": 4096}).encode()
        connection.request("POST", "/v1/chat/completions", body, {"Content-Type": "application/json"})
        json.loads(connection.getresponse().read())
    return time.process_time() - cpu, time.perf_counter() - wall


def _content(part: object, prepared: Path) -> dict[str, object]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    name = part.name.replace("/", "--")  # type: ignore[attr-defined] # a picture or a clip
    data = base64.b64encode((prepared / name).read_bytes()).decode()
    if name.endswith(".jpg"):
        return {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{data}", "detail": "high"}}
    return {"type": "input_audio", "input_audio": {"data": data, "format": "mp3"}}
