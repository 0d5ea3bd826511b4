"""Names of Jobs, which are immutable: a changed Job is a new Job and needs a new name."""

from gpuspec.plan.case import Case
from gpuspec.plan.leaf import Leaf, derived, from_spec

DIGEST_LENGTH = 8
UNNAMED = "0" * DIGEST_LENGTH


def job_name(case: Case, template_digest: str | None) -> Leaf:
    """The Job's name: by `run`, or by a digest of its template.

    The digest is of the Job rendered under the name `<name>-00000000`, so that it depends on all
    that is immutable and on no name; None asks for that name.
    """
    run = getattr(case.spec, "run", None)
    if getattr(case.spec, "schedule", None) is not None:
        return from_spec(
            ("metadata", "name"), case.name, "the CronJob names its Jobs by their time"
        )
    if run is not None:
        return from_spec(
            ("spec", "run"), f"{case.name}-{run}", "a Job cannot be changed: a new run is a new Job"
        )
    suffix = template_digest[:DIGEST_LENGTH] if template_digest else UNNAMED
    return derived(
        "job-name",
        f"{case.name}-{suffix}",
        "a Job cannot be changed, so a changed template is a new Job, named by its digest",
    )
