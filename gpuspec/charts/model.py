"""The typed form of the tables of charts: the places of parts of pods in the values, and their
valid values.
"""

from __future__ import annotations

from msgspec import Struct

Paths = str | tuple[str, ...]
"""The place of a value; of several places the first that is set counts. Relative to the place of
the pod, or with `/` at the front to the top of the values.
"""


class ImageValues(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The places of an image's parts."""

    repository: Paths
    tag: Paths = ()
    name: Paths = ()
    """The place of the part after the last `/`, if it is set separately."""
    default: str = ""
    """The default image, without its tag."""


class DeviceValues(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The place of a number of GPUs that the chart writes into the resources."""

    count: tuple[Paths, ...]
    """Its factors."""
    least: int = 0
    """The default number."""
    name: Paths = ()
    """The place of the resource's name; NVIDIA's by default."""
    kind: Paths = ()
    """The place of a word that is one of `kinds`."""
    kinds: dict[str, str] = {}
    when: str = ""
    """The switch that must be on."""
    unless: Paths = ()
    """The switch that must be off."""
    rounded: bool = False
    """Whether the template asks for none if the number, rounded down, is 0."""


class Start(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The command that the template starts, and its arguments."""

    command: tuple[str, ...] = ()
    """Empty for the image's own."""
    option: str = ""
    """The option whose value is the first argument."""
    operand: str = ""
    """The place of the first argument; empty if the template has none of its own."""
    strip: str = ""
    """The prefix that the chart removes from the first argument."""
    options: dict[str, str] = {}
    """The places of the values of options, with the options."""
    pod_options: dict[str, str] = {}
    """Options whose values have places relative to the place of the pod, not of the container."""
    words: str = ""
    """The place of further arguments."""
    when: str = ""
    """The place of the choice of what is started."""
    word: str = ""
    """The value there for this command."""


class ChartPods(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Pods of a chart."""

    at: tuple[str, ...]
    """Patterns of the places; each is one pod."""
    kind: str = "Deployment"
    replicas: Paths = ()
    """The place of their number; without a place, a number above one is not counted."""
    unless: Paths = ()
    """The switch with which the chart makes other kinds of objects."""
    switch: str = "enabled"
    """The switch that removes them if it is false."""
    pod: dict[str, Paths] = {}
    """Fields of the pod, with their places."""
    containers: str = ""
    """The list of its containers, if there are several."""
    container: dict[str, Paths] = {}
    """Fields of its container, or of each, with their places."""
    image: ImageValues | None = None
    starts: tuple[Start, ...] = ()
    """The first of them that a value chooses is started."""
    devices: DeviceValues | None = None
    secrets: dict[str, Paths] = {}
    """Variables from keys of these names, with the place of the Secret."""


class Server(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A model server that an operator starts from an object's spec. Paths are from the spec."""

    source: str
    kind: str
    """The object's API group and kind, with a slash between them."""
    field: str
    """The place of the server's name."""
    values: tuple[str, ...]
    """The name of this server; empty for the default."""
    command: tuple[str, ...]
    """The command, unless `otherwise` sets another; empty for the image's own."""
    first: tuple[str, ...] = ()
    """The operator's own first arguments."""
    options: dict[str, str] = {}
    """The places of the values of options, with the options."""
    switches: dict[str, tuple[str, ...]] = {}
    """The places of booleans, with the arguments for true."""
    words: str
    """The place of further arguments."""
    otherwise: str = ""
    """The place of a command that replaces `command`."""
    pod: dict[str, str] = {}
    """Fields of the pod, with their places."""
    container: dict[str, str] = {}
    """Fields of its container, with their places."""
    variables: str = ""
    """The place of a mapping of variables."""


class ReadReleases(Struct, frozen=True):
    """The releases of a chart whose templates were evaluated."""

    first: str
    last: str
    gap: tuple[str, str] | None = None
    """Two of them without a release between, since the numbers began anew: those of one that comes
    later are in between."""


class ClosedMapping(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A mapping whose keys are all known."""

    at: tuple[str, ...]
    """The patterns of its places."""
    keys: tuple[str, ...]
    what: str = "unknown"
    """The description of any other key, as the middle of a sentence."""
    then: str = ""
    """The consequence of any other key, as the end of a sentence, if it is known."""
    refused: bool = False
    """Whether Helm refuses values with any other key, by the chart's schema."""
    begun: str = ""
    """The first release that reads no other key, if older ones did."""
    since: dict[str, str] = {}
    """By key: the first release that reads it, if it is newer."""
    until: dict[str, str] = {}
    """By key: the last release that read it, if it was removed."""
    span: ReadReleases | None = None
    """The releases whose templates were evaluated: there, no other key has an effect. None for a
    mapping that was written down by hand."""
    refuses: str = ""
    """The first of these releases whose schema forbids other keys."""
    texts: tuple[str, ...] = ()
    """The keys whose values the templates print as they are."""
    loose: bool = False
    """Whether the templates accept a value of another type in its place."""


class Need(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Values that are read only if some others are set, which are empty by default."""

    at: tuple[str, ...]
    others: tuple[str, ...]
    any: bool = False
    """Whether one of the others is enough."""
    then: str = ""
    """The consequence without the others, as the end of a sentence, if it is known."""
    span: ReadReleases | None = None
    """The releases of which this is known. None: written down by hand, for all."""


class ValueChoice(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A value that the chart, or its program, restricts to a list."""

    at: tuple[str, ...]
    of: tuple[str | bool, ...]
    separated: bool = False
    """Whether several are allowed, separated by commas."""
    then: str
    """The consequence of any other value, as a predicate."""


class KnownChart(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One chart."""

    source: str
    releases: tuple[str, str] | None = None
    """The first and the last release that was read for `mappings`."""
    rows: tuple[ChartPods, ...] = ()
    configurations: tuple[str, ...] = ()
    """Mappings that become the data of a ConfigMap."""
    subcharts: dict[str, str] = {}
    """By the key of their values: dependencies of the chart."""
    mappings: tuple[ClosedMapping, ...] = ()
    choices: tuple[ValueChoice, ...] = ()
    needs: tuple[Need, ...] = ()
    large: str = ""
    """The first release whose definitions are too large for the annotation of the last applied
    object.
    """


PLAIN = ChartPods(
    at=(),
    pod={field: field for field in ("nodeSelector", "tolerations", "affinity", "runtimeClassName")},
    container={field: field for field in ("resources.limits", "resources.requests")},
    image=ImageValues(repository="image.repository", tag="image.tag"),
)
"""The names that most charts use for the parts of a pod, as in the chart of `helm create`."""
