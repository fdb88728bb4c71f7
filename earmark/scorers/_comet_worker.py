"""COMET in a Python that has it: a program of its own, which imports nothing of ours and takes a model as its argument.

It says one line when the model is loaded, and then the scores of every line of samples that it is given, all of it
JSON.
"""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import TextIO


def main(model: str) -> None:
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print goes where warnings go
    sys.path.pop(0)  # this folder, which has a comet.py of its own
    comet, torch = import_module("comet"), import_module("torch")
    place = Path(model)
    known = place / "checkpoints" / "model.ckpt" if place.is_dir() else place
    loaded = comet.load_from_checkpoint(str(known) if known.is_file() else comet.download_model(model))
    _say(output, comet.__version__)
    gpus = int(torch.cuda.is_available())
    for line in sys.stdin:
        samples = json.loads(line)
        predicted = loaded.predict(samples, batch_size=len(samples), gpus=gpus, progress_bar=False, num_workers=0)
        _say(output, [float(score) for score in predicted.scores])


def _say(output: TextIO, what: object) -> None:
    output.write(json.dumps(what) + "\n")
    output.flush()


if __name__ == "__main__":
    main(sys.argv[1])
