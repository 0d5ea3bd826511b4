"""The kinds of other projects, from their CustomResourceDefinitions beside the checkout.

Of these projects the API server gets the kinds and nothing else. What only their webhooks would
refuse or fill in is not judged.
"""

from collections.abc import Iterable
from functools import cache, partial
from pathlib import Path

import yaml

from tests.control_plane.client import Client, Object, Refused, until

SHARED = Path(__file__).parents[3] / "shared" / "crds"
# Two projects have a CustomResourceDefinition of one name, and a cluster holds one of them.
PASSED_OVER = {"mpi-operator"}


def supply(client: Client, objects: Iterable[Object]) -> set[tuple[str, str]]:
    """Install the kinds that these objects need and the server lacks.

    Gives the (apiVersion, kind) of those for which there is no definition.
    """
    wanted = {(each["apiVersion"], each["kind"]) for each in objects}
    lacking = sorted(one for one in wanted if not served(client, *one))
    found = {one: path for one in lacking if (path := _file(*one)) is not None}
    for path in sorted(set(found.values())):
        definition = _read(path)
        client.create(definition)
        established(client, definition)
    return set(lacking) - found.keys()


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


def _file(api_version: str, kind: str) -> Path | None:
    """The file of a kind's definition; None where there is none."""
    group, _, version = api_version.rpartition("/")
    for path in sorted(SHARED.glob(f"*/*.{group}.yaml")):
        if path.parent.name not in PASSED_OVER:
            spec = _read(path)["spec"]
            names = {each["name"] for each in spec["versions"]}
            if spec["names"]["kind"] == kind and version in names:
                return path
    return None


@cache
def _read(path: Path) -> Object:
    definition: Object = yaml.load(path.read_bytes(), yaml.CSafeLoader)
    return definition
