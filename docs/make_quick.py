"""Write the quick forms of what is shipped: `python docs/make_quick.py`.

The tables of hardware and runtimes as JSON beside their YAML, and the usual forms of the templates.
Each says by digest what it was made from, and is passed over where that has changed since.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec.structs import replace

import gpuspec
from gpuspec.hardware import tables as hardware
from gpuspec.manifests.tables import twin
from gpuspec.plan import Plan
from gpuspec.plan.facets import ObjectPlan, PlaceholderPlan, PodPlan
from gpuspec.render import Templates
from gpuspec.render.forms import Forms, file_of
from gpuspec.render.layout import lay_out
from gpuspec.runtimes import load as runtimes

ROOT = Path(__file__).parent.parent
SPECS = ROOT / "examples"
HELPERS = 4
"""The most init and sidecar containers of a pod whose form is shipped."""


def main() -> None:
    """Write all of them."""
    for file, content in (*twins(), *forms()):
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(content)


def twins() -> Iterator[tuple[Path, bytes]]:
    """The tables as JSON, and their files."""
    for folder in (hardware.DATA, runtimes.DATA):
        for file in sorted(Path(folder).glob("*.yaml")):
            yield file.with_suffix(".json"), twin(file.read_bytes(), file.stem)


def forms() -> Iterator[tuple[Path, bytes]]:
    """The forms that our templates have for the examples, with few and many helper containers."""
    templates = Templates()
    templates.forms = Forms()
    # The form that was learnt last is looked at first: the one with the fewest helpers.
    for count in range(HELPERS, -1, -1):
        for plan in plans():
            lay_out(with_helpers(plan, count), templates)
    for name in templates.names:
        made = {"of": templates.digest(name), "forms": templates.forms.of(name)}
        yield Path(file_of(name)), msgspec.json.encode(made) + b"\n"


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
