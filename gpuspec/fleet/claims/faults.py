"""Reasons why a pod's claims cannot be allocated on a node, or on any node."""


class Failed(Exception):
    """The scheduler gives up on the pod; with its message."""


class Invalid(Exception):
    """A pool of the node contradicts itself, and the others have too little."""


class Unjudged(Exception):
    """Allocation cannot be judged; with the reason."""


class SelectorError(Exception):
    """An expression that fails on a device, with the scheduler's message."""


class Unreadable(Exception):
    """An expression that gpuspec does not evaluate."""
