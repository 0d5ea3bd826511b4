"""Why nothing comes of a pod's claims on a node, or on any."""


class Failed(Exception):
    """The scheduler gives up on the pod, in its words."""


class Invalid(Exception):
    """A pool of the node contradicts itself, and the others have too little."""


class Unjudged(Exception):
    """Nothing is said here, and why."""


class SelectorError(Exception):
    """An expression that fails on a device, in the scheduler's words."""


class Unreadable(Exception):
    """An expression that is not judged here."""
