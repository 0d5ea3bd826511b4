"""Makes what the API server asks beyond its schemas, `schemas/apiserver/<version>.json`.

The tables beside them (`schemas/apiserver/*.yaml`) are written by hand from Kubernetes' own validation
(`pkg/apis/*/validation` of k8s.io/kubernetes), one entry for each type of its API:

    core.v1.Container:
      needs: [name]                            # missing, null or empty is refused
      fields:
        name: {form: dns-label}                # a form of `_FORMS`
        imagePullPolicy: {among: [Always, IfNotPresent, Never]}
        ports: {unique: [containerPort, protocol]}
      choices:
        - {of: [exec, httpGet, tcpSocket, grpc], least: 1, most: 1}
      when:
        - {field: type, is: [Recreate], needs: [], bars: [rollingUpdate], default: RollingUpdate}

A field's row may say of the map in it what a type's entry says, and that it is `like` another entry.
`kinds` lists what the metadata of objects are asked, by kind; `numbered` are kinds whose generation a
server writes itself, whatever is sent, where it asks of others that it is not negative. `unasked: true` of a field says that the
server only decodes what is in it, whatever its type is asked elsewhere.

Of a text that is empty nothing is asked unless it is needed, since it counts as none; `empty: refused`
says otherwise. `from: "1.37"` and `until: "1.35"`, of a type's part or of a field, bound the versions that
ask it: both ends are versions whose own code was read. Versions between and before those are asked
only what both refuse; `before: "1.37"` is for a row that keeps them from being asked.

`schemas/operators/` has a table of the same words for each operator, made into a file beside it: what its
webhooks, or its controllers before they make anything, ask of its kinds beside their schemas.

    python schemas/make_apiserver.py
"""

import json
from pathlib import Path
from typing import Any

from gpuspec.kubernetes import VERSIONS
from gpuspec.manifests import read
from gpuspec.validation.apiserver.reading import NEW, is_new, is_old
from gpuspec.validation.apiserver.resources import COUNTS, PAGES, SIMPLE
from gpuspec.validation.values import LABEL_VALUE, QUANTITY

