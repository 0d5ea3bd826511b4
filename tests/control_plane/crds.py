"""The kinds of other projects, from their CustomResourceDefinitions (`tests/outside.py`).

Of these projects the API server gets the kinds and nothing else. What only their webhooks would
refuse or fill in is not judged.
"""

from collections.abc import Collection, Iterable
from functools import cache, partial
from pathlib import Path

import pytest
import yaml

from tests.control_plane import binaries
from tests.control_plane.client import Client, Object, Refused, until
from tests.outside import CRDS

# Two projects have a CustomResourceDefinition of one name, and a cluster holds one of them: the one
# that Kueue works with.
PASSED_OVER = {CRDS / "kubeflow-training-operator-v1" / "mpijobs.kubeflow.org.yaml"}
# Modules whose definitions are read where the folder has none.
PINNED = (
    *("envoy-gateway", "gpu-operator", "node-feature-discovery", "openshift"),
    "prometheus-operator",
)
# Kinds of other projects that a project is made of.
NEEDS = {"kubeflow-trainer": ("jobset",)}


def supply(client: Client, objects: Iterable[Object]) -> set[tuple[str, str]]:
    """Install the projects whose kinds these objects need and the server lacks.

    A project comes with all of its kinds, as it does in a cluster: Kueue ends when it finds RayJobs
    and no RayClusters. Gives the (apiVersion, kind) of those for which there is no definition.
    """
    wanted = {(each["apiVersion"], each["kind"]) for each in objects}
    lacking = sorted(one for one in wanted if not served(client, *one))
    found = {one: path for one in lacking if (path := _file(*one)) is not None}
    projects = {path.parent.name for path in found.values()}
    projects |= {more for project in projects for more in NEEDS.get(project, ())}
    for project in sorted(projects):
        _install(client, project)
    pinned = {one: path for one in set(lacking) - found.keys() if (path := _pinned(*one))}
    define(client, sorted(set(pinned.values())))
    return set(lacking) - found.keys() - pinned.keys()


def skip_without(lacking: Collection[tuple[str, str]]) -> None:
    """Skip a test whose kinds the server lacks, where there are no definitions at all."""
    if lacking and not CRDS.is_dir():
        pytest.skip(
            f"not run: no definition of {lacking}; GPUSPEC_OUTSIDE names the folder of crds/"
        )


def served(client: Client, api_version: str, kind: str) -> bool:
    """Whether the server serves a kind."""
    try:
        client.resource(api_version, kind)
    except Refused as refused:
        if refused.code != 404:
            raise
        return False
    return True


def established(client: Client, definition: Object) -> None:
    """Wait until the server serves every version of a definition."""
    spec = definition["spec"]
    for version in spec["versions"]:
        if version["served"]:
            api_version, kind = f"{spec['group']}/{version['name']}", spec["names"]["kind"]
            until(partial(served, client, api_version, kind), f"{kind} is served")


def _install(client: Client, project: str) -> None:
    """Create the definitions of a project that are not there, and wait until they are served."""
    define(client, _files(f"{project}/*.yaml"))


def define(client: Client, paths: Iterable[Path]) -> None:
    """Create the definitions in files that are not there, and wait until they are served."""
    made = [definition for path in paths for definition in _read(path)]
    for definition in made:
        try:
            client.create(definition)
        except Refused as refused:
            if refused.reason != "AlreadyExists":
                raise
    for definition in made:
        established(client, definition)


def _file(api_version: str, kind: str) -> Path | None:
    """The file of a kind's definition; None where there is none."""
    group, _, version = api_version.rpartition("/")
    files = _files(f"*/*.{group}.yaml")
    return next((path for path in files if _has(path, group, version, kind)), None)


def _pinned(api_version: str, kind: str) -> Path | None:
    """The file of a kind's definition among those of modules; None where there is none."""
    group, _, version = api_version.rpartition("/")
    for name in PINNED:
        try:
            files = sorted(binaries.definitions(name).glob("*.yaml"))
        except binaries.Missing:
            continue
        if found := next((path for path in files if _has(path, group, version, kind)), None):
            return found
    return None


def _has(path: Path, group: str, version: str, kind: str) -> bool:
    """Whether a file has the definition of a kind."""
    return any(
        (spec["group"], spec["names"]["kind"]) == (group, kind)
        and version in {each["name"] for each in spec["versions"]}
        for spec in (definition["spec"] for definition in _read(path))
    )


def _files(pattern: str) -> list[Path]:
    return sorted(path for path in CRDS.glob(pattern) if path not in PASSED_OVER)


@cache
def _read(path: Path) -> tuple[Object, ...]:
    return tuple(yaml.load_all(path.read_bytes(), yaml.CSafeLoader))
