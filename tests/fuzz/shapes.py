"""Changes of a tree: each puts something where it does not belong, takes it away, or has it twice."""

from collections.abc import Callable
from random import Random

from tests.fuzz import nasty
from tests.fuzz.nodes import LIST, MAP, Node, mapping, plain, quoted, sequence, walk
from tests.fuzz.values import nested, scalar, shape

Donors = dict[str, list[Node]]
"""What stands in other texts, by the key that it stands under."""

_NAMED = (
    "name", "namespace", "kind", "apiVersion", "image", "model", "id", "key", "queue", "pvc", "claimName", "app", "owner",
    "runtimeClassName", "schedulerName", "version", "provider", "product", "nodeName", "resource",
)  # fmt: skip
_COUNTED = (
    "replicas", "parallelism", "completions", "count", "min", "max", "nodes", "cpu", "memory", "size", "minReplicas", "maxReplicas",
    "nvidia.com/gpu", "ephemeralStorage", "pods", "shards", "workers", "gpus", "spare", "minAvailable", "slots", "minMember",
)  # fmt: skip
_MANY = (10, 60, 300)


def mutate(
    documents: list[Node], rng: Random, donors: Donors, *, gently: bool = False
) -> list[Node]:
    """The documents after one change, anywhere in them; they are changed themselves.

    After a gentle one they are, as a rule, still what a typed reader takes.
    """
    if not documents or rng.random() < 0.08:
        return _whole(documents, rng, donors)
    root = sequence(documents[number := rng.randrange(len(documents))])
    if rng.random() < 0.2 and _tell(root, rng):
        return documents
    holder, index, key = _place(root, rng, 0.15 if gently else 0.5)
    rng.choice(_GENTLE if gently else _CHANGES)(holder, index, key, rng, donors)
    # Taken away, or there twice.
    documents[number : number + 1] = root.items
    return documents


def _tell(root: Node, rng: Random) -> bool:
    """Put a word where it will be repeated, or a number where it will be counted with."""
    named, counted = [], []
    for holder, index in walk(root):
        if holder.kind == MAP and index % 2:
            key = holder.items[index - 1].text
            named += [(holder, index)] if key in _NAMED else []
            counted += [(holder, index)] if key in _COUNTED else []
    words = rng.random() < 0.6
    if not (some := named if words else counted):
        return False
    holder, index = rng.choice(some)
    holder.items[index] = (
        quoted(rng.choice(nasty.WORDS)) if words else plain(rng.choice(nasty.NUMBERS))
    )
    return True


def _place(root: Node, rng: Random, near: float) -> tuple[Node, int, str]:
    """Some place of a tree, and the key that it stands under; `near`: how often near the root."""
    if rng.random() < near:
        holder, index, key = root, 0, ""
        while (inner := holder.items[index]).items and rng.random() < 0.8:
            at = rng.randrange(len(inner.items))
            if inner.kind == MAP:
                at -= at % 2 and rng.random() < 0.1
                at += not at % 2 and rng.random() < 0.9
                key = inner.items[at - at % 2].text
            holder, index = inner, at
        return holder, index, key
    places = list(walk(root))
    holder, index = rng.choice(places)
    while holder.kind == MAP and not index % 2 and rng.random() < 0.6:
        holder, index = rng.choice(places)
    key = holder.items[index - index % 2].text if holder.kind == MAP else ""
    return holder, index, key


Change = Callable[[Node, int, str, Random, Donors], None]


def _put_scalar(holder: Node, index: int, key: str, rng: Random, donors: Donors) -> None:
    holder.items[index] = scalar(rng)


def _put_number(holder: Node, index: int, key: str, rng: Random, donors: Donors) -> None:
    """Another number, in the unit that stands there."""
    text = holder.items[index].text
    unit = text.lstrip("0123456789.") if text[:1].isdigit() else rng.choice(nasty.UNITS)
    made = rng.choice(nasty.NUMBERS) + unit
    holder.items[index] = quoted(made) if rng.random() < 0.5 else plain(made)


def _put_near(holder: Node, index: int, key: str, rng: Random, donors: Donors) -> None:
    """What may well stand there: a number near, another choice, another word."""
    inner = holder.items[index]
    digits = inner.text.rstrip("KMGTPEkimunsh")
    if digits.isdecimal() and digits.isascii() and len(digits) < 9:
        made = rng.choice(
            (0, 1, 2, 3, 7, 8, 9, 63, 64, 100, 4097, 10**6, 3 * 10**8, 10**12, int(digits) + 1)
        )
        inner.text = f"{made}{inner.text[len(digits) :]}"
    elif inner.items:
        _put_other(holder, index, key, rng, donors)
    elif rng.random() < 0.2:
        inner.text += rng.choice(("-x", "x", "2", "-" + "a" * 40, "é", ".b", "/c", ":d", "*"))
    else:
        _put_other(holder, index, key, rng, donors)


def _put_shape(holder: Node, index: int, key: str, rng: Random, donors: Donors) -> None:
    holder.items[index] = shape(rng)


def _put_other(holder: Node, index: int, key: str, rng: Random, donors: Donors) -> None:
    """What stands under that key elsewhere."""
    known = donors.get(key) or donors[rng.choice(list(donors))]
    holder.items[index] = rng.choice(known).copy()


