"""Values that nobody expects, as trees."""

from random import Random

from tests.fuzz import nasty
from tests.fuzz.nodes import SCALAR, Node, mapping, plain, quoted, sequence

_DEEP = (2, 20, 120, 1100, 3000)


def scalar(rng: Random) -> Node:
    """A scalar that nobody expects."""
    match rng.randrange(6):
        case 0 | 1:
            return quoted(rng.choice(nasty.WORDS))
        case 2:
            return plain(rng.choice(nasty.NUMBERS))
        case 3:
            return plain(rng.choice(nasty.PLAIN))
        case 4:
            made = rng.choice(nasty.NUMBERS) + rng.choice(nasty.UNITS)
            return quoted(made) if rng.random() < 0.7 else plain(made)
        case _:
            return quoted(rng.choice(nasty.NUMBERS))


def shape(rng: Random) -> Node:
    """A value of any form."""
    match rng.randrange(9):
        case 0:
            return plain("null")
        case 1:
            return sequence(flow=True)
        case 2:
            return mapping(flow=True)
        case 3:
            return sequence(*(scalar(rng) for _ in range(rng.randint(1, 3))))
        case 4:
            return mapping(scalar(rng), scalar(rng))
        case 5:
            return sequence(mapping(flow=True), plain("null"), sequence(flow=True))
        case 6:
            return nested(plain("1"), rng)
        case 7:
            return quoted(
                rng.choice(("a", "1", " ", "雪", "\x1b")) * rng.choice((300, 5000, 100_000))
            )
        case _:
            return scalar(rng)


def nested(node: Node, rng: Random) -> Node:
    """A value far inside; in text, so that nothing here goes as deep."""
    depth = rng.choice(_DEEP)
    if node.items:
        for _ in range(min(depth, 20)):
            node = sequence(node, flow=True)
        return node
    opened, closed = rng.choice((("[", "]"), ("{a: ", "}")))
    text = node.text if node.kind == SCALAR and node.text.isalnum() else "1"
    return plain(opened * depth + text + closed * depth)
