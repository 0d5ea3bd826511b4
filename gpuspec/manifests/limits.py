"""How much is read at most: far above what anybody writes, far below what a machine bears.

Each constant has its row in `docs/limits.md`, which is made from what the tests exceed.
"""

MIB = 1024 * 1024

MAX_BYTES = 64 * MIB
"""Bytes of one file or of standard input. All manifests of a large cluster are some tens of MiB."""
MAX_DUMP = 2048 * MIB
"""Bytes of what kubectl printed as JSON of live nodes and pods: hundreds of MB for large clusters."""
MAX_DOCUMENTS = 500_000
"""Documents of one text. What `MAX_BYTES` holds of real objects is half of that."""
MAX_DEPTH = 100
"""The deepest nesting that is read. A pod in a custom resource needs about twenty."""
MAX_ALIASED = 100_000
"""The most nodes that aliases may stand for in one document. An API server takes objects of up to
1.5 MiB, which is about that many; beyond it lie only bombs."""
MAX_DIGITS = 1000
"""Characters of a quantity: beyond them a number is refused anyway, and converting it takes time."""
MAX_PROBLEMS = 200
"""Problems of one document that are told: nobody mends more at a time, and each costs a look into the
text."""
MAX_NODES = 200_000
"""Nodes of a profile's pools together; Kubernetes is built for five thousand."""
MAX_FOLDERS = 200
"""How deep folders may lie in each other. Repositories of charts in charts have about twenty."""
MAX_RECORD = 16 * MIB
"""Bytes of the record of an output folder, which has a line for each file."""

MAX_TEMPLATE = 64 * 1024
"""Bytes of one template; ours have less than two thousand."""
MAX_TEMPLATE_STEPS = 1_000_000
"""Parts of templates that are gone through for one object; ours take some hundreds."""
MAX_TEMPLATE_TEXT = 8 * MIB
"""Characters that templates write for one object, each as often as it is indented anew. No API
server takes an object of more than 1.5 MiB."""

MAX_REVISION_ENTRIES = 1_000_000
"""Entries of the trees that are gone through for one revision."""
MAX_REVISION_DEPTH = 200
"""Folders within folders of a revision: paths of systems end at some 2,000."""
MAX_REVISION_BYTES = 1024 * MIB
"""Bytes of the files of one revision together, which are laid out on disk."""


def mib(size: int) -> str:
    """Return a limit in bytes as people read it."""
    for unit, name in ((1024 * MIB, "GiB"), (MIB, "MiB")):
        if size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size // 1024} KiB"
