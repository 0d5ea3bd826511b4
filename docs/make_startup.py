"""Write what is made beforehand, so that nobody waits for it: `python docs/make_startup.py`.

The tables of charts, hardware, runtimes, permissions, exporters, gateways, pickers, trainers, keys, models and
products as JSON, and the usual forms of the templates.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

import gpuspec
from gpuspec.charts import tables as charts
from gpuspec.charts.values import tables as chart_values
from gpuspec.hardware import tables as hardware
from gpuspec.keys import tables as keys
from gpuspec.manifests.digests import sha256
from gpuspec.manifests.tables import made_name, parsed
from gpuspec.models import tables as models
from gpuspec.plan import Decision, Plan
from gpuspec.plan.facets import PodPlan
from gpuspec.products import load as products
from gpuspec.render import Templates
from gpuspec.render.forms import Forms
from gpuspec.render.layout import lay_out
from gpuspec.runtimes import load as runtimes
from gpuspec.runtimes.exporters import load as exporters
from gpuspec.runtimes.gateways import load as gateways
from gpuspec.runtimes.options import load as options
from gpuspec.runtimes.permissions import load as permissions
from gpuspec.runtimes.pickers import load as pickers
from gpuspec.runtimes.published import load as published
from gpuspec.runtimes.trainers import load as trainers
from gpuspec.startup.prebuilt import content, file_of

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
    folders = (
        *(
            charts,
            chart_values,
            hardware,
            runtimes,
            options,
            permissions,
            gateways,
            pickers,
            trainers,
        ),
        *(exporters, published, keys, models, products),
    )
    for folder in (each.DATA for each in folders):
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
    """Plans of all examples, on every profile that can carry them, and on one for what no example is.

    But those with roles of their own: each set of roles has another form.
    """
    folders = (SPECS / "clusters", ROOT / "docs" / "startup")
    files = [str(file) for folder in folders for file in sorted(folder.glob("*.yaml"))]
    profiles = gpuspec.load_profiles(*files)
    for workload in gpuspec.load(*map(str, sorted(SPECS.glob("*.yaml")))):
        for profile in profiles:
            try:
                plan = gpuspec.render(workload, profile).plan
            except gpuspec.Refusal:
                continue
            if not plan.resolution.roles:
                yield plan


def with_helpers(plan: Plan, count: int) -> Plan:
    """A plan whose pods have so many init and sidecar containers, but for those that have some anyway."""
    helpers = plan.pod.containers[:1] * count

    def helped(node: Any) -> Any:
        if isinstance(node, PodPlan):
            return replace(node, init_containers=node.init_containers or helpers)
        if isinstance(node, tuple):
            return tuple(map(helped, node))
        if isinstance(node, Mapping):
            return {name: helped(one) for name, one in node.items()}
        if isinstance(node, Struct) and not isinstance(node, Decision):
            return replace(
                node, **{name: helped(getattr(node, name)) for name in node.__struct_fields__}
            )
        return node

    return replace(plan, roles=helped(plan.roles), objects=helped(plan.objects))


if __name__ == "__main__":
    main()
