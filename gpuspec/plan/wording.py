"""Numbers and reasons as text. Needs are rounded up, capacity is rounded down."""

import re

from gpuspec.manifests import Quantity

MIB, GIB = 1 << 20, 1 << 30
# From here on a whole Gi is close enough; below it a Gi would be a large part of the number.
WHOLE_GIB = 4 * GIB


def rounded(size: int) -> int:
    """Return the bytes of the quantity that `up` writes, so that the checked amount is the
    requested one."""
    unit = GIB if size >= WHOLE_GIB else MIB
    return -(-size // unit) * unit


def up(size: int) -> str:
    """Return a quantity that is at least `size` bytes."""
    return exact(rounded(size))


def exact(size: int) -> str:
    """Return a quantity of `size` bytes, to the Mi above."""
    return f"{size // GIB}Gi" if size % GIB == 0 else f"{-(-size // MIB)}Mi"


def down(size: int) -> str:
    """Return a quantity that is at most `size` bytes."""
    if size >= WHOLE_GIB or size % GIB == 0:
        return f"{size // GIB}Gi"
    return f"{size // MIB}Mi"


def gib(size: int) -> str:
    """Return bytes as text: Gi, with one decimal if it matters."""
    return f"{round(size / GIB, 1):g}Gi"


def written(amount: Quantity) -> str:
    """Return a quantity in readable form: a fraction of a byte (in 1.9Ti) would be
    2089072092774400m."""
    text = str(amount)
    return gib(amount.int_value) if text.endswith("m") and amount.value >= GIB else text


def cores(milli: int) -> str:
    """Return thousandths of a core as text."""
    return f"{milli / 1000:g}"


def first_sentence(why: str) -> str:
    """Return the first sentence of a table's reason."""
    return re.split(r"(?<=[a-z0-9)])[.;:] ", why.strip(), maxsplit=1)[0].rstrip(".")
