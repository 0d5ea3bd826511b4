"""Write how much the linter says of what operators refuse: `python docs/make_operator_refusals.py`.

`refusals-operators.md` is made from what `make refusals` wrote, and from the versions that are pinned.
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

A CustomResourceDefinition is not all that an operator asks of its objects. Its webhooks refuse more, and what
has no webhook its controllers check before they make anything: the object is stored, its status says that it
is invalid, and no pod comes. `make refusals-tools` builds the operators' own code for that, without a cluster:
`tests/refusals/operators/operator-judge` does to an object what a create goes through, in this order: the definition with
its defaults and rules, the webhook that fills in, the one that refuses, the controller's checks.

    make refusals                                                  # the API server's kinds, then these
    .venv/bin/python -m tests.refusals.operators.contest --only 123    # one mutant, and what both say of it

Mutants are made and counted as on [Refusals](refusals.md). Those that a definition refuses are left out, as they
never come to an operator. An *alarm* is an error of the linter's that speaks of a refusal, of what all of these
take; that the API server later refuses a pod, or a Job, which the operator makes from a template, is none. One thing
of an object is changed, and there it is wrong: where an operator names another part of a relation, it is found too if
the linter names what was changed.
"""
UNJUDGED = """Of these no judge is built, and what [is said of them](webhooks.md) was read, and is held by nothing:

- Volcano, KAI, HAMi, the NIM operator, OME, kthena: their webhooks are no Go module that can be had, or need a cluster.

Kueue's webhooks look at the jobs of others too. They are asked about those that have a key of Kueue's, as all of its
integrations are on, after the operator of the kind, which has filled in what it does, or the API server. What is found
of these is counted apart, as *under Kueue*, and what both refuse is counted once.

A TrainJob is judged with a runtime that has all jobs and containers it names: what is refused is refused whatever the
runtime. What is refused because of the runtime ([GPU780](rules.md#gpu780)) has stories of its own, which the webhook
is asked about too.

What KServe's webhook fills in depends on its configuration: it is asked as one that deploys in mode `Standard`, and of
an InferenceService that does not say its mode nothing is said that depends on it.

Gateway API has no webhook. Of an AppWrapper whose namespace is not written it is not known which one it goes to, and
of Karpenter's clouds none is asked: each has labels of its own.
"""


def text(found: Results) -> str:
    """The whole page."""
    lines = [HEAD, "## Who judges", "", *_judges(), "", UNJUDGED, "## What came out", ""]
    lines += [f"Seed {found['seed']}, {found['tries']:,} mutants.", "", *mutations(found), ""]
    lines += [*kinds(found), "", *missed(found)]
    return "\n".join(lines) + "\n"


def _judges() -> Iterator[str]:
    yield "| kinds of | judged by |"
    yield "|---|---|"
    for group, name in sorted(GROUPS.items()):
        operator = OPERATORS[name]
        yield f"| `{group}` | `{operator.module}` {operator.version} |"
    kinds = ", ".join(sorted({kind for each in QUEUED.values() for kind in each}))
    kueue = OPERATORS["kueue"]
    yield f"| {kinds}, with a key of Kueue's | `{kueue.module}` {kueue.version} too |"


def page() -> str:
    """The page of what the last contest wrote."""
    return text(results("operators", LEAST))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
