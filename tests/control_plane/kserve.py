"""What KServe's controllers make of our servers, and the pods that it is held against."""

from __future__ import annotations

from tests.control_plane.client import Object, Ref
from tests.control_plane.stories import World, main


def owned(here: World, servers: Ref, version: str, kind: str) -> list[Object]:
    """What KServe has made of its object."""
    found = here.client.objects(Ref(version, kind, namespace=here.namespace))
    owners = [(each, each["metadata"].get("ownerReferences") or ()) for each in found]
    return [each for each, by in owners if any(one["name"] == servers.name for one in by)]


def made_by_us(here: World, spec: Object, pods: int) -> list[Object]:
    """The pods of what we render for another target."""
    made = here.render(spec)
    here.create(each for each in made if here.client.find(Ref.of(each)) is None)
    here.started(main(made), pods)

    def probe() -> list[Object] | None:
        """A pod of what had these labels before may still be going."""
        found = here.pods(main(made))
        return found if len(found) == pods else None

    return here.until(probe, f"{pods} pods have the labels of {main(made).name}")
