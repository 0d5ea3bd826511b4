"""A number of replicas that an autoscaler also sets."""

from collections.abc import Iterator

from msgspec.structs import replace

from gpuspec.kinds.owned import KUEUE
from gpuspec.lint.analysis.gangs.jobs import synced_by
from gpuspec.lint.analysis.serving.applications import application_of, expression, heals, ignored
from gpuspec.lint.analysis.serving.servers import is_first
from gpuspec.lint.context import Context
from gpuspec.lint.model import Drop, Fix, RawFinding, RelatedPlace, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import at, mapping
from gpuspec.objects.objects import Object, Pod
from gpuspec.objects.owned import ControlledField, held, written

RULE = Rule(
    "GPU804",
    "replicas-beside-autoscaler",
    "warning",
    "`replicas` is set although an autoscaler controls it",
    fix="unsafe",
)

_OF_APP_TEMPLATE = "app.kubernetes.io/controller"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield objects whose `replicas` each apply resets."""
    owner = pod.object
    if not is_first(pod):
        return
    app = application_of(owner, context.collection)
    for controlled_field in held(owner, context.collection):
        field = controlled_field.owned.field
        if controlled_field.owned.by == KUEUE or (app is not None and ignored(owner, field, app)):
            continue
        again = app is not None or synced_by(owner) is not None
        # Within a list nothing can be left out to help: an apply replaces the list. So it is said
        # only where something applies it again and again.
        if "*" in field and not again:
            continue
        for path, value in written(owner, controlled_field.owned):
            if isinstance(value, int) and not isinstance(value, bool):
                finding = _found(owner, controlled_field, path, value, app)
                # A run is applied once, and the number is what it starts with.
                once = owner.traits.runs_once and not again
                yield replace(finding, severity="info") if once else finding


def _found(
    owner: Object, controlled_field: ControlledField, path: Path, value: int, app: Object | None
) -> RawFinding:
    scaler, field = controlled_field.scaler, controlled_field.owned.field
    is_healed = app is not None and heals(app)
    when = f"Argo CD ({app.name} heals itself)" if app is not None and is_healed else "each apply"
    if owner.traits.life != "service":
        ends = "stops running workers"
    else:
        ends = "stops warm servers or starts cold ones"
        if scaler is not None and scaler.least == 0:
            ends += ", and starts servers that the autoscaler had scaled to zero"
    related = []
    if scaler is not None:
        at = scaler.path("scaleTargetRef")
        related.append(RelatedPlace(scaler.object.number, at, "changes this number"))
    if app is not None and is_healed:
        at = app.path("spec", "syncPolicy", "automated", "selfHeal")
        related.append(RelatedPlace(app.number, at, "resets the number"))
    in_list = "*" in field
    where = expression(field) if in_list else f"/{field.replace('.', '/')}"
    note = (
        f"set `ignoreDifferences` on `{where}` with `RespectIgnoreDifferences=true` in Argo CD, "
        "which keeps the live value"
    )
    return RawFinding(
        path,
        f"`replicas` {value} is set, but {scaler or controlled_field.owned.by} controls the "
        f"number: {when} resets the number, and {ends}",
        note=note if in_list else f"{_removed(owner)}, or {note}",
        related=tuple(related),
        fix=None if in_list else Fix(f"remove `{path[-1]}`", (Drop(path),)),
    )


def _removed(owner: Object) -> str:
    # bjw-s' app-template writes 1 where its values say nothing.
    labels = mapping(at(owner.spec, ("selector", "matchLabels")))
    return "set `replicas: null`" if _OF_APP_TEMPLATE in labels else "remove `replicas`"
