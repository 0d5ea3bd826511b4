"""A namespace's level of Pod Security refuses the pods of a chart that is installed there."""

from collections.abc import Iterator

from gpuspec.kinds import an
from gpuspec.lint.analysis.placement.enforced import LABEL, enforced_in
from gpuspec.lint.analysis.reading.releases import releases_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import at
from gpuspec.objects.objects import Object
from gpuspec.products import InstallingChart, charts

RULE = Rule(
    "GPU855",
    "namespace-shuts-out",
    "warning",
    "A namespace's Pod Security level rejects the pods of a chart in it",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield releases of charts whose pods are privileged or mount folders of the node."""
    for release in releases_of(obj, context):
        chart = charts().charts.get(release.chart)
        if chart is None or not chart.privileged or not release.namespace:
            continue
        level = enforced_in(release.namespace, context)
        if level is None or not level.refuses_baseline or _sees_to_it(chart, release.values):
            continue
        says = (
            f"namespace `{release.namespace}` enforces `{level.level}`, but pods of "
            f"{release.chart} are privileged or mount folders of the node: the API server "
            "refuses the pods"
        )
        note = f"label the namespace `{LABEL}: privileged`, and keep other workloads out of it"
        if level.namespace is None:
            yield RawFinding(obj.path("metadata", "namespace"), says, note=note)
        else:
            place = level.namespace.path("metadata", "labels", LABEL)
            related = RelatedPlace(
                obj.number, obj.path("metadata", "name"), f"{an(obj.kind)} installs the chart"
            )
            yield RawFinding(
                place, says, note=note, object=level.namespace.number, related=(related,)
            )
        return


def _sees_to_it(chart: InstallingChart, values: dict[str, object]) -> bool:
    return bool(chart.unless) and at(values, tuple(chart.unless.split("."))) is True
