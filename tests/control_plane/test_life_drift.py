"""`fleet drift` on a cluster that has what a profile and specs say: it says nothing, and then one thing.

The dump is what `kubectl get` prints of the kinds that the command itself asks for; changes are kubectl's.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

import gpuspec
from gpuspec.drift import Drift
from gpuspec.plan import Refusal
from gpuspec.spec import Profile
from tests.control_plane.applying import applier
from tests.control_plane.client import Client, Object, Ref
from tests.control_plane.cluster import ControlPlane
from tests.control_plane.crds import served
from tests.control_plane.namespaces import restricted
from tests.control_plane.nodes import join, nodes

pytestmark = pytest.mark.control_plane

ROOT = Path(__file__).parents[2]
PROFILE = ROOT / "examples/clusters/bare-metal.yaml"
KUBECTL = Path(sys.executable).with_name("kubectl")
ALWAYS = ("nodes", "pods")
NODE, DEPLOYMENT = "node/h100-0", "-n=serving deployment/chat"


class Here(NamedTuple):
    """A cluster, what it should hold, and kubectl."""

    profile: Profile
    specs: list[str]
    kubectl: Callable[..., str]
    folder: Path
    kinds: list[str]

    def drift(self) -> Drift:
        """What differs now."""
        said = self.kubectl("get", ",".join(self.kinds), "-A", "-o", "json")
        dump = self.folder / "dump.json"
        dump.write_text(said)
        return gpuspec.fleet_drift(*self.specs, live=str(dump), profile=self.profile)


@pytest.fixture(scope="module")
def here(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Here]:
    """The nodes of a profile, `cluster render` and the examples that it carries, applied."""
    plane: ControlPlane = request.getfixturevalue("plane")
    client: Client = request.getfixturevalue("client")
    folder = tmp_path_factory.mktemp("drift")
    (profile,) = gpuspec.load_profiles(str(PROFILE))
    specs, objects = _carried(client, profile)
    machines = nodes(profile)
    apply = applier(KUBECTL, plane.kubeconfig)
    join(client, machines)
    platform = gpuspec.platform(profile).objects
    apply(platform)
    known = {each["metadata"]["name"] for each in platform if each["kind"] == "Namespace"}
    for space in {each["metadata"].get("namespace", "default") for each in objects} - known:
        restricted(client, space)
    apply(objects)
    run = partial(_kubectl, KUBECTL, plane.kubeconfig)
    kinds = _asked(profile, specs, machines, folder)
    try:
        yield Here(profile, specs, run, folder, kinds)
    finally:
        for each in reversed([*machines, *platform, *objects]):
            if each["kind"] != "Namespace":
                client.delete(Ref.of(each))


def _carried(client: Client, profile: Profile) -> tuple[list[str], list[Object]]:
    """The examples that the profile carries by kinds that are served, and their objects."""
    specs: list[str] = []
    objects: list[Object] = []
    for path in sorted((ROOT / "examples").glob("*.yaml")):
        made: list[Object] = []
        try:
            for workload in gpuspec.load(str(path)):
                made += gpuspec.render(workload, profile).objects
        except Refusal:
            continue
        if all(served(client, each["apiVersion"], each["kind"]) for each in made):
            specs.append(str(path))
            objects += made
    return specs, objects


def _kubectl(kubectl: Path, kubeconfig: Path, *arguments: str) -> str:
    done = subprocess.run(
        [kubectl, f"--kubeconfig={kubeconfig}", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _asked(profile: Profile, specs: list[str], machines: list[Object], folder: Path) -> list[str]:
    """The kinds that the command asks for, given the nodes alone."""
    first = folder / "nodes.json"
    first.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": machines}))
    found = gpuspec.fleet_drift(*specs, live=str(first), profile=profile)
    assert not found.differences
    return [*ALWAYS, *(one.ask for one in found.unseen if one.ask not in ALWAYS)]


def test_what_is_applied_does_not_drift(here: Here) -> None:
    assert len(here.specs) > 8
    found = here.drift()
    for one in found.differences:
        print(one.how, one.name, *one.remarks, *one.fields, sep="\n   ")
    print(found.unseen, found.notes)
    assert not found.differences
