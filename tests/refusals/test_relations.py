"""Every function that judges maps of a definition is found by the definition's name."""

from importlib import import_module
from pkgutil import iter_modules

import pytest

from gpuspec.validation import apiserver

MODULES = {
    name: module
    for name in (one.name for one in iter_modules(apiserver.__path__))
    if hasattr(module := import_module(f"{apiserver.__name__}.{name}"), "RELATIONS")
}


def test_there_are_such_files() -> None:
    assert {"batch", "core", "core_volumes", "metadata", "resource_slices"} <= MODULES.keys()


@pytest.mark.parametrize("name", MODULES)
def test_what_a_file_lists_is_found(name: str) -> None:
    for definition, functions in MODULES[name].RELATIONS.items():
        assert set(functions) <= set(apiserver.relations_of(f"io.k8s.api.{definition}"))