def _add(holder: Node, index: int, key: str, rng: Random, donors: Donors) -> None:
    """A field or an item more."""
    inner = holder.items[index]
    if inner.kind == MAP:
        name = rng.choice(list(donors)) if rng.random() < 0.7 else ""
        value = rng.choice(donors[name]).copy() if name and rng.random() < 0.6 else shape(rng)
        inner.items += [quoted(name) if name else scalar(rng), value]
    elif inner.kind == LIST:
        inner.items.insert(rng.randint(0, len(inner.items)), shape(rng))
    else:
        inner.text += rng.choice(nasty.WORDS)
        inner.style = '"'


def _drop(holder: Node, index: int, key: str, rng: Random, donors: Donors) -> None:
    if holder.kind == MAP:
        del holder.items[index - index % 2 : index - index % 2 + 2]
    else:
        del holder.items[index]


def _double(holder: Node, index: int, key: str, rng: Random, donors: Donors) -> None:
    """A key or an item twice, or far more often."""
    start = index - index % 2 if holder.kind == MAP else index
    some = holder.items[start : start + (2 if holder.kind == MAP else 1)]
    size = sum(1 for each in some for _ in walk(each)) + 1
    times = rng.choice((1, 1, 2, *_MANY)) if size < 60 else 1
    holder.items[start:start] = [each.copy() for _ in range(times) for each in some]


def _rename(holder: Node, index: int, key: str, rng: Random, donors: Donors) -> None:
    if holder.kind != MAP:
        holder.items[index] = mapping(scalar(rng), holder.items[index])
        return
    name = rng.choice(list(donors)) if rng.random() < 0.4 else None
    holder.items[index - index % 2] = scalar(rng) if name is None else quoted(name)


def _wrap(holder: Node, index: int, key: str, rng: Random, donors: Donors) -> None:
    inner = holder.items[index]
    made = (
        sequence(inner),
        mapping(quoted(rng.choice(list(donors))), inner),
        sequence(inner, inner),
    )
    holder.items[index] = rng.choice(made)


def _unwrap(holder: Node, index: int, key: str, rng: Random, donors: Donors) -> None:
    if inner := holder.items[index].items:
        holder.items[index] = rng.choice(inner)


def _swap(holder: Node, index: int, key: str, rng: Random, donors: Donors) -> None:
    other = rng.randrange(len(holder.items))
    holder.items[index], holder.items[other] = holder.items[other], holder.items[index]


def _tag(holder: Node, index: int, key: str, rng: Random, donors: Donors) -> None:
    holder.items[index].before = rng.choice(nasty.TAGS)


def _alias(holder: Node, index: int, key: str, rng: Random, donors: Donors) -> None:
    """An anchor, and its name elsewhere below: as a value, merged, or in itself."""
    inner = holder.items[index]
    inner.before = "&a"
    if inner.kind == MAP and rng.random() < 0.5:
        inner.items += [plain("<<"), plain("*a")]
    elif inner.items:
        below, at = rng.choice(list(walk(inner)))
        below.items[at] = plain("*a")
    elif holder.kind == MAP:
        holder.items += [quoted("x"), plain("*a")]
    else:
        holder.items.append(plain("*a"))


def _flow(holder: Node, index: int, key: str, rng: Random, donors: Donors) -> None:
    holder.items[index].flow = not holder.items[index].flow


def _remark(holder: Node, index: int, key: str, rng: Random, donors: Donors) -> None:
    words = (
        "gpuspec: ignore GPU101",
        "gpuspec: ignore",
        "gpuspec: ignore-file",
        "gpuspec:",
        "noqa",
    )
    holder.items[index].comment = f"{rng.choice(words)} {rng.choice(nasty.WORDS)}".replace(
        "\n", " "
    )


def _nest(holder: Node, index: int, key: str, rng: Random, donors: Donors) -> None:
    holder.items[index] = nested(holder.items[index], rng)


_CHANGES: tuple[Change, ...] = (
    *(_put_scalar,) * 4,
    *(_put_number,) * 3,
    *(_put_shape,) * 4,
    *(_put_other,) * 2,
    *(_add,) * 3,
    *(_drop,) * 3,
    *(_double,) * 2,
    *(_rename,) * 2,
    *(_wrap,) * 2,
    _unwrap,
    _swap,
    _tag,
    _alias,
    _flow,
    _remark,
    _nest,
)
_GENTLE: tuple[Change, ...] = (*(_put_near,) * 6, *(_put_other,) * 3, _drop, _add)


def _whole(documents: list[Node], rng: Random, donors: Donors) -> list[Node]:
    """A change of what documents there are."""
    match rng.randrange(8):
        case 0:
            return [*documents, shape(rng)]
        case 1:
            return [shape(rng), *documents]
        case 2:
            return [_list_of(documents, rng)]
        case 3:
            return [_list_of([_list_of(documents, rng)], rng)]
        case 4:
            return [*documents, *(one.copy() for one in documents)]
        case 5:
            return documents[: rng.randrange(len(documents) + 1)]
        case 6:
            return [*documents, plain("")]
        case _:
            return [sequence(*documents)]


def _list_of(documents: list[Node], rng: Random) -> Node:
    kind = rng.choice(("List", "PodList", "DeploymentList", "NodeList"))
    items = sequence(*documents)
    return mapping(
        quoted("apiVersion"), quoted("v1"), quoted("kind"), quoted(kind), quoted("items"), items
    )
