"""Let torchvision be imported beside the CPU build of torch.

Its wheel is built for cards, so its compiled operators do not load here; two of them are named when it is imported. None is
needed to read a picture. Use: PYTHONPATH=tools/servers/vision:FOLDER_WITH_TORCHVISION.
"""

from __future__ import annotations

import torch

OPERATORS = torch.library.Library("torchvision", "DEF")
for name in ("nms", "qnms"):
    OPERATORS.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
