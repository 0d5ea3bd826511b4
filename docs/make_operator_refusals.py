"""Write how many of the operators' refusals the linter finds: `python docs/make_operator_refusals.py`.

`refusals-operators.md` is made from what `make refusals` wrote, and from the pinned versions.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from docs.make_refusals import Results, kinds, missed, mutations, results
from tests.refusals.operators.judge import GROUPS, OPERATORS, QUEUED

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "refusals-operators.md"
LEAST = 10_000

HEAD = """# What operators refuse

<!-- Made by docs/make_operator_refusals.py from what `make refusals` found. Do not edit. -->

An operator requires more of its objects than its CustomResourceDefinition states. Its webhooks refuse further objects.
Without a webhook the controllers check before they create anything: the object is stored, its status says that it is
invalid, and no pod starts. This page measures how many of these refusals the linter finds.

`make refusals-tools` builds the operators' own code for these checks, without a cluster.
`tests/refusals/operators/operator-judge` passes an object through the steps of a create, in this order: the definition
with its defaults and rules, the defaulting webhook, the validating webhook, the controller's checks.

    make refusals                                                  # the API server's kinds, then these
    .venv/bin/python -m tests.refusals.operators.contest --only 123    # one mutant, with both results

Mutants are made and counted as on [Refusals](refusals.md). Mutants that a definition refuses are left out, because they
never reach an operator. An *alarm* is an error of the linter on an object that the definition, the webhooks and
the controller accept. It is no alarm if the API server later refuses a pod, or a Job, that the operator creates from a
template. Each mutant has one wrong change. Some checks compare two fields: if the operator reports the unchanged field, a
finding at the changed field counts too.
"""
UNJUDGED = """No judge is built for these, so no test checks the [rules about them](webhooks.md), which were written from their
sources:

- Volcano, KAI, HAMi, the NIM operator, OME, kthena: their webhooks are no public Go module, or need a cluster.

Kueue's webhooks also check the jobs of other operators. They judge the objects that have a key of Kueue's, with all
integrations enabled, after the operator of the kind, which has set its defaults, or after the API server. These results
are counted separately, as *under Kueue*. A refusal by both is counted once.

A TrainJob is judged with a runtime that has all jobs and containers that it names, so every counted refusal holds for any
runtime. Refusals that depend on the runtime ([GPU780](rules.md#gpu780)) have tests of their own, which also ask the
webhook.

The defaults of KServe's webhook depend on its configuration. The judge deploys in mode `Standard`. For an
InferenceService without a mode, the linter reports nothing that depends on the mode.

Gateway API has no webhook. For an AppWrapper without a namespace it is unknown in which one it is created. No cloud
provider of Karpenter is a judge, because each has labels of its own.
"""


def text(found: Results) -> str:
    """The whole page."""
    lines = [HEAD, "## Judges", "", *_judges(), "", UNJUDGED, "## Results", ""]
    lines += [f"Seed {found['seed']}, {found['tries']:,} mutants.", "", *mutations(found), ""]
    lines += [*kinds(found), "", *missed(found)]
    return "\n".join(lines) + "\n"


def _judges() -> Iterator[str]:
    yield "| API group | judge |"
    yield "|---|---|"
    for group, name in sorted(GROUPS.items()):
        operator = OPERATORS[name]
        yield f"| `{group}` | `{operator.module}` {operator.version} |"
    kinds = ", ".join(sorted({kind for each in QUEUED.values() for kind in each}))
    kueue = OPERATORS["kueue"]
    yield f"| {kinds}, with a key of Kueue's | `{kueue.module}` {kueue.version} as well |"


def page() -> str:
    """The page of what the last contest wrote."""
    return text(results("operators", LEAST))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
