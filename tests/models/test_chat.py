"""Pictures and adapters of models in this process, as far as they can be seen without one."""

from __future__ import annotations

import io
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from PIL import Image

from earmark.errors import Rejected
from earmark.models import _chat, vllm
from earmark.types import Capabilities, ImageBytes, Prompt, Turn, Waveform


def picture() -> ImageBytes:
    out = io.BytesIO()
    Image.new("RGB", (8, 6), (255, 0, 0)).save(out, "PNG")
    return ImageBytes(out.getvalue(), "image/png", "red.png")


def prompt() -> Prompt:
    sound = Waveform(np.zeros((1, 160), np.float32), 16000)
    return Prompt((Turn("user", (picture(), sound, "Which colour?")),))


def test_pictures_are_parts_of_a_chat_in_their_order() -> None:
    ((message),) = _chat.to_messages(prompt(), None)
    assert [part["type"] for part in message["content"]] == ["image", "audio", "text"]
    assert message["content"][0]["image"].size == (8, 6)
    with pytest.raises(Rejected, match="its chat template takes text alone"):
        _chat.to_messages(prompt(), None, "<audio>")
    broken = Prompt((Turn("user", (ImageBytes(b"x", "image/png", "bad.png"), "?")),))
    with pytest.raises(Rejected, match=r"the picture bad\.png cannot be read"):
        _chat.to_messages(broken, None)


def test_a_request_to_vllm_holds_sound_and_pictures() -> None:
    tokenizer = SimpleNamespace(bos_token="", encode=lambda text, **_: [len(text)])
    processing = SimpleNamespace(tokenizer=tokenizer, text=lambda _: "words", rate=16000)
    model = vllm.VllmModel("m", Capabilities(), vllm.Settings(), None, cast("Any", processing), count())
    request = model.request(prompt())
    assert request["prompt_token_ids"] == [5]
    media = request["multi_modal_data"]
    assert [image.size for image in media["image"]] == [(8, 6)]
    assert [rate for _, rate in media["audio"]] == [16000]
    assert "multi_modal_data" not in model.request(Prompt((Turn("user", ("words",)),)))


def test_an_adapter_sets_the_engine_to_its_rank(tmp_path: Path) -> None:
    (tmp_path / "adapter_config.json").write_text('{"r": 12}')
    assert vllm.lora_arguments(vllm.Settings(adapter=str(tmp_path))) == {"enable_lora": True, "max_lora_rank": 16}
    assert vllm.lora_arguments(vllm.Settings(adapter="organisation/name")) == {"enable_lora": True}
    assert vllm.lora_request(vllm.Settings()) == {}
