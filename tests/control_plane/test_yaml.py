"""Scalars reach the server as we read them, and what we write is read back as it was meant.

`kubectl` reads the YAML here and the server stores what it was sent; an object of a kind without a
schema holds any value, and those with one refuse what is of another type.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gpuspec.manifests import InputError, read, write
from tests.control_plane.client import Client, Object, Ref, Refused
from tests.control_plane.cluster import ControlPlane
from tests.control_plane.conftest import Namespaces
from tests.control_plane.crds import established
from tests.control_plane.scalars import MEANT, READ, REFUSED, only

pytestmark = pytest.mark.control_plane

KUBECTL = Path(sys.executable).with_name("kubectl")


@pytest.fixture(scope="module")
def kind(client: Client) -> Iterator[tuple[str, str]]:
    """A kind whose objects hold anything."""
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    names = {"plural": "scalars", "singular": "scalar", "kind": "Scalars"}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": anything},
    }
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "scalars.yaml.gpuspec.dev"},
        "spec": {
            "group": "yaml.gpuspec.dev",
            "scope": "Namespaced",
            "names": names,
            "versions": [version],
        },
    }
    client.create(definition)
    established(client, definition)
    yield "yaml.gpuspec.dev/v1", "Scalars"
    client.delete(Ref.of(definition))


Apply = Callable[[str], subprocess.CompletedProcess[str]]


@pytest.fixture
def apply(plane: ControlPlane, tmp_path: Path) -> Apply:
    """`kubectl apply` of a text."""
    if not KUBECTL.exists():
        pytest.skip(f"{KUBECTL} is not there; to install it: make check")
    command: list[str | Path] = [
        KUBECTL,
        "--kubeconfig",
        plane.kubeconfig,
        "--cache-dir",
        tmp_path,
        "apply",
        "-f-",
    ]

    def run(text: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, input=text, capture_output=True, text=True, check=False)

    return run


def same(ours: object, stored: object) -> bool:
    """Equal, and of one type as JSON has types: a whole number is one, however it is written."""
    if isinstance(ours, float) and isinstance(stored, int | float) and not isinstance(stored, bool):
        return ours == float(stored)
    return type(ours) is type(stored) and ours == stored


def head(kind: tuple[str, str], name: str, space: str) -> str:
    api_version, called = kind
    meta = json.dumps({"name": name, "namespace": space})
    return f"apiVersion: {api_version}\nkind: {called}\nmetadata: {meta}\n"


def stored(client: Client, kind: tuple[str, str], name: str, space: str) -> Any:
    return client.get(Ref(*kind, name, space))


def test_there_is_enough_to_compare() -> None:
    assert len(READ) > 60
    assert {type(value) for _, value in READ} == {str, int, float, bool, type(None)}


def test_values_are_stored_as_we_read_them(
    client: Client, kind: tuple[str, str], namespace: Namespaces, apply: Apply
) -> None:
    space = namespace()
    lines = "".join(f"  s{number}: {text}\n" for number, (text, _) in enumerate(READ))
    done = apply(head(kind, "values", space) + "spec:\n" + lines)
    assert done.returncode == 0, done.stderr
    spec = stored(client, kind, "values", space)["spec"]
    pairs = ((text, value, spec.get(f"s{number}")) for number, (text, value) in enumerate(READ))
    assert [one for one in pairs if not same(one[1], one[2])] == []


def test_keys_are_stored_as_we_read_them(
    client: Client, kind: tuple[str, str], namespace: Namespaces, apply: Apply
) -> None:
    space = namespace()
    lines: list[str] = []
    for text, _ in READ:
        line = f"  k{len(lines)}: {{{text}: x}}\n"
        try:
            read(line, "key")
        except InputError:
            continue
        lines.append(line)
    assert len(lines) > 50
    text = head(kind, "keys", space) + "spec:\n" + "".join(lines)
    done = apply(text)
    assert done.returncode == 0, done.stderr
    assert stored(client, kind, "keys", space)["spec"] == only(text)["spec"]


@pytest.mark.parametrize("text", REFUSED)
def test_what_we_refuse_kubectl_refuses(
    kind: tuple[str, str], namespace: Namespaces, apply: Apply, text: str
) -> None:
    whole = head(kind, "refused", namespace()) + f"spec: {{a: {text}}}\n"
    with pytest.raises(InputError):
        read(whole, "refused")
    assert apply(whole).returncode != 0


def pod(space: str, annotation: str = "a", argument: str = "a", port: str = "80") -> str:
    return (
        f"apiVersion: v1\nkind: Pod\nmetadata:\n  name: typed\n  namespace: {space}\n"
        f"  annotations:\n    a: {annotation}\n"
        "spec:\n  securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}\n"
        "  containers:\n  - name: main\n    image: example.com/a:1\n"
        "    securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}\n"
        f"    ports: [{{containerPort: {port}}}]\n    args:\n    - {argument}\n"
    )


def refused(client: Client, text: str) -> bool:
    """Whether the server refuses the text itself, on a dry run, for the type of a value."""
    try:
        client.create(only(text), dry_run=True, text=text)
    except Refused as denied:
        assert "cannot unmarshal" in denied.message, denied.message
        return True
    return False


def config_map(space: str, text: str) -> str:
    meta = f"metadata: {{name: typed, namespace: {space}}}"
    return f"apiVersion: v1\nkind: ConfigMap\n{meta}\ndata:\n  a: {text}\n"


def test_what_takes_text_refuses_what_we_read_as_something_else(
    client: Client, namespace: Namespaces
) -> None:
    """A ConfigMap's data, an annotation, an argument: `1e3` and `y` are no text there."""
    space = namespace()
    for text, value in READ:
        is_text = value is None or isinstance(value, str)
        for whole in (config_map(space, text), pod(space, text), pod(space, argument=text)):
            assert refused(client, whole) is not is_text, whole


def test_what_takes_a_number_takes_what_we_read_as_one(
    client: Client, namespace: Namespaces
) -> None:
    space = namespace()
    for text, value in READ:
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 65536:
            whole = pod(space, port=text)
            answer = client.create(only(whole), dry_run=True, text=whole)
            (container,) = answer.object["spec"]["containers"]
            assert container["ports"][0]["containerPort"] == value
        elif isinstance(value, str | bool):
            assert refused(client, pod(space, port=text)), text


def test_what_we_write_is_read_back(
    client: Client, kind: tuple[str, str], namespace: Namespaces, apply: Apply
) -> None:
    """As values and as keys, by kubectl and by the server itself."""
    space = namespace()
    api_version, called = kind
    spec = {"values": MEANT, "keys": {text: text for text in MEANT}}
    meta: Object = {"name": "written", "namespace": space, "annotations": {"a/a": "012"}}
    value: Object = {"apiVersion": api_version, "kind": called, "metadata": meta, "spec": spec}
    text = write([value])
    done = apply(text)
    assert done.returncode == 0, done.stderr
    assert stored(client, kind, "written", space)["spec"] == spec
    again = text.replace("name: written", "name: again")
    assert client.create(value, dry_run=True, text=again).object["spec"] == spec
