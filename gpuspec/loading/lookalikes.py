"""Files that look like manifests, but are never applied to a cluster.

Sources: Kyverno Chainsaw 0.2 (assertion trees: keys in parentheses; `assert` and `error` of a
Test); kyverno/kyverno pull request 2217 (anchors of a policy: keys in parentheses too); kuttl 0.22
(files `NN-assert.yaml` and `NN-errors.yaml` of a step); Spark 4.0, "Running on Kubernetes": the
containers whose image it fills in; opendatahub-io/odh-gitops (`*.snap.yaml`: the output of a chart
that its tests compare).
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from gpuspec.manifests import InputError, read
from gpuspec.manifests.files import content
from gpuspec.manifests.values import at, items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import SourceFile

_EXPRESSION = re.compile(r"^[ \t]*(?:- )?[\"']?\([^()\n]+\)[\"']?:(?:[ \t]|$)", re.MULTILINE)
_KEY = re.compile(r"\(.+\)")
_KYVERNO = re.compile(r"(?:[a-z]+\.)?kyverno\.io/")
_SPARK = re.compile(
    r"^kind:[ ]*Pod\b(?s:.*)\bname:[ ]*spark-kubernetes-(?:driver|executor)\b", re.MULTILINE
)
_STEP = re.compile(r"[0-9]+-(?:assert|errors)\b.*")
_TESTS = ("chainsaw-test.yaml", "chainsaw-test.yml")
_TEST_DATA = "testdata"
VENDORED = "vendor"
_CHECKS = ("assert", "error")


class Lookalikes:
    """The kinds of the folders that files are in."""

    def __init__(self) -> None:
        self._checks: dict[str, set[str]] = {}
        """Files that a folder's Chainsaw test compares a cluster with, by folder."""

    def of(self, source: SourceFile) -> str | None:
        """Return the kind of a text, as a noun; None for a possible manifest."""
        if "(" in source.text and _EXPRESSION.search(source.text) and _asserts(source):
            return "an assertion of Chainsaw"
        if "spark-kubernetes-" in source.text and _SPARK.search(source.text):
            return "a pod template of Spark"
        folder, name = os.path.split(source.name)
        if ".snap." in name:
            return "a snapshot of a chart's tests"
        if _STEP.fullmatch(os.path.splitext(name)[0]):
            return "an assertion of kuttl"
        if name not in _TESTS and name in self._checked_in(folder):
            return "an assertion of Chainsaw"
        return None

    def _checked_in(self, folder: str) -> set[str]:
        if folder not in self._checks:
            paths = (os.path.join(folder, name) for name in _TESTS)
            self._checks[folder] = {
                os.path.normpath(file)
                for path in paths
                if os.path.isfile(path)
                for file in _checks(path)
            }
        return self._checks[folder]


def test_data(file: str, root: str) -> str | None:
    """Return the folder of Go's test data, or of Go's modules, that a file is in, below the named
    folder."""
    below = os.path.dirname(os.path.relpath(file, root))
    steps = below.split("/")
    for index, step in enumerate(steps):
        folder = os.path.normpath(os.path.join(root, *steps[: index + 1]))
        if step == _TEST_DATA or (step == VENDORED and _has_modules(folder)):
            return folder
    return None


def _has_modules(folder: str) -> bool:
    return os.path.isfile(f"{folder}/modules.txt") or os.path.isdir(f"{folder}/github.com")


def _asserts(source: SourceFile) -> bool:
    """Return whether a key of an object is an expression: texts have parentheses too, and so have
    the anchors of Kyverno's own policies."""
    try:
        values: list[Any] = [document.value for document in read(source.text, source.name)]
    except InputError:
        return True
    waiting = [value for value in values if not _KYVERNO.match(text(at(value, ("apiVersion",))))]
    for value in waiting:  # it grows
        if isinstance(value, dict):
            if any(_KEY.fullmatch(key) for key in value if isinstance(key, str)):
                return True
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    return False


def _checks(path: str) -> Iterator[str]:
    """Yield the files that a test compares a cluster with; none if the test is wrong."""
    try:
        documents = read(content(path), path)
    except InputError:
        return
    for document in documents:
        spec: Any = mapping(mapping(document.value).get("spec"))
        for step in items(spec.get("steps")):
            for action in items(mapping(step).get("try")):
                for check in _CHECKS:
                    file = mapping(mapping(action).get(check)).get("file")
                    if isinstance(file, str):
                        yield file
