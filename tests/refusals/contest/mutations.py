"""The ways in which people, tools and models get a field wrong.

Each is a function from a spot of an object to the object with that spot changed, or to a text; None
where the spot is not of the sort that the mutation is about.
"""

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

from gpuspec.manifests import Path
from gpuspec.validation.bundle import Bundle, Schema
from tests.refusals.contest.spots import Spot, resolved
from tests.refusals.contest.trees import at, drop, put, rename, twice

LIMITS = (15, 63, 253, 256, 1024)
"""Lengths of names, labels, subdomains, messages."""
ITEMS = (17, 33, 65, 129)
BOUNDS = (0, 1, 2, 3, 100, 101, 600, 1024, 32767, 32768, 65535, 65536, 2**31 - 1)
BEYOND = (-1, -(2**31), 1_000_001, 2**31, 2**63 - 1, 2**63)
AMOUNTS = ("-1", "0", "1.5", "0.0001", "1500m", "1e3", "1e30", "5x", "1 Gi", "1GB", "NaN", "")
ODD = (" ", "_", ".", "-", ":", "/", "@", "$(A)", "..", "%", "ä", "\n", "*", ",")
OTHER_TYPES: tuple[Any, ...] = (7, "seven", True, 1.5, [], {}, ["a"], {"a": "b"})
DEEPEST = 4


class World(NamedTuple):
    """What a mutation knows of the rest of the world."""

    bundle: Bundle
    elsewhere: dict[str, list[Any]]
    """For each name of a field, what stands there in the bases."""
    words: list[str]
    """The words of enumerations."""


Change = Callable[[Any, Spot, Random, World], Any]


def removed(value: Any, spot: Spot, _r: Random, _w: World) -> Any:
    return drop(value, spot.path) if spot.there else None


def emptied(value: Any, spot: Spot, _r: Random, _w: World) -> Any:
    if not spot.there or not spot.value or isinstance(spot.value, bool):
        return None
    return put(value, spot.path, type(spot.value)())


def nulled(value: Any, spot: Spot, _r: Random, _w: World) -> Any:
    # A server takes null for a field that is not there: that is `None` in JSON, not in an answer.
    return put(value, spot.path, None) if spot.there else None


def of_another_type(value: Any, spot: Spot, random: Random, _w: World) -> Any:
    others = [one for one in OTHER_TYPES if type(one) is not type(spot.value)]
    return put(value, spot.path, random.choice(others)) if spot.there else None


def at_a_bound(value: Any, spot: Spot, random: Random, _w: World) -> Any:
    return _number(value, spot, random.choice(BOUNDS))


def out_of_range(value: Any, spot: Spot, random: Random, _w: World) -> Any:
    if _is_text(spot) and "oneOf" in spot.schema:
        return put(value, spot.path, random.choice(AMOUNTS))
    return _number(value, spot, random.choice(BEYOND))


def of_another_word(value: Any, spot: Spot, random: Random, world: World) -> Any:
    return put(value, spot.path, random.choice(world.words)) if _is_text(spot) else None


def misspelt(value: Any, spot: Spot, random: Random, _w: World) -> Any:
    if not _is_text(spot) or len(spot.value) < 2:
        return None
    return put(value, spot.path, _slip(spot.value, random))


def with_misspelt_field(value: Any, spot: Spot, random: Random, _w: World) -> Any:
    key = spot.path[-1]
    if not spot.there or not isinstance(key, str) or len(key) < 2:
        return None
    return rename(value, spot.path, _slip(key, random))


def in_another_case(value: Any, spot: Spot, random: Random, _w: World) -> Any:
    if not _is_text(spot):
        return None
    return put(value, spot.path, _cased(spot.value, random))


def with_field_in_another_case(value: Any, spot: Spot, random: Random, _w: World) -> Any:
    key = spot.path[-1]
    if not spot.there or not isinstance(key, str):
        return None
    return rename(value, spot.path, _cased(key, random))