FOLDER = Path(__file__).parent / "apiserver"
OPERATORS = Path(__file__).parent / "operators"

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SHORT_LABEL = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
_SUBDOMAIN = f"{_LABEL}(\\.{_LABEL})*"
_PREFIX = f"({_LABEL}\\.)*[a-z0-9][-a-z0-9]*"
_NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_SHORT = "[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
_KEY = f"({_SUBDOMAIN}/)?{_SHORT}"
_DOMAIN = _SUBDOMAIN.replace("a-z", "A-Za-z")
_ANY_CASE_KEY = f"({_DOMAIN}/)?{_SHORT}"
_ENTRY = f"labels\\['{_KEY}'\\]|annotations\\['{_ANY_CASE_KEY}'\\]"
_AMOUNT = "[0-9]*\\.?[0-9]*([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?"
# One step of a path that is not ".."; the first one of a path that is not absolute.
_STEP = "([^/.][^/]*|\\.([^/.][^/]*)?|\\.\\.[^/]+)"
_FIRST = "([^/.][^/]*|\\.([^/.][^/]*)?)"
_SIMPLE = "|".join(SIMPLE)
_PAGES = f"{PAGES}[-A-Za-z0-9_.]{{0,52}}[A-Za-z0-9]"
_COUNTED = "|".join(COUNTS).replace(".", "\\.")
_QUOTA = f"((requests|limits)\\.)?({_SIMPLE})|requests\\.storage|(requests\\.)?{_PAGES}|{_COUNTED}"
_IDENTIFIER = "[A-Za-z_][A-Za-z0-9_]{0,31}"
_NUMBER = "(0|[1-9][0-9]*)"
_EARLY = "(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_DATE = "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
_CLOCK = "([01]?[0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
_ZONE = "(Z|[+-][0-9]{2}:[0-9]{2})"
_FORMS: dict[str, dict[str, Any]] = {
    "absolute-path": {"pattern": "^/", "noun": "a path that begins with /"},
    "amount-of-container": {
        "pattern": f"^(limits|requests)\\.({_SIMPLE}|{PAGES}.*)$",
        "noun": 'an amount, such as "limits.memory" or "requests.cpu"',
    },
    "any-case-domain-key": {
        "pattern": f"^{_DOMAIN}/{_SHORT}$",
        "maxLength": 317,
        "noun": 'a key with a domain, such as "example.com/name"',
    },
    "any-case-key": {
        "pattern": f"^{_ANY_CASE_KEY}$",
        "maxLength": 317,
        "noun": 'a key, such as "example.com/name"',
    },
    "api-version": {
        "pattern": f"^({_SUBDOMAIN}/)?[a-z]([-a-z0-9]{{0,61}}[a-z0-9])?$",
        "noun": 'a version, such as "v1" or "apps/v1"',
    },
    "attribute": {
        "pattern": f"^({_DOMAIN}/)?{_IDENTIFIER}$|^[^/]*/[^/]*/",
        "noun": 'a name such as "model" or "gpu.example.com/model"',
    },
    "caseless-name": {
        "pattern": f"^({_DOMAIN}/)?{_SHORT}$",
        "noun": 'a name, such as "example.com/name"',
    },
    "config-key": {
        "pattern": "^\\.?[-_a-zA-Z0-9][-._a-zA-Z0-9]*$",
        "maxLength": 253,
        "noun": 'letters, digits, "-", "_" and "."',
    },
    "container-resource": {
        "pattern": f"^({_SUBDOMAIN}/{_SHORT}|{_SIMPLE}|{_PAGES})$",
        "noun": 'a resource of containers, such as "cpu" or "nvidia.com/gpu"',
    },
    "descending-path": {
        "pattern": f"^({_STEP}(/{_STEP}?)*)?$",
        "noun": 'a path inside the volume: no "/" in front, and no ".." in it',
    },
    "dns-1035-label": {
        "pattern": "^[a-z]([-a-z0-9]*[a-z0-9])?$",
        "maxLength": 63,
        "noun": 'a name of lower-case letters, digits and "-" that begins with a letter',
    },
    "dns-label": {
        "pattern": f"^{_LABEL}$",
        "maxLength": 63,
        "noun": 'a name of lower-case letters, digits and "-"',
    },
    "dns-label-or-all": {
        "pattern": f"^({_LABEL}|\\*)$",
        "maxLength": 63,
        "noun": 'a name of lower-case letters, digits and "-", or "*" for all',
    },
    "dns-subdomain": {
        "pattern": f"^{_SUBDOMAIN}$",
        "maxLength": 253,
        "noun": 'a name of lower-case letters, digits, "-" and "."',
    },
    "dns-subdomain-or-all": {
        "pattern": f"^({_SUBDOMAIN}|\\*)$",
        "maxLength": 253,
        "noun": 'a name of lower-case letters, digits, "-" and ".", or "*" for all',
    },
    "domain-path": {
        "pattern": f"^{_SUBDOMAIN}/[-A-Za-z0-9/._~%!$&'()*+,;=:]+$",
        "maxLength": 63,
        "noun": 'a name such as "example.com/name"',
    },
    "driver": {
        "pattern": "^[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?(\\.[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?)*$",
        "maxLength": 63,
        "noun": 'a driver\'s name, such as "efs.csi.aws.com"',
    },
    "field-of-metadata": {
        "pattern": f"^metadata\\.(name|namespace|uid|labels|annotations|{_ENTRY})$",
        "noun": 'a field of the pod\'s metadata, such as "metadata.labels"',
    },
    "field-of-pod": {
        "pattern": f"^(metadata\\.(name|namespace|uid|{_ENTRY})|spec\\.(nodeName|host"
        "|serviceAccountName)|status\\.(hostIPs?|podIPs?))$",
        "noun": 'a field of the pod, such as "metadata.name", "spec.nodeName" or "status.podIP"',
    },
    "file-path": {
        "pattern": f"^({_FIRST}(/{_STEP}?)*)?$",
        "noun": 'a path inside the volume: no "/" and no ".." in front, and no ".." in it',
    },
    "finalizer": {
        "pattern": f"^({_SUBDOMAIN}/{_SHORT}|kubernetes|orphan|foregroundDeletion)$",
        "maxLength": 317,
        "noun": 'a key with a domain, such as "example.com/name"',
    },
    "full-attribute": {
        "pattern": f"^{_DOMAIN}/{_IDENTIFIER}$|^[^/]*/[^/]*/",
        "noun": 'a name with a domain, such as "gpu.example.com/model"',
    },
    "full-lower-attribute": {
        "pattern": f"^{_SUBDOMAIN}/{_IDENTIFIER}$|^[^/]*/[^/]*/",
        "noun": 'a name with a domain of lower-case letters, such as "gpu.example.com/model"',
    },
    "full-name": {
        "pattern": f"^{_LABEL}\\.{_LABEL}\\.{_SUBDOMAIN}$",
        "maxLength": 253,
        "noun": 'a name of three parts or more, such as "check.example.com"',
    },
    "header-name": {
        "pattern": "^[-A-Za-z0-9]+$",
        "noun": 'the name of a header: letters, digits and "-"',
    },
    "host": {
        "pattern": f"^(\\*\\.)?{_SUBDOMAIN}$",
        "maxLength": 253,
        "noun": 'a name of a host, such as "chat.example.com" or "*.example.com"',
    },
    "identifier": {"pattern": "^[A-Za-z_][A-Za-z0-9_]*$", "noun": 'letters, digits and "_"'},
    "iscsi-name": {
        "pattern": "^(iqn(.*iqn)?\\.[0-9]{4}-[0-9]{2}\\.[A-Za-z0-9.-]+:[^,;*&$|\\s]+"
        "|eui.[A-Za-z0-9]{16}|naa.[A-Za-z0-9]{32})$",
        "noun": 'a name such as "iqn.2026-05.com.example:disk1"',
    },
    "kind": {
        "pattern": "^[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?$",
        "maxLength": 63,
        "noun": 'a kind, such as "ConfigMap"',
    },
    "label-value": {"pattern": f"^({_NAME})?$", "maxLength": 63, "noun": LABEL_VALUE},
    "limit-type": {
        "pattern": f"^({_SUBDOMAIN}/{_SHORT}|Container|Pod|PersistentVolumeClaim)$",
        "noun": "`Container`, `Pod` or `PersistentVolumeClaim`",
    },
    "micro-time": {
        "pattern": f"^{_DATE}T{_CLOCK}\\.[0-9]{{6}}{_ZONE}$",
        "noun": 'a time with six decimals, such as "2026-05-04T03:02:01.000000Z"',
    },
    "nonnegative-quantity": {
        "pattern": f"^ *\\+?{_AMOUNT} *$",
        "noun": 'a quantity that is not negative, such as "500m" or "16Gi"',
    },
    "one-line": {
        "pattern": "^\\s*[^\\s\\r\\n]([^\\r\\n]*[^\\s\\r\\n])?\\s*$",
        "noun": "text on one line",
    },
    "path-segment": {
        "pattern": "^([^/%.]|\\.[^/%.]|\\.\\.[^/%])[^/%]*$",
        "noun": 'a name without "/" and "%"',
    },
    "path-without-steps-up": {
        "pattern": f"^{_STEP}?(/{_STEP}?)*$",
        "noun": 'a path without ".." in it',
    },
    "percent": {"pattern": "^[0-9]+%$", "noun": 'a number, or a share such as "25%"'},
    "percent-above-none": {
        "pattern": "^0*(100|[1-9][0-9]?)%$",
        "noun": "a number above 0, or a share from 1% to 100%",
    },
    "percent-of-all": {
        "pattern": "^0*(100|[0-9]{1,2})%$",
        "noun": 'a number, or a share up to 100%, such as "25%"',
    },
    "pool-name": {
        "pattern": f"^{_SUBDOMAIN}(/{_SUBDOMAIN})*$",
        "maxLength": 253,
        "noun": 'a name of lower-case letters, digits, "-" and ".", or several with "/" between',
    },
    "port-name": {
        "pattern": "^([0-9]+-)*[0-9]*[a-z][a-z0-9]*(-[a-z0-9]+)*$",
        "maxLength": 15,
        "noun": 'a port\'s name: lower-case letters, digits and single "-", a letter among them',
    },
    "prefix-of-dns-1035-label": {
        "pattern": "^([a-z][-a-z0-9]*)?$",
        "maxLength": 63,
        "noun": 'the beginning of a name of lower-case letters, digits and "-", a letter first',
    },
    "prefix-of-dns-label": {
        "pattern": "^([a-z0-9][-a-z0-9]*)?$",
        "maxLength": 63,
        "noun": 'the beginning of a name of lower-case letters, digits and "-"',
    },
    "prefix-of-dns-subdomain": {
        "pattern": f"^({_PREFIX})?$",
        "maxLength": 253,
        "noun": 'the beginning of a name of lower-case letters, digits, "-" and "."',
    },
    "qualified-name": {
        "pattern": f"^{_KEY}$",
        "maxLength": 317,
        "noun": 'a key, such as "example.com/name"',
    },
    "quantity": {
        "pattern": f"^ *[+-]?{_AMOUNT} *$",
        "minLength": 1,
        "noun": QUANTITY,
    },
    "quota-resource": {
        "pattern": f"^({_SUBDOMAIN}/{_SHORT}|{_QUOTA})$",
        "noun": 'a resource of quotas, such as "requests.nvidia.com/gpu" or "pods"',
    },
    "search-domain": {
        "pattern": "^(\\.|_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*\\.?)$",
        "maxLength": 254,
        "noun": 'a domain of lower-case letters, digits, "_", "-" and "."',
    },
    "semantic-version": {
        "pattern": f"^{_NUMBER}\\.{_NUMBER}\\.{_NUMBER}(-{_EARLY}(\\.{_EARLY})*)?"
        "(\\+[0-9A-Za-z-]+(\\.[0-9A-Za-z-]+)*)?$",
        "maxLength": 64,
        "noun": 'a version such as "1.2.3"',
    },
    "signer": {
        "pattern": f"^{_SHORT_LABEL}(\\.{_SHORT_LABEL})+/{_SUBDOMAIN}$",
        "maxLength": 571,
        "noun": 'a domain and a name, such as "example.com/signer"',
    },
    "sysctl": {
        "pattern": "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$",
        "maxLength": 253,
        "noun": 'the name of a kernel parameter, such as "net.core.somaxconn"',
    },
    "time": {
        "pattern": f"^{_DATE}T{_CLOCK}([.,][0-9]+)?{_ZONE}$",
        "noun": 'a time, such as "2026-05-04T03:02:01Z"',
    },
    "trust-bundle": {
        "pattern": f"^([^:]+:)*{_SUBDOMAIN}$",
        "noun": 'the name of a trust bundle, such as "example.com:signer:roots"',
    },
    "url-path": {
        "pattern": "^[/*]$|^(/[^/ *]+)+/?$|^(/[^/ *]+)*/\\*$",
        "noun": 'a path such as "/healthz" or "/metrics/*"',
    },
    "variable-name": {
        "pattern": "^[ -<>-~]+$",
        "noun": 'the name of a variable: printable ASCII letters, and no "="',
    },
    "webhook-path": {
        "pattern": f"^/$|^(/{_SUBDOMAIN})+/?$",
        "noun": 'a path such as "/validate"',
    },
}
_BOUNDS = {"min": "minimum", "max": "maximum", "shortest": "minLength", "longest": "maxLength"}
_SIZES = {"least": ("minItems", "minProperties"), "most": ("maxItems", "maxProperties")}
_OF_VERSIONS = {"from", "until", "before"}
_PARTS = {"needs", "fields", "choices", "when", "like", "empty"} | _OF_VERSIONS


