"""A hardware profile of OpenShift AI whose selector and tolerations nobody reads."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import Found, Rule
from gpuspec.manifests.values import mapping, text
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU795",
    "profile-schedules-nothing",
    "warning",
    "A hardware profile says where pods go in fields that it does not have",
)
_VERSION = "infrastructure.opendatahub.io/v1"
_FIELDS = ("nodeSelector", "nodeSelectors", "tolerations")


def check(one: Object, context: Context) -> Iterator[Found]:
    """What the older kind of the dashboard has at the top, and what `scheduling` has in `node`."""
    if one.value.get("apiVersion") != _VERSION:
        return
    scheduling = mapping(one.spec.get("scheduling"))
    for holder, path in ((one.spec, ("spec",)), (scheduling, ("spec", "scheduling"))):
        for name in _FIELDS:
            if not holder.get(name):
                continue
            queued = text(scheduling.get("type")) == "Queue"
            yield Found(
                one.path(*path, name),
                f"`HardwareProfile` has no `{'.'.join((*path, name))}`: kubectl refuses the object, other "
                "clients lose it without a word, and what is started with the profile goes to any node",
                note="the ResourceFlavor of its queue says where it goes"
                if queued
                else "it belongs in `spec.scheduling.node`, beside `type: Node`",
            )
