"""`python -m tests.control_plane`: a control plane to try things on, until interrupted.

Prints its kubeconfig on stdout once all runs. With a profile its simulated nodes join.
"""

import argparse
import os
import signal
import sys
import time

from tests.control_plane import binaries
from tests.control_plane.cluster import ControlPlane
from tests.control_plane.nodes import join, nodes


def main() -> int:
    """Start, say so, wait, stop. Exit code 1 if the programs are not built."""
    arguments = _arguments()
    # A signal may come at any moment, also while we begin to wait: a lock could be held then.
    ended, end = os.pipe()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: os.write(end, b"."))
    begun = time.monotonic()
    try:
        plane = ControlPlane(arguments.minor, kueue=None if arguments.no_kueue else {})
    except binaries.Missing as missing:
        print(f"control plane: {missing}", file=sys.stderr)
        return 1
    with plane:
        if arguments.profile:
            import gpuspec

            (profile,) = gpuspec.load_profiles(arguments.profile)
            join(plane.client(), nodes(profile))
        print(plane.kubeconfig.read_text(encoding="utf-8"), flush=True)
        _say(
            f"Kubernetes {binaries.version('kube-apiserver', plane.minor)} is up in "
            f"{time.monotonic() - begun:.0f} s; its kubeconfig is {plane.kubeconfig}"
        )
        _say("interrupt to stop it (Ctrl-C)")
        os.read(ended, 1)
        _say("stopping")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.control_plane", description=__doc__)
    parser.add_argument("--minor", default=binaries.NEWEST, help="Kubernetes minor")
    parser.add_argument("--profile", help="cluster profile whose nodes are simulated")
    parser.add_argument("--no-kueue", action="store_true", help="leave Kueue out")
    return parser.parse_args()


def _say(text: str) -> None:
    print(f"control plane: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