def main() -> None:
    """Write the file of every version, and of every operator."""
    for version in VERSIONS:
        file(version).write_text(text(version), encoding="utf-8")
    for path in sorted(OPERATORS.glob("*.yaml")):
        path.with_suffix(".json").write_text(of_operator(path), encoding="utf-8")


def file(version: str) -> Path:
    """Where a version's file lies."""
    return FOLDER / f"{version}.json"


def text(version: str) -> str:
    """The text of a version's file: one kind, and one type, on a line."""
    return _made(sorted(FOLDER.glob("*.yaml")), version)


def of_operator(path: Path) -> str:
    """The text of an operator's file, made from its table and from that of selectors."""
    return _made([FOLDER / "machinery.yaml", path], VERSIONS[-1])


def _made(tables: list[Path], version: str) -> str:
    types: dict[str, Any] = {}
    kinds: dict[str, Any] = {}
    for path in tables:
        (document,) = read(path.read_bytes(), str(path))
        numbered = document.value.pop("numbered", ())
        for row in document.value.pop("kinds", ()):
            if _holds(row, version):
                for field, wide in (("of", False), ("wide", True)):
                    for kind in row.get(field, ()):
                        given = {} if kind in numbered else {"generation": {"min": 0}}
                        kinds[kind] = _object({**row, **given}, path.name, wide=wide)
        for name, entry in document.value.items():
            full = _full(name)
            if full in types:
                raise SystemExit(f"{path}: {name} stands there twice")
            where = f"{path.name}: {name}"
            itself = _row(entry.pop("itself", {}), version, where, empty=False)
            types[full] = {**itself, **_row(entry, version, where, empty=False)}
    return f'{{\n"kinds":{{\n{_lines(kinds)}\n}},\n"$defs":{{\n{_lines(types)}\n}}}}\n'


