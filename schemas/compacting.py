"""CustomResourceDefinitions' schemas, made compact and closed.

A compact schema is closed the way an API server's strict field validation closes it: a field that
the server would prune is refused. What decides a verdict is kept, in plain JSON Schema where that
has a word for it:

- integer-or-string and nullable become lists of types; `int32` becomes bounds, and `date-time` a
  pattern; `required` leaves out what has a default, because the server fills that in first;
- a list of type `set` has `uniqueItems`; one of type `map` has `uniqueBy`, our own word: its keys,
  each with the key's default, or null;
- `rules` are those in CEL that a new object is held to (`x-kubernetes-validations`); for them alone, defaults
  and the format `date-time` are kept too, where a rule can see them;
- an explicit null is dropped by the server before it validates, unless the field is nullable. That
  is not written into the schemas: their reader does the same.

Rules about what an object was before, `oneOf`, `allOf` of choices, and formats of addresses are left out,
and counted, so that we can say what is not checked.

What occurs twice is written once. The sources consist mostly of pod templates, each project's from
the Kubernetes version that it was built with; so they cost little, and stay exactly what a server
with that definition accepts, which is not what its own Kubernetes version accepts in a Pod.
"""

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

from gpuspec.cel.names import names
from gpuspec.cel.syntax import parse

HERE = Path(__file__).parent
DIALECT = "https://json-schema.org/draft/2020-12/schema"

# RFC 3339, as the server checks it; upper and lower case alike.
DATE_TIME = (
    r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt]"
    r"([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$"
)
_INT32 = {"minimum": -(2**31), "maximum": 2**31 - 1}
_INT_OR_STRING = [{"type": "integer"}, {"type": "string"}]
# As Go decodes it: line breaks mean nothing.
_BASE64 = r"^(([A-Za-z0-9+/][\r\n]*){4})*(([A-Za-z0-9+/][\r\n]*){2}=[\r\n]*=|([A-Za-z0-9+/][\r\n]*){3}=)?[\r\n]*$"
# What controller-gen says of every quantity; a field's own pattern stands beside it in `allOf`.
_QUANTITY = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
    r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)

# Kept as they are.
_LIMITS = frozenset({"enum", "minimum", "maximum", "minLength", "maxLength", "pattern"})
_LIMITS |= {"minItems", "maxItems", "minProperties", "maxProperties"}
# Read by `Compactor.schema` and written in other words.
_READ = frozenset({"type", "properties", "items", "additionalProperties", "required", "format"})
_READ |= {"nullable", "default", "anyOf", "allOf", "oneOf", "x-kubernetes-validations"}
_READ |= {f"x-kubernetes-{name}" for name in ("int-or-string", "preserve-unknown-fields")}
_READ |= {f"x-kubernetes-{name}" for name in ("embedded-resource", "list-type", "list-map-keys")}
# How objects are merged decides nothing about one object.
_DROPPED = frozenset({"description", "title", "example", "externalDocs", "x-kubernetes-map-type"})

_RULE = frozenset({"rule", "message", "messageExpression", "fieldPath"})
"""What is kept of a rule."""

_WORTH_A_NAME = 60
"""The length of a schema's text from which on a reference is shorter."""

Schema = dict[str, Any]


