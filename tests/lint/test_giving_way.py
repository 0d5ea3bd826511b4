"""Of two rules for one cause one is silent, and never for a softer one."""

import yaml

from tests.lint.pages import raised
from tests.lint.sets import base


def test_what_never_starts_is_said_before_what_may_not() -> None:
    """Volcano starts the leader alone (GPU703), and the leader's probe waits for the others (GPU745)."""
    one = base("leaderworkerset", {"spec": {"startupPolicy": "LeaderReady"}})
    for template in one["spec"]["leaderWorkerTemplate"].values():
        if isinstance(template, dict) and "spec" in template:
            template["spec"]["schedulerName"] = "volcano"
    found = [each.finding() for each in raised(yaml.safe_dump(one))]
    said = [(each.rule, each.severity) for each in found if each.path == "spec.startupPolicy"]
    assert said == [("GPU745", "error")]


def test_what_is_still_to_be_written_is_not_yet_refused() -> None:
    one = base("pod")
    one["metadata"]["namespace"] = "REPLACE_WITH_NAMESPACE"
    said = [(each.rule.code, each.severity) for each in raised(yaml.safe_dump(one))]
    assert ("GPU015", "warning") in said
    assert "GPU017" not in dict(said)
