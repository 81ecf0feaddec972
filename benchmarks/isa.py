"""Which instructions are used: those that the processor has, or no more than a plain AVX2 machine has."""

import os
import sys
from collections.abc import Mapping
from types import MappingProxyType

# Taken before anything else is imported: this package sets variables of its own, which no peer may inherit.
GIVEN: Mapping[str, str] = MappingProxyType(dict(os.environ))
"""The environment that the user gave."""

ISAS = {"native": "the processor's own", "avx2": "no more than AVX2, emulated"}
"""What `--isa` takes, and how it is told."""

AVX2 = {
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "ATEN_CPU_CAPABILITY": "avx2",
    "MKL_ENABLE_INSTRUCTIONS": "AVX2",
    "CT2_FORCE_CPU_ISA": "AVX2",
}
XLA_FLAG = "--xla_cpu_max_isa=AVX2"
ONEDNN = "TF_ENABLE_ONEDNN_OPTS"
BACKENDS = ("tensorflow", "keras", "jax", "torch", "ctranslate2")


def make_isa_environment(isa: str, own: bool, given: Mapping[str, str] = GIVEN) -> dict[str, str]:
    """Variables that hold a process to these instructions.

    Args:
        isa: a key of `ISAS`.
        own: whether the process imports this package; one that serves our SavedModel in TensorFlow alone does not.
        given: the user's environment.
    """
    if isa == "native":
        return {}
    variables = {**AVX2, "XLA_FLAGS": f"{given.get('XLA_FLAGS', '')} {XLA_FLAG}".strip()}
    # TensorFlow turns oneDNN on by itself only where the processor has AVX512-VNNI, AVX512-BF16, AMX or AVX-VNNI, and
    # asks the processor, not the variables above. On a plain AVX2 machine a user finds it off, so peers get it off;
    # this package sets the variable itself when it is imported, so ours gets what it chooses.
    if not own and ONEDNN not in given:
        variables[ONEDNN] = "0"
    return variables


def use_isa(isa: str, own: bool = True) -> None:
    """Hold this process to these instructions; what it starts is told by itself.

    Args:
        isa: a key of `ISAS`.
        own: whether it imports this package.

    Raises:
        RuntimeError: a backend was imported before, and has read its variables.
    """
    variables = make_isa_environment(isa, own)
    early = [name for name in BACKENDS if name in sys.modules] if variables else []
    if early:
        raise RuntimeError(f"{early[0]} was imported before --isa {isa} could be set; set it first.")
    os.environ.update(variables)
