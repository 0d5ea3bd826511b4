"""Write what is made beforehand, so that nobody waits for it: `python docs/make_startup.py`.

The tables of hardware and runtimes as JSON, and the usual forms of the templates.
"""

from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

import gpuspec
from gpuspec.hardware import tables as hardware
from gpuspec.manifests.digests import sha256
from gpuspec.manifests.tables import made_name, parsed
from gpuspec.plan import Plan
from gpuspec.plan.facets import ObjectPlan, PlaceholderPlan, PodPlan
from gpuspec.render import Templates
from gpuspec.render.forms import Forms
from gpuspec.render.layout import lay_out
from gpuspec.runtimes import load as runtimes
from gpuspec.startup.made import content, file_of

ROOT = Path(__file__).parent.parent
SPECS = ROOT / "examples"
HELPERS = 4
"""The most init and sidecar containers of a pod whose form is shipped."""


def main() -> None:
    """Write all of them."""
    for file, made in (*tables(), *forms()):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(made)


def tables() -> Iterator[tuple[Path, bytes]]:
    """The tables as JSON, and their files."""
    for folder in (hardware.DATA, runtimes.DATA):
        for file in sorted(Path(folder).glob("*.yaml")):
            text = file.read_bytes()
            made = content(sha256(text), parsed(text, file.stem))
            yield Path(file_of(made_name(folder, file.stem))), made


def forms() -> Iterator[tuple[Path, bytes]]:
    """The forms that our templates have for the examples, with few and many helper containers."""
    templates = Templates()
    templates.forms = Forms()
    # The form that was learnt last is looked at first: the one with the fewest helpers.
    for count in range(HELPERS, -1, -1):
        for plan in plans():
            lay_out(with_helpers(plan, count), templates)
    for name in templates.names:
        made = content(templates.digest(name), templates.forms.of(name))
        yield Path(file_of(f"forms/{name}")), made


def plans() -> Iterator[Plan]:
    """Plans of all examples, on every profile that can carry them."""
    profiles = gpuspec.load_profiles(*map(str, sorted((SPECS / "clusters").glob("*.yaml"))))
    for workload in gpuspec.load(*map(str, sorted(SPECS.glob("*.yaml")))):
        for profile in profiles:
            try:
                yield gpuspec.render(workload, profile).plan
            except gpuspec.Refusal:
                continue


def with_helpers(plan: Plan, count: int) -> Plan:
    """A plan whose pods have so many init and sidecar containers."""
    helpers = plan.pod.containers[:1] * count

    def helped(pod: PodPlan) -> PodPlan:
        return replace(pod, init_containers=helpers)

    roles = {name: replace(one, pod=helped(one.pod)) for name, one in plan.roles.items()}
    objects: list[ObjectPlan] = []
    for one in plan.objects:
        room = one.parts.get("placeholder")
        if isinstance(room, PlaceholderPlan):
            one = replace(one, parts={"placeholder": replace(room, pod=helped(room.pod))})
        objects.append(one)
    return replace(plan, roles=roles, objects=tuple(objects))


if __name__ == "__main__":
    main()
