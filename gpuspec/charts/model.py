"""The typed form of the table of charts: where their values say parts of pods."""

from __future__ import annotations

from msgspec import Struct


class Image(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the two halves of an image are said."""

    repository: str
    tag: str


class Devices(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a number of GPUs is said by itself, which the chart writes into the resources."""

    count: str
    name: str = ""
    """Where the resource is named, which else is NVIDIA's."""
    when: str = ""
    """The switch without which it is not read."""


class Row(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One chart. Paths are from the place that holds them."""

    source: str
    at: tuple[str, ...]
    """Patterns of the places; each is one pod."""
    pod: dict[str, str] = {}
    """Fields of the pod, and where they are said."""
    container: dict[str, str] = {}
    """Fields of its container, and where they are said."""
    image: Image | None = None
    command: tuple[str, ...] = ()
    """What the template starts, where it says so."""
    operand: str = ""
    """Where the first argument is said."""
    options: dict[str, str] = {}
    """Where the values of options are said, and the options."""
    words: str = ""
    """Where further arguments are said as they are."""
    devices: Devices | None = None


class Server(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A model server that an operator starts of an object's spec. Paths are from the spec."""

    source: str
    kind: str
    """Of the object: its API group and its kind, with a slash between."""
    field: str
    """Which says the server."""
    values: tuple[str, ...]
    """What it says of this one; empty where it says nothing."""
    command: tuple[str, ...]
    """What is started, unless `otherwise` says something else; empty for what the image starts."""
    first: tuple[str, ...] = ()
    """What the operator puts in front of all arguments."""
    options: dict[str, str] = {}
    """Where the values of options are said, and the options."""
    switches: dict[str, tuple[str, ...]] = {}
    """What is true or not, and the words of what is true."""
    words: str
    """Where further arguments are said as they are."""
    otherwise: str = ""
    """Where a command is said that takes the place of `command`."""
    pod: dict[str, str] = {}
    """Fields of the pod, and where they are said."""
    container: dict[str, str] = {}
    """Fields of its container, and where they are said."""
    variables: str = ""
    """Where variables are said by name, in a mapping."""


class Closed(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A mapping of which all keys are known."""

    at: tuple[str, ...]
    """The patterns of where it is."""
    what: str
    """What any other key there is, as the middle of a sentence."""
    keys: tuple[str, ...]


class Schema(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a chart takes in some mappings of its values."""

    source: str
    mappings: tuple[Closed, ...]


PLAIN = Row(
    source="the chart that `helm create` writes",
    at=(),
    pod={field: field for field in ("nodeSelector", "tolerations", "affinity", "runtimeClassName")},
    container={field: field for field in ("resources.limits", "resources.requests")},
    image=Image(repository="image.repository", tag="image.tag"),
)
"""What most charts call the parts of a pod."""
