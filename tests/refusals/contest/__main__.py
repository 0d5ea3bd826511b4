"""`python -m tests.refusals.contest`: what a server refuses of mutants, and what the linter says.

A mutant is told by the seed and its number: `--only 123` shows that one, and what both say of it. With
`--tested` it is objects that Kubernetes' own tests validate that are judged, all of them.
"""

import argparse
import json
import os
import sys
from functools import partial

from gpuspec.manifests import format_path
from tests.refusals.contest.scoring import Outcome, of_seed
from tests.refusals.contest.table import RESULTS, lines
from tests.refusals.contest.tested import judged, objects
from tests.refusals.contest.workers import run


def main() -> int:
    """Print the table."""
    arguments = _arguments()
    seed = None if arguments.tested else arguments.seed
    source = judged if seed is None else partial(of_seed, seed)
    if arguments.only is not None:
        return _show(*source(range(arguments.only, arguments.only + 1)))
    tries = len(objects()) if seed is None else arguments.tries
    data = run(source, tries, arguments.jobs).as_data(seed, arguments.patterns)
    print("\n".join(lines(data)))
    if arguments.write:
        RESULTS.mkdir(exist_ok=True)
        file = RESULTS / f"refusals-{'tested' if seed is None else seed}.json"
        file.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    return 0


def _show(outcome: Outcome) -> int:
    one = outcome.mutant
    print(f"{one.base.name}: {format_path(one.path)} {one.mutation}\n{one.text}")
    for said in outcome.verdict.errors:
        print(f"server: {said.field}: {said.message} [{said.type}]")
    for warning in outcome.verdict.warnings:
        print(f"server warns: {warning}")
    for ours in sorted(outcome.ours):
        print(f"ours: {format_path(ours.path)}: {ours.message} [{ours.rule}]")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.refusals.contest", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tries", type=int, default=200_000)
    parser.add_argument("--tested", action="store_true", help="what Kubernetes' tests validate")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--patterns", type=int, default=60, help="how many of those most missed")
    parser.add_argument("--write", action="store_true", help="write build/refusals-SEED.json")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="show one mutant or object")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
