"""The versions of Kubernetes that objects are made for and held to, and what it has words for.

`schemas/make_kubernetes.py` makes the schemas of each; whatever else names them takes them from here.
"""

VERSIONS = ("1.33", "1.34", "1.35", "1.36", "1.37")
"""Oldest first."""

BASELINE_CAPABILITIES = frozenset(
    {
        "AUDIT_WRITE",
        "CHOWN",
        "DAC_OVERRIDE",
        "FOWNER",
        "FSETID",
        "KILL",
        "MKNOD",
        "NET_BIND_SERVICE",
        "SETFCAP",
        "SETGID",
        "SETPCAP",
        "SETUID",
        "SYS_CHROOT",
    }
)
"""What Pod Security `baseline` lets a container add; `restricted` the next one alone."""
RESTRICTED_CAPABILITY = "NET_BIND_SERVICE"
