"""Admission: the API server takes what we print as it is, and without a word (C-61).

Everything is sent as the very text that the program prints, with strict field validation, into
namespaces that enforce and warn `restricted`. No error, no warning, and what is read back contains
all that was sent: no feature gate dropped a field.
"""

import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import pytest
import yaml

import gpuspec
from tests.control_plane import crds
from tests.control_plane.client import Client, Object, Ref, Refused, until
from tests.control_plane.conftest import Namespaces
from tests.control_plane.namespaces import restricted
from tests.control_plane.readback import lost
from tests.control_plane.sending import Sent, documents, pods
from tests.render.goldens import EXAMPLES, GOLDENS, PROFILES, program

pytestmark = pytest.mark.control_plane

CASES = [
    pytest.param(profile, example, id=f"{profile}-{example}")
    for profile in PROFILES
    for example in EXAMPLES
    if (GOLDENS / profile / f"{example}.yaml").exists()
]


class Platform(NamedTuple):
    """What `cluster render` gives for a profile, while it is in the cluster."""

    profile: str
    objects: int
    wrong: list[str]
    """What the server found wrong with them."""


Record = Callable[[str, object], None]


def admit(client: Client, sent: Sent) -> list[str]:
    """Create an object: what the server finds wrong with it, or has lost of it."""
    ref = Ref.of(sent.object)
    name = f"{ref.kind} {ref.name}"
    try:
        answer = client.create(sent.object, text=sent.text)
    except Refused as refused:
        if refused.reason == "AlreadyExists" and ref.kind == "Namespace":
            return []
        return [f"{name} is refused: {refused}"]
    found = [f"{name}: warning: {warning}" for warning in answer.warnings]
    return found + [f"{name}: {text}" for text in lost(sent.object, answer.object)]


def admit_pods(client: Client, value: Object) -> Iterator[str]:
    """Each pod template as a Pod, on a dry run: what the server finds wrong with it."""
    name = f"pod of {value['kind']} {value['metadata']['name']}"
    for pod in pods(value):
        try:
            answer = client.create(pod, dry_run=True)
        except Refused as refused:
            yield f"{name} is refused: {refused}"
            continue
        yield from (f"{name}: warning: {warning}" for warning in answer.warnings)
        yield from (f"{name}: {text}" for text in lost(pod, answer.object))


def gone(client: Client, ref: Ref) -> bool:
    return client.find(ref) is None


def remove(client: Client, made: list[Sent]) -> None:
    """Delete objects, the last first, and wait until they are gone; namespaces stay."""
    refs = [Ref.of(sent.object) for sent in reversed(made) if sent.object["kind"] != "Namespace"]
    for ref in refs:
        client.delete(ref)
    for ref in refs:
        until(partial(gone, client, ref), f"{ref.kind} {ref.name} is gone")


@pytest.fixture(scope="module")
def platform(client: Client, request: pytest.FixtureRequest) -> Iterator[Platform]:
    """The platform's objects of a profile, created as printed."""
    profile: str = request.param
    code, text, said = program("cluster", "render", PROFILES[profile])
    assert code == 0 or not text, said
    made = documents(text)
    crds.skip_without(crds.supply(client, [sent.object for sent in made]))
    for sent in made:
        if sent.object["kind"] == "Namespace":
            continue
        if space := sent.object["metadata"].get("namespace"):
            restricted(client, space)
    wrong = [text for sent in made for text in admit(client, sent)]
    yield Platform(profile, len(made), wrong)
    remove(client, made)


@pytest.mark.parametrize("platform", sorted(PROFILES.keys() - {"generic"}), indirect=True)
def test_platform_is_admitted(platform: Platform, record_property: Record) -> None:
    """C-37: queues, flavors and topologies too, past Kueue's own webhooks."""
    record_property("objects", platform.objects)
    if platform.profile == "claims" and os.environ.get("GPUSPEC_MINOR") == "1.35":
        pytest.skip("DRAExtendedResource is off on 1.35: the server drops extendedResourceName")
    assert platform.wrong == []


@pytest.mark.parametrize(("platform", "example"), CASES, indirect=["platform"])
def test_example_is_admitted(
    client: Client, platform: Platform, example: str, record_property: Record
) -> None:
    """C-61: with its pods, one by one."""
    made = documents((GOLDENS / platform.profile / f"{example}.yaml").read_text(encoding="utf-8"))
    objects = [sent.object for sent in made]
    lacking = crds.supply(client, objects)
    record_property("objects", len(objects))
    record_property("pods", sum(len(list(pods(value))) for value in objects))
    crds.skip_without(lacking)
    assert not lacking
    (profile,) = gpuspec.load_profiles(PROFILES[platform.profile])
    levels = {one.name: one.pod_security for one in profile.spec.namespaces}
    for space in {value["metadata"]["namespace"] for value in objects}:
        restricted(client, space, levels.get(space, "restricted"))
    wrong = [text for sent in made for text in admit(client, sent)]
    wrong += [text for value in objects for text in admit_pods(client, value)]
    remove(client, made)
    assert wrong == []


FAULTS = [
    ("\nspec:\n", "\nspec:\n  replica: 2\n", "unknown field"),
    ("\nspec:\n", "\nspec:\n  paused: true\n  paused: true\n", "already set"),
    ("runAsNonRoot: true", "runAsNonRoot: false", "would violate PodSecurity"),
    ("\nspec:\n", "\nspec:\n  minReadySeconds: -1\n", "greater than or equal to 0"),
]


@pytest.mark.parametrize(("right", "wrong", "said"), FAULTS)
def test_what_is_wrong_is_heard(
    client: Client, namespace: Namespaces, right: str, wrong: str, said: str
) -> None:
    """A fault put into what we print is refused or warned of, so that silence means something."""
    text = (GOLDENS / "gke/chat.yaml").read_text(encoding="utf-8")
    (made,) = (one for one in documents(text) if one.object["kind"] == "Deployment")
    text = made.text.replace("namespace: serving", f"namespace: {namespace()}")
    assert right in text
    broken = text.replace(right, wrong)
    sent = Sent(yaml.safe_load(broken), broken)
    found = admit(client, sent)
    remove(client, [sent])
    assert any(said in each for each in found), found
