"""What the PyTorch workers share: batches as tensors, the loss, the optimizer, the precision."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from itertools import count
from typing import Any

import torch
from torch.nn import functional

from benchmarks.batches import Batch, Pairs
from benchmarks.protocol import Steps, versions
from benchmarks.sizes import BETAS, EPSILON, LABEL_SMOOTHING, PAD, learning_rate

Loss = Callable[[dict[str, torch.Tensor]], torch.Tensor]


def precision_context(precision: str) -> AbstractContextManager[Any]:
    """Autocast to bfloat16, or nothing."""
    return torch.autocast("cpu", torch.bfloat16) if precision == "mixed_bfloat16" else nullcontext()


def smoothed_loss(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Mean over the tokens that are no padding."""
    flat, ids = logits.flatten(0, 1), targets.flatten().long()
    return functional.cross_entropy(flat.float(), ids, ignore_index=PAD, label_smoothing=LABEL_SMOOTHING)


def steps(model: torch.nn.Module, settings: dict[str, Any], loss: Loss, *names: str) -> Steps:
    """A plain training loop.

    Args:
        model: its parameters are trained.
        settings: of the worker.
        loss: "source", "target_in", "target_out" of a batch -> loss per token.
        names: packages to name the versions of.
    """
    pairs = Pairs(settings["pairs"], "exact", settings["batches"])
    tensors: dict[int, dict[str, torch.Tensor]] = {}
    batches = pairs.all()
    for batch in batches:
        tensors[id(batch)] = {name: torch.from_numpy(getattr(batch, name)).long() for name in batch._fields[:3]}
    optimizer = torch.optim.Adam(model.parameters(), betas=BETAS, eps=EPSILON)
    model.train()

    updates = count()

    def step(batch: Batch) -> torch.Tensor:
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(next(updates))
        with precision_context(settings["precision"]):
            value = loss(tensors[id(batch)])
        value.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return value.detach()

    about = {
        "versions": versions("torch", *names),
        "parameters": sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad),
        "layout": f"batches of exact width, {pairs.filled:.0%} filled",
    }
    return Steps(batches, step, settings["warm"], about)