def _full(name: str) -> str:
    if name.startswith(("meta.", "api.", "util.")):
        room = {"meta": "apis.meta", "api": "api", "util": "util"}[name.partition(".")[0]]
        return f"io.k8s.apimachinery.pkg.{room}.{name.partition('.')[2]}"
    return f"io.k8s.api.{name}"


def _object(row: dict[str, Any], where: str, *, wide: bool) -> dict[str, Any]:
    """What the metadata of a kind's objects are asked; `wide`: they are in no namespace."""
    asked: dict[str, Any] = {"like": _full("metadata.object"), "properties": {}}
    for name in ("name", "generateName", "finalizers", "generation"):
        if name in row:
            asked["properties"][name] = _row(row[name], NEW, f"{where}: {name}", empty=True)
    if not wide:
        asked["properties"]["namespace"] = _row({"form": "dns-label"}, NEW, where, empty=True)
    if row.get("nameless"):
        return {"properties": {"metadata": asked}}
    asked["choices"] = [{"of": ["name", "generateName"], "least": 1}]
    return {"needs": ["metadata"], "properties": {"metadata": asked}}


def _row(row: dict[str, Any], version: str, where: str, *, empty: bool) -> dict[str, Any]:
    """A row as keywords; `empty`: an empty text counts as none."""
    made = _limits(row, version, where, empty=empty)
    needs = [
        name
        for each in row.get("needs", ())
        for name in (
            [each] if isinstance(each, str) else each["fields"] if _holds(each, version) else ()
        )
    ]
    if needs:
        made["needs"] = needs
    if "like" in row:
        made["like"] = _full(row["like"])
    fields = {}
    for name, field in row.get("fields", {}).items():
        rows = [
            each
            for each in (field if isinstance(field, list) else [field])
            if _holds(each, version)
        ]
        if len(rows) > 1:
            raise SystemExit(f"{where}.{name}: two rows hold for {version}")
        if rows:
            fields[name] = _row(rows[0], version, f"{where}.{name}", empty=name not in needs)
    if fields:
        made["properties"] = fields
    for part in ("choices", "when"):
        if rows := [_bare(each) for each in row.get(part, ()) if _holds(each, version)]:
            made[part] = rows
    return made


