"""Limits on input: far above real use, far below what exhausts a machine.

Each constant has a row in `docs/limits.md`, which is generated from the tests that exceed it.
"""

MIB = 1024 * 1024

MAX_BYTES = 64 * MIB
"""Bytes of one file or of standard input. All manifests of a large cluster have some tens of MiB.
"""
MAX_DUMP = 2048 * MIB
"""Bytes of kubectl's JSON output of live nodes and pods: hundreds of MB for large clusters."""
MAX_DOCUMENTS = 500_000
"""Documents of one text. A file of real objects with `MAX_BYTES` has half as many."""
MAX_DEPTH = 100
"""The deepest nesting that is read. A pod in a custom resource needs about twenty."""
MAX_ALIASED = 100_000
"""The most nodes to which aliases may expand in one document. An API server accepts objects of up
to 1.5 MiB, which is about that many; only malicious documents have more."""
MAX_DIGITS = 1000
"""Characters of a quantity: longer numbers are rejected anyway, and converting them takes time."""
MAX_PROBLEMS = 200
"""Reported problems of one document: nobody fixes more at a time, and locating each takes time."""
MAX_NODES = 200_000
"""Nodes of all pools of a profile; Kubernetes supports five thousand."""
MAX_FOLDERS = 200
"""The depth of nested folders. Repositories with charts in charts have about twenty levels."""
MAX_RECORD = 16 * MIB
"""Bytes of the record of an output folder, which has a line for each file."""

MAX_TEMPLATE = 64 * 1024
"""Bytes of one template; shipped ones have less than two thousand."""
MAX_TEMPLATE_STEPS = 1_000_000
"""Template steps for one object; shipped templates take some hundreds."""
MAX_TEMPLATE_TEXT = 8 * MIB
"""Characters that templates write for one object, counted again for each `indent`. No API server
accepts an object of more than 1.5 MiB."""

MAX_REVISION_ENTRIES = 1_000_000
"""Tree entries that are read for one revision."""
MAX_REVISION_DEPTH = 200
"""The depth of nested folders in a revision; systems limit paths to some 2,000 levels."""
MAX_REVISION_BYTES = 1024 * MIB
"""Total bytes of one revision's files, which are written to disk."""


def mib(size: int) -> str:
    """Return a limit in bytes in readable form."""
    for unit, name in ((1024 * MIB, "GiB"), (MIB, "MiB")):
        if size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size // 1024} KiB"
