"""The table of `docs/fabric.md` is the one that the code has."""

import re
from pathlib import Path

from gpuspec import hardware
from gpuspec.hardware import Recipe
from gpuspec.spec.rules.violation import camel

PAGE = Path(__file__).parent.parent.parent / "docs" / "fabric.md"


def rows() -> dict[str, tuple[list[str], str, list[str]]]:
    """By recipe: machines, what a pod gets, what it takes."""
    text = PAGE.read_text()
    lines = text[text.index("| recipe |") :].split("\n\n")[0].splitlines()[2:]
    cells = [[cell.strip() for cell in line[1:-1].split("|")] for line in lines]
    return {name.strip("`"): (words(on), gets, words(takes)) for name, on, gets, takes in cells}


def words(cell: str) -> list[str]:
    return re.findall("`([^`]+)`", cell)


def test_the_table_of_recipes_is_that_of_the_data() -> None:
    found = rows()
    assert list(found) == list(hardware.recipes())
    for name, (machines, _, takes) in found.items():
        recipe = hardware.recipes()[name]
        assert machines == list(recipe.machines), name
        assert takes == [camel(field) for field in recipe.takes], name


def test_what_a_pod_gets_is_what_the_recipe_names() -> None:
    for name, (_, gets, _) in rows().items():
        known = text_of(hardware.recipes()[name])
        for word in words(gets):
            assert word.split(":")[0] in known, (name, word)


def text_of(recipe: Recipe) -> str:
    """All that a recipe says, in one text."""
    return " ".join(
        map(str, (recipe.fields, recipe.machines, recipe.volumes, recipe.mounts, recipe.daemon))
    )
