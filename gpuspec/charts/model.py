"""The typed form of the tables of charts: where their values say parts of pods, and what they take."""

from __future__ import annotations

from msgspec import Struct

Paths = str | tuple[str, ...]
"""Where something is said; of several places the first that says it. From the place that holds the
pod, or with `/` at the front from the top of the values."""


class ImageValues(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the parts of an image are said."""

    repository: Paths
    tag: Paths = ()
    name: Paths = ()
    """Where what stands behind the last `/` is said by itself."""
    default: str = ""
    """The image without its tag where the values say none."""


class DeviceValues(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a number of GPUs is said by itself, which the chart writes into the resources."""

    count: tuple[Paths, ...]
    """Its factors."""
    least: int = 0
    """The number where none of them is said."""
    name: Paths = ()
    """Where the resource is named, which else is NVIDIA's."""
    kind: Paths = ()
    """Where a word says which of `kinds` it is."""
    kinds: dict[str, str] = {}
    when: str = ""
    """The switch without which it is not read."""
    unless: Paths = ()
    """The switch with which it is not read."""


class Start(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the template starts, where it says so."""

    command: tuple[str, ...]
    operand: str = ""
    """Where the first argument is said; empty where it has none of its own."""
    strip: str = ""
    """What the chart takes off the front of the first argument."""
    options: dict[str, str] = {}
    """Where the values of options are said, and the options."""
    words: str = ""
    """Where further arguments are said as they are."""
    when: str = ""
    """Where it is said what is started."""
    word: str = ""
    """What has to be said there for this to be it."""


class ChartPods(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Pods of a chart."""

    at: tuple[str, ...]
    """Patterns of the places; each is one pod."""
    kind: str = "Deployment"
    replicas: Paths = ()
    """Where their number is said; where it is not, and is more than one, nothing is counted."""
    unless: Paths = ()
    """The switch with which the chart makes other objects of them."""
    switch: str = "enabled"
    """What takes them out where it is false."""
    pod: dict[str, Paths] = {}
    """Fields of the pod, and where they are said."""
    containers: str = ""
    """The list of its containers, where there are several."""
    container: dict[str, Paths] = {}
    """Fields of its container, or of each, and where they are said."""
    image: ImageValues | None = None
    start: Start | None = None
    devices: DeviceValues | None = None
    secrets: dict[str, Paths] = {}
    """Variables that come of the keys of these names, and where the Secret is said."""


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
    keys: tuple[str, ...]
    what: str = "nothing that the chart reads"
    """What any other key there is, as the middle of a sentence."""
    refused: bool = False
    """Helm refuses values with any other key, by the chart's schema."""
    begun: str = ""
    """The first release in which no other key is read, where others were before."""
    since: dict[str, str] = {}
    """By key: the first release that reads it, of those that came later."""
    until: dict[str, str] = {}
    """By key: the last release that read it, of those that are gone."""


class ValueChoice(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Values of which the chart, or its program, takes some."""

    at: tuple[str, ...]
    of: tuple[str | bool, ...]
    separated: bool = False
    """Several are taken, with commas between them."""
    then: str
    """What becomes of any other, as a sentence without its beginning."""


class DependentValue(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A value that is read beside another alone."""

    at: str
    beside: tuple[str, ...]
    """Any of these is enough."""
    then: str
    """What becomes of it without, as the end of a sentence."""


class KnownChart(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One chart."""

    source: str
    releases: tuple[str, str] | None = None
    """The first and the last release that was read for `mappings`."""
    rows: tuple[ChartPods, ...] = ()
    configurations: tuple[str, ...] = ()
    """Mappings that become the data of a ConfigMap."""
    subcharts: dict[str, str] = {}
    """By the key of their values: charts that it brings along."""
    mappings: tuple[Closed, ...] = ()
    choices: tuple[ValueChoice, ...] = ()
    needed: tuple[DependentValue, ...] = ()
    large: str = ""
    """The first release that brings definitions too large for an annotation of the object as it was applied."""


PLAIN = ChartPods(
    at=(),
    pod={field: field for field in ("nodeSelector", "tolerations", "affinity", "runtimeClassName")},
    container={field: field for field in ("resources.limits", "resources.requests")},
    image=ImageValues(repository="image.repository", tag="image.tag"),
)
"""What most charts call the parts of a pod, as the chart does that `helm create` writes."""