def with_odd_characters(value: Any, spot: Spot, random: Random, _w: World) -> Any:
    if not _is_text(spot):
        return None
    place = random.choice((0, len(spot.value) // 2, len(spot.value)))
    return put(value, spot.path, spot.value[:place] + random.choice(ODD) + spot.value[place:])


def at_a_length(value: Any, spot: Spot, random: Random, _w: World) -> Any:
    return _sized(value, spot, random, 0)


def one_past_a_length(value: Any, spot: Spot, random: Random, _w: World) -> Any:
    return _sized(value, spot, random, 1)


def item_twice(value: Any, spot: Spot, _r: Random, _w: World) -> Any:
    if not spot.there or not isinstance(spot.path[-1], int):
        return None
    around = at(value, spot.path[:-1])
    return put(value, spot.path[:-1], [*around, spot.value])


def key_twice(value: Any, spot: Spot, _r: Random, _w: World) -> Any:
    return twice(value, spot.path) if spot.there and isinstance(spot.path[-1], str) else None


def with_a_neighbour(value: Any, spot: Spot, random: Random, world: World) -> Any:
    """With a field more: it may exclude those that are there."""
    if spot.there:
        return None
    return put(value, spot.path, _sample(spot.path, spot.schema, random, world))


def as_elsewhere(value: Any, spot: Spot, random: Random, world: World) -> Any:
    """With what the field says in another object."""
    known = world.elsewhere.get(str(spot.path[-1]), [])
    return put(value, spot.path, random.choice(known)) if spot.there and known else None


def swapped(value: Any, spot: Spot, random: Random, _w: World) -> Any:
    """With what a neighbour of the same type says, and the neighbour with what this one says."""
    if not spot.there or isinstance(spot.path[-1], int):
        return None
    around = at(value, spot.path[:-1])
    others = [
        name
        for name, held in around.items()
        if name != spot.path[-1] and type(held) is type(spot.value) and held != spot.value
    ]
    if not others or len(spot.path) < 2:
        return None
    other = random.choice(others)
    changed = put(value, spot.path, around[other])
    return put(changed, (*spot.path[:-1], other), spot.value)


MUTATIONS: dict[str, Change] = {
    "removed": removed,
    "emptied": emptied,
    "null": nulled,
    "another type": of_another_type,
    "at a bound": at_a_bound,
    "out of range": out_of_range,
    "another word": of_another_word,
    "misspelt": misspelt,
    "misspelt field": with_misspelt_field,
    "another case": in_another_case,
    "field in another case": with_field_in_another_case,
    "odd characters": with_odd_characters,
    "at a length": at_a_length,
    "one past a length": one_past_a_length,
    "item twice": item_twice,
    "key twice": key_twice,
    "a field more": with_a_neighbour,
    "as elsewhere": as_elsewhere,
    "swapped": swapped,
}


def _is_text(spot: Spot) -> bool:
    return spot.there and isinstance(spot.value, str)


def _number(value: Any, spot: Spot, number: int) -> Any:
    if not spot.there or isinstance(spot.value, bool) or not isinstance(spot.value, int):
        return None
    return put(value, spot.path, number)


def _slip(word: str, random: Random) -> str:
    """A letter left out, or two in the wrong order."""
    place = random.randrange(len(word) - 1)
    if random.random() < 0.5 and word[place] != word[place + 1]:
        return word[:place] + word[place + 1] + word[place] + word[place + 2 :]
    return word[:place] + word[place + 1 :]


def _cased(word: str, random: Random) -> str:
    return random.choice((word.lower(), word.upper(), word[:1].swapcase() + word[1:]))


def _sized(value: Any, spot: Spot, random: Random, more: int) -> Any:
    if not spot.there:
        return None
    if isinstance(spot.value, str):
        length = random.choice(LIMITS) + more
        return put(value, spot.path, (spot.value + "a" * length)[:length])
    if isinstance(spot.value, list) and spot.value:
        length = random.choice(ITEMS) - 1 + more
        items = [_numbered(spot.value[i % len(spot.value)], i) for i in range(length)]
        return put(value, spot.path, items)
    return None


def _numbered(item: Any, number: int) -> Any:
    if isinstance(item, dict) and isinstance(item.get("name"), str):
        return item | {"name": f"{item['name']}-{number}"}
    return f"{item}{number}" if isinstance(item, str) else item


def _sample(path: Path, schema: Schema, random: Random, world: World, depth: int = 0) -> Any:
    """What could stand in a field: what does in another object, or something of its type."""
    known = world.elsewhere.get(str(path[-1]), [])
    if known and random.random() < 0.7:
        return random.choice(known)
    if "oneOf" in schema:
        return random.choice((1, "1", "10%"))
    types = schema.get("type", ["string"])
    if "object" in types:
        fields = schema.get("properties", {})
        wanted = list(schema.get("required", ()))
        if fields and depth < DEEPEST:
            wanted += random.sample(list(fields), min(2, len(fields)))
        return {
            name: _sample((name,), resolved(world.bundle, fields[name]), random, world, depth + 1)
            for name in dict.fromkeys(wanted)
            if name in fields
        }
    if "array" in types:
        items = resolved(world.bundle, schema.get("items", {}))
        return [_sample(path, items, random, world, depth + 1)]
    if "boolean" in types:
        return random.random() < 0.5
    if "integer" in types or "number" in types:
        return random.choice(BOUNDS)
    return random.choice(("a", "example.com/a", "/a"))
