"""How glibc's allocator is set for a worker."""

from collections.abc import Mapping

# Keeping freed memory spares mapping and clearing fresh pages at every step. Each number is a size in bytes.
ALLOCATORS: dict[str, dict[str, str]] = {
    "default": {},
    "tuned": {
        "MALLOC_MMAP_MAX_": "0",
        "MALLOC_TRIM_THRESHOLD_": str(1 << 36),
        "MALLOC_TOP_PAD_": str(1 << 26),
        "MALLOC_ARENA_MAX": "1",
    },
}
TOLD = {"default": "as it is", "tuned": "tuned"}
"""How each is told."""


def tell_allocators(names: list[str]) -> str:
    """These in words."""
    return ", ".join(TOLD[name] for name in names)


def tell_way(allocator: str, isa: str) -> str:
    """The end of a table's title."""
    return f"allocator {TOLD[allocator]}, instructions: {isa}"


def tell_given_allocator(environment: Mapping[str, str]) -> str:
    """The allocator of a process of this environment in words."""
    given = [f"{key}={value}" for key, value in environment.items() if key.startswith(("MALLOC_", "GLIBC_TUNABLES"))]
    return f"set by {', '.join(given)}" if given else TOLD["default"]
