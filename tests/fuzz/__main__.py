"""`python -m tests.fuzz`: run every command on malformed inputs, and report faults.

A try is identified by the seed, its target and its number: `--only lint:123` repeats that one.
"""

import argparse
import json
import os
import sys
from pathlib import Path

from tests.fuzz.seeds import ROOT
from tests.fuzz.targets import TARGETS, Target
from tests.fuzz.tries import make
from tests.fuzz.workers import Tally, run

RESULTS = ROOT / "build" / "fuzz.json"


def main() -> int:
    """Exit code 1 where anything must not be."""
    arguments = _arguments()
    if arguments.only:
        return _again(arguments)
    wanted = shares(arguments.tries, arguments.target)
    tally = Tally()
    for count, done in enumerate(run(wanted, arguments.seed, arguments.jobs), 1):
        for fault in done.faults:
            if fault.kind not in tally.faults:
                _say(f"{done.name}: {fault.kind}")
        tally.add(done)
        if count % 1000 == 0:
            _say(f"{count} tries, {len(tally.faults)} kinds of faults")
    _print(tally, arguments.seed)
    if arguments.write:
        _write(tally, arguments)
    return 1 if tally.faults else 0


def _say(text: str) -> None:
    print(text.encode(errors="backslashreplace").decode(), file=sys.stderr, flush=True)


def shares(tries: int, name: str | None = None) -> list[tuple[Target, range]]:
    """The numbers that each target gets of so many tries."""
    targets = [one for one in TARGETS if name in (None, one.name)]
    total = sum(one.weight for one in targets)
    return [(one, range(max(1, tries * one.weight // total))) for one in targets]


def _print(tally: Tally, seed: int) -> None:
    for name, codes in tally.codes.items():
        said = ", ".join(f"{count} × exit {code}" for code, count in sorted(codes.items()))
        print(f"{name:24} {sum(codes.values()):6} tries: {said}")
    for kind, met in sorted(tally.faults.items(), key=lambda each: -len(each[1])):
        names = ", ".join(dict.fromkeys(f"'{done.name}'" for done in met[:4]))
        print(
            f"FAULT {len(met):5} × {kind}\n      python -m tests.fuzz --seed {seed} --only {names}"
        )


def _write(tally: Tally, arguments: argparse.Namespace) -> None:
    RESULTS.parent.mkdir(exist_ok=True)
    codes = {
        one.name: dict(sorted(tally.codes[one.name].items()))
        for one in TARGETS
        if one.name in tally.codes
    }
    faults = {
        kind: [
            [done.name, next(f.detail for f in done.faults if f.kind == kind)] for done in met[:6]
        ]
        for kind, met in tally.faults.items()
    }
    made = {"seed": arguments.seed, "targets": codes, "faults": faults}
    RESULTS.write_text(json.dumps(made, indent=1) + "\n")


def _again(arguments: argparse.Namespace) -> int:
    """Carry out one try, its input made as small as it still shows the fault."""
    from tests.fuzz.reducing import again

    name, _, number = arguments.only.rpartition(":")
    target = next(one for one in TARGETS if one.name == name)
    return again(
        make(target, arguments.seed, int(number)),
        arguments.kind,
        Path(arguments.keep) if arguments.keep else None,
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tries", type=int, default=20_000, help="of all targets together")
    parser.add_argument("--target", help="only this one, such as `lint` or `cluster render`")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.relative_to(ROOT)}")
    parser.add_argument("--only", metavar="TARGET:NUMBER", help="carry out one try, made smaller")
    parser.add_argument("--kind", default="", help="the fault to keep while it is made smaller")
    parser.add_argument("--keep", metavar="DIR", help="write the files of the smallest try there")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
