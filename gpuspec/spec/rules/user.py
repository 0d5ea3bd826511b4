"""Who the processes run as, and what a workload is let off."""

from collections.abc import Iterator

from gpuspec.spec.common import WorkloadSpec
from gpuspec.spec.rules.broken import Broken, camel


def problems(spec: WorkloadSpec) -> Iterator[Broken]:
    """Broken rules of user and waivers."""
    uid, root = spec.user.uid, spec.waivers.root
    if uid == 0 and root is None:
        yield Broken(
            "uid 0 is root, which Pod Security `restricted` refuses",
            ("spec", "user", "uid"),
            "use another uid, or give the reason in `waivers.root`",
            needs=(("spec", "waivers", "root"),),
        )
    for field in spec.waivers.__struct_fields__:
        reason, name = getattr(spec.waivers, field), camel(field)
        if reason is not None and len(reason.split()) < 2:
            yield Broken(
                f"`waivers.{name}` needs a reason in words",
                ("spec", "waivers", name),
                "it becomes an annotation that a reviewer reads",
            )
