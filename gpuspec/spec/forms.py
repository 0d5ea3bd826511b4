"""Formats of strings and numbers: patterns, their descriptions, and field types.

The patterns are in the published schema, where editors check them; messages use the descriptions.
`$` alone would accept a trailing newline, hence `END`.
"""

from typing import Annotated, NamedTuple

from msgspec import Meta

END = r"$(?!\n)"
_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"


class TextForm(NamedTuple):
    """A pattern, its description, and an example."""

    pattern: str
    what: str
    hint: str


QUANTITY = TextForm(
    r"^[+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]{1,3})?" + END,
    "a Kubernetes quantity",
    "write it as Kubernetes does: 500m, 4, 6Gi, 100G",
)
DURATION = TextForm(
    r"^(?=[0-9])([0-9]{1,9}d)?([0-9]{1,9}h)?([0-9]{1,9}m)?([0-9]{1,9}s)?" + END,
    "a duration",
    "write numbers with units, the largest first: 90s, 30m, 12h, 2d, 1h30m",
)
LABEL = TextForm(
    f"^{_LABEL}{END}",
    "a DNS label",
    "use a-z, 0-9 and '-'; begin and end with a letter or digit",
)
SUBDOMAIN = TextForm(
    rf"^{_LABEL}(\.{_LABEL})*{END}",
    "a name of a Kubernetes object",
    "use a-z, 0-9, '-' and '.'; begin and end with a letter or digit",
)
ABSOLUTE = TextForm(
    rf"^/(?!(.*/)?\.\.(/|$))[^:\x00-\x1f]*{END}",
    "an absolute path",
    "begin with '/'; no '..' and no ':'",
)
INNER = TextForm(
    rf"^(?!(.*/)?\.\.(/|$))[^/\x00-\x1f][^\x00-\x1f]*{END}",
    "a folder within the volume",
    "write it without a leading '/' and without '..'",
)
CAPABILITY = TextForm(
    f"^[0-9]{{1,2}}\\.[0-9]{END}", "a CUDA compute capability", 'write major.minor: "8.0", "9.0"'
)
MINOR = TextForm(f"^1\\.[0-9]{{2}}{END}", "a Kubernetes version", 'write major.minor: "1.36"')
VERSION = TextForm(
    rf"^v?[0-9]+(\.[0-9]+)*([-+.][0-9A-Za-z.+-]+)?{END}",
    "a version",
    'write it as "0.19" or "v0.19.1"',
)
KEY = TextForm(
    f"^[-._a-zA-Z0-9]+{END}",
    "a key of a Secret or ConfigMap",
    "use letters, digits, '-', '_' and '.'",
)
ADAPTER = TextForm(
    f"^[a-zA-Z0-9][-._a-zA-Z0-9]*{END}",
    "a name of an adapter",
    "use letters, digits, '-', '_' and '.'; begin with a letter or digit",
)
HOST = TextForm(
    rf"^[a-z0-9*]([-a-z0-9*]*[a-z0-9*])?(\.[a-z0-9*]([-a-z0-9*]*[a-z0-9*])?)+{END}",
    "the name of a host",
    "write it without scheme and port: huggingface.co, *.example.com",
)
ROUTED = TextForm(
    rf"^(\*\.)?{_LABEL}(\.{_LABEL})*{END}",
    "a host that a route is for",
    "write it without scheme and port: chat.example.com, *.example.com",
)
MODE = TextForm(
    f"^0[0-7]{{3}}{END}", "a mode of files", 'write four octal digits in quotes: "0400", "0644"'
)
SERIES_LABEL = TextForm(
    f"^[a-zA-Z_][a-zA-Z0-9_]*{END}",
    "a label of Prometheus",
    "use letters, digits and '_'; begin with a letter or '_'",
)
HTTP = TextForm(
    rf"^https?://[^\s/?#]+(/[^\s?#]*)?{END}",
    "an address",
    "write scheme, host and port: http://prometheus.monitoring.svc:9090",
)
DCGM = TextForm(
    f"^DCGM_(FI|EXP)_[A-Z0-9_]+{END}",
    "a field of DCGM",
    "write its whole name: DCGM_FI_PROF_SM_ACTIVE",
)
LATENCY = TextForm(
    f"^[1-9][0-9]{{0,5}}(ms|s){END}",
    "a latency",
    "write whole milliseconds or seconds: 50ms, 2s",
)
AMI_ALIAS = TextForm(
    rf"^(al2|al2023|bottlerocket)@[-.0-9A-Za-z]+{END}",
    "an alias of images",
    "write the family and its version: al2023@v20260805, bottlerocket@v1.62.0",
)
FORMS = {
    form.pattern: form
    for form in (
        QUANTITY,
        DURATION,
        LABEL,
        SUBDOMAIN,
        ABSOLUTE,
        INNER,
        CAPABILITY,
        MINOR,
        VERSION,
        KEY,
        ADAPTER,
        HOST,
        ROUTED,
        MODE,
        SERIES_LABEL,
        HTTP,
        DCGM,
        LATENCY,
        AMI_ALIAS,
    )
}

NonEmpty = Annotated[str, Meta(min_length=1)]
LabelName = Annotated[str, Meta(pattern=LABEL.pattern, max_length=63)]
ObjectName = Annotated[str, Meta(pattern=SUBDOMAIN.pattern, max_length=253)]
DriverName = Annotated[str, Meta(pattern=SUBDOMAIN.pattern, max_length=63)]
# An object's name that stands in a label too, such as a LocalQueue's on what waits in it.
LabelledName = Annotated[str, Meta(pattern=SUBDOMAIN.pattern, max_length=63)]
AbsolutePath = Annotated[str, Meta(pattern=ABSOLUTE.pattern, max_length=4096)]
InnerPath = Annotated[str, Meta(pattern=INNER.pattern, max_length=4096)]
DataKey = Annotated[str, Meta(pattern=KEY.pattern, max_length=253)]
AdapterName = Annotated[str, Meta(pattern=ADAPTER.pattern, max_length=63)]
RoutedHost = Annotated[str, Meta(pattern=ROUTED.pattern, max_length=253)]
HostName = Annotated[str, Meta(pattern=HOST.pattern, max_length=253)]
SeriesLabel = Annotated[str, Meta(pattern=SERIES_LABEL.pattern, max_length=253)]
HttpAddress = Annotated[str, Meta(pattern=HTTP.pattern, max_length=4096)]
DcgmField = Annotated[str, Meta(pattern=DCGM.pattern, max_length=100)]
Latency = Annotated[str, Meta(pattern=LATENCY.pattern)]
AmiAlias = Annotated[str, Meta(pattern=AMI_ALIAS.pattern, max_length=253)]
FileMode = Annotated[str, Meta(pattern=MODE.pattern)]
Capability = Annotated[str, Meta(pattern=CAPABILITY.pattern)]
MinorVersion = Annotated[str, Meta(pattern=MINOR.pattern)]
Version = Annotated[str, Meta(pattern=VERSION.pattern)]

# Kubernetes' own fields of this kind are 32-bit.
Natural = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Positive = Annotated[int, Meta(ge=1, le=2**31 - 1)]
Port = Annotated[int, Meta(ge=1, le=65535)]
# What is above belongs to Kubernetes' own classes.
PriorityValue = Annotated[int, Meta(ge=-(2**31), le=1_000_000_000)]
MOST_EXIT = 255
ExitCode = Annotated[int, Meta(ge=1, le=MOST_EXIT)]