class Compactor:
    """Compact schemas that share what they have in common.

    A schema is held by its number, and its children's numbers stand in it; equal ones get the same
    number, so that a second pass can write what is used twice once.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._schemas: list[Schema] = []
        self._uses: Counter[int] = Counter()
        self._unchecked: Counter[str] = Counter()
        self._rules = 0
        self._embedded: list[str] = []
        self._names: dict[int, str] = {}
        self._definitions: dict[str, Schema] = {}

    def root(self, schema: Schema) -> tuple[int, Schema]:
        """The number of a kind's schema, and what the index has to say about it."""
        if schema["properties"].get("metadata", {"type": "object"}) != {"type": "object"}:
            raise SystemExit("a CRD restricts metadata: decide what that means")
        self._unchecked.clear()
        self._embedded.clear()
        self._rules = 0
        number = self.schema(schema, "")
        about: Schema = {"unchecked": dict(self._unchecked)} if self._unchecked else {}
        if self._rules:
            about["rules"] = self._rules
        if self._embedded:
            about["objects"] = list(self._embedded)
        compact = dict(self._schemas[number])
        own = {name: self._number({"type": "string"}) for name in ("apiVersion", "kind")}
        compact["properties"] = {**compact["properties"], **own, "metadata": self._metadata()}
        return self._number(compact), about

    def schema(self, source: Schema, path: str, *, is_seen: bool = False) -> int:
        """The number of a CRD's schema.

        `path` is where it is, for what embeds an object; `is_seen`, whether a rule above sees it.
        """
        if strange := source.keys() - _LIMITS - _READ - _DROPPED:
            raise SystemExit(f"a CRD has a new keyword, {strange}: decide what it means")
        compact = {keyword: source[keyword] for keyword in _LIMITS & source.keys()}
        types = ["integer", "string"] if "x-kubernetes-int-or-string" in source else []
        types += [source["type"]] if "type" in source else []
        types += ["null"] if source.get("nullable") else []
        if types:
            compact["type"] = types if len(types) > 1 else types[0]
        self._format(source, compact)
        self._alternatives(source)
        if "allOf" in source:
            compact |= self._narrowed(source["allOf"])
        if rules := self._asked(source):
            compact["rules"] = rules
            is_seen = True
        if "default" in source and (is_seen or _has_rules(source)):
            compact["default"] = source["default"]
        if is_seen and source.get("format") == "date-time":
            compact["format"] = "date-time"
        properties = source.get("properties", {})
        if "properties" in source:
            compact["properties"] = {
                name: self.schema(child, f"{path}.{name}".strip("."), is_seen=is_seen)
                for name, child in properties.items()
            }
        defaulted = {name for name, child in properties.items() if "default" in child}
        if required := sorted(set(source.get("required", ())) - defaulted):
            compact["required"] = required
        if "items" in source:
            compact["items"] = self.schema(source["items"], f"{path}.*", is_seen=is_seen)
            self._unique(source, compact)
        if "additionalProperties" in source:
            compact["additionalProperties"] = self.schema(
                source["additionalProperties"], f"{path}.*", is_seen=is_seen
            )
        elif "object" in types and not source.get("x-kubernetes-preserve-unknown-fields"):
            compact["additionalProperties"] = False
        if source.get("x-kubernetes-embedded-resource"):
            self._embedded.append(path)
        return self._number(compact)

    def _format(self, source: Schema, compact: Schema) -> None:
        match source.get("format"):
            case "int32":
                compact["minimum"] = max(compact.get("minimum", -(2**31)), _INT32["minimum"])
                compact["maximum"] = min(compact.get("maximum", 2**31), _INT32["maximum"])
            case "date-time" if "pattern" not in source:
                compact["pattern"] = DATE_TIME
            case "byte" if "pattern" not in source:
                compact["pattern"] = _BASE64
            case "uri":
                self._unchecked["formats"] += 1
            case "int64" | None:
                pass
            case other:
                raise SystemExit(f"a CRD has a new format, {other}: decide what it means")
        if pattern := compact.get("pattern"):
            # RE2 takes a flag behind the anchor; other dialects want it in front.
            compact["pattern"] = pattern.replace("^(?i)", "(?i)^")
            re.compile(compact["pattern"])

    def _alternatives(self, source: Schema) -> None:
        self._unchecked["alternatives"] += len(source.get("oneOf", ()))
        self._unchecked += Counter()  # without those that are zero
        if (source.get("anyOf") or _INT_OR_STRING) != _INT_OR_STRING:
            raise SystemExit(f"a CRD has an anyOf of a new form: {source['anyOf']}")

    def _narrowed(self, parts: list[Schema]) -> Schema:
        """What several limits of one field come to: said twice, or a quantity of its own form."""
        if all({"anyOf", "not"} & each.keys() for each in parts):
            self._unchecked["alternatives"] += len(parts)
            return {}
        told = [each for each in parts if each != {"pattern": _QUANTITY}]
        first = (told or parts)[0]
        if any(each != first for each in told) or first.keys() - _LIMITS:
            raise SystemExit(f"a CRD has an allOf of a new form: {parts}")
        return first

    def _asked(self, source: Schema) -> list[dict[str, str]]:
        """The rules that are asked of a new object."""
        found = []
        for rule in source.get("x-kubernetes-validations", ()):
            if strange := rule.keys() - _RULE - {"reason", "optionalOldSelf"}:
                raise SystemExit(f"a rule has a new keyword, {strange}: decide what it means")
            if "oldSelf" in names(parse(rule["rule"])) and not rule.get("optionalOldSelf"):
                self._unchecked["transitions"] += 1
                continue
            self._rules += 1
            found.append({word: rule[word] for word in sorted(_RULE & rule.keys())})
            if path := rule.get("fieldPath"):
                found[-1]["fieldPath"] = path.removeprefix(".").replace("'", '"')
        return found

    def _unique(self, source: Schema, compact: Schema) -> None:
        if source.get("x-kubernetes-list-type") == "set":
            compact["uniqueItems"] = True
        elif source.get("x-kubernetes-list-type") == "map":
            fields = source["items"]["properties"]
            keys = source["x-kubernetes-list-map-keys"]
            compact["uniqueBy"] = {key: fields[key].get("default") for key in keys}

    def _metadata(self) -> int:
        """An object's metadata, as the newest Kubernetes bundle has it."""
        definitions = _kubernetes()

        def number(schema: Schema) -> int:
            if "$ref" in schema:
                return number(definitions[schema["$ref"].removeprefix("#/$defs/")])
            compact = {word: value for word, value in schema.items() if word != "format"}
            for word in compact.keys() & {"items", "additionalProperties"}:
                if isinstance(compact[word], dict):
                    compact[word] = number(compact[word])
            if "properties" in compact:
                fields = compact["properties"].items()
                compact["properties"] = {name: number(child) for name, child in fields}
            return self._number(compact)

        return number(definitions["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"])

    def _number(self, compact: Schema) -> int:
        key = as_json(compact)
        if key not in self._numbers:
            self._numbers[key] = len(self._schemas)
            self._schemas.append(compact)
        return self._numbers[key]

    def _children(self, compact: Schema) -> list[int]:
        others = [compact[word] for word in ("items", "additionalProperties") if word in compact]
        return [*compact.get("properties", {}).values(), *(n for n in others if n is not False)]

    def written(self, roots: dict[str, int]) -> tuple[Schema, Schema]:
        """The schemas of kinds, and the definitions that they refer to."""
        todo, seen = list(roots.values()), set[int]()
        while todo:
            number = todo.pop()
            self._uses[number] += 1
            if number not in seen:
                seen.add(number)
                todo += self._children(self._schemas[number])
        kinds = {name: self._body(number, "") for name, number in sorted(roots.items())}
        return kinds, self._definitions

    def _written(self, number: int, name: str) -> Schema:
        """A schema to stand in a field or list of this name."""
        if number not in self._names:
            body = self._body(number, name)
            if self._uses[number] < 2 or len(as_json(body)) < _WORTH_A_NAME:
                return body
            free = name
            while free in self._definitions:
                stem, _, count = free.partition("-")
                free = f"{stem}-{int(count or 1) + 1}"
            self._names[number] = free
            self._definitions[free] = body
        return {"$ref": f"#/$defs/{self._names[number]}"}

    def _body(self, number: int, name: str) -> Schema:
        body = dict(self._schemas[number])
        if "properties" in body:
            body["properties"] = {
                field: self._written(child, field)
                for field, child in sorted(body["properties"].items())
            }
        for word in ("items", "additionalProperties"):
            if body.get(word, False) is not False:
                body[word] = self._written(body[word], name)
        return body


def _has_rules(source: Any) -> bool:
    """Whether there are rules in a schema, or in anything that it holds."""
    if isinstance(source, dict):
        return "x-kubernetes-validations" in source or any(map(_has_rules, source.values()))
    return isinstance(source, list) and any(map(_has_rules, source))


@cache
def _kubernetes() -> dict[str, Schema]:
    newest = max((HERE / "kubernetes").glob("*.json"), key=lambda file: int(file.stem[2:]))
    definitions: dict[str, Schema] = json.loads(newest.read_bytes())["$defs"]
    return definitions


def as_json(value: object) -> str:
    """The shortest JSON text of a value, the same every time."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
