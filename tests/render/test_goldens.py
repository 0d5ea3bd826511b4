"""The examples, whole, as they are printed: reviewed by eye, held by comparison."""

import difflib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(path.stem for path in (ROOT / "examples").glob("*.yaml"))
PROFILES = ["generic", *sorted(path.stem for path in (ROOT / "examples/clusters").glob("*.yaml"))]
AGAIN = "to write the goldens again: python tests/render/goldens.py --write"


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("example", EXAMPLES)
def test_example_is_as_its_golden(goldens: ModuleType, example: str, profile: str) -> None:
    made = goldens.outputs(example, profile)
    kept = goldens.kept(example, profile)
    assert sorted(made) == sorted(kept), AGAIN
    for name, text in made.items():
        change = difflib.unified_diff(
            kept[name].splitlines(), text.splitlines(), f"examples/rendered/{name}", "now", n=1
        )
        assert text == kept[name], "\n".join([*change, AGAIN])


def test_every_golden_is_of_an_example(goldens: ModuleType) -> None:
    wanted = {
        name
        for example in EXAMPLES
        for profile in PROFILES
        for name in goldens.kept(example, profile)
    }
    there = {path.relative_to(goldens.GOLDENS).as_posix() for path in goldens.GOLDENS.glob("*/*")}
    assert there == wanted, AGAIN


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_renders_somewhere(goldens: ModuleType, example: str) -> None:
    """C-63: the usual workloads, the bookstore's among them, are examples that render."""
    assert any(
        f"{profile}/{example}.yaml" in goldens.kept(example, profile) for profile in PROFILES
    )
