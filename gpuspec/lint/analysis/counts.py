"""Numbers with their noun, in the singular for one."""


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 GPU`, `2 GPUs`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