def _holds(row: dict[str, Any], version: str) -> bool:
    """Whether a row is asked by a version."""
    return not (
        ("from" in row and not is_new(version))
        or ("until" in row and not is_old(version))
        or ("before" in row and is_new(version))
    )


def _bare(row: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key not in _OF_VERSIONS}


def _limits(row: dict[str, Any], version: str, where: str, *, empty: bool) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for word, value in row.items():
        if word == "form":
            made |= _FORMS[value]
        elif word == "among":
            made["among"] = list(value)
        elif word in _BOUNDS:
            made[_BOUNDS[word]] = value
        elif word in _SIZES:
            made |= dict.fromkeys(_SIZES[word], value)
        elif word == "unique":
            made["uniqueBy"] = value if isinstance(value, dict) else dict.fromkeys(value)
        elif word == "differ":
            made["uniqueItems"] = True
        elif word in ("items", "values", "keys"):
            made[word] = _row(value, version, f"{where}.{word}", empty=False)
        elif word in ("pattern", "noun", "hint", "unasked"):
            made[word] = value
        elif word not in _PARTS:
            raise SystemExit(f"{where}: no such word: {word}")
    if empty and row.get("empty") != "refused":
        if "pattern" in made:
            made["pattern"] = f"^$|{made['pattern']}"
        if "among" in made and "" not in made["among"]:
            made["among"] = [*made["among"], ""]
    return made


def _lines(entries: dict[str, Any]) -> str:
    return ",\n".join(f"{_json(name)}:{_json(entries[name])}" for name in sorted(entries))


def _json(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


if __name__ == "__main__":
    main()
