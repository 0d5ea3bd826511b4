"""A Secret, or settings next to one, that KServe does not read when it downloads a model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from gpuspec.enumeration import choice_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.loading.placeholders import placeholder
from gpuspec.manifests.json_loading import parse_json
from gpuspec.manifests.values import at, items, mapping, text

if TYPE_CHECKING:
    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU977",
    "model-secret-unread",
    "warning",
    "KServe does not read a Secret, or its settings, when it downloads a model",
)
_GROUP = "serving.kserve.io"
_NAMED = f"{_GROUP}/storageSecretName"
_ROLE = "eks.amazonaws.com/role-arn"
_HTTPS, _ENDPOINT = f"{_GROUP}/s3-usehttps", f"{_GROUP}/s3-endpoint"
_STORED = "storage-config"
_STORED_TYPES = ("s3", "hdfs", "webhdfs")
_S3 = ("AWS_SECRET_ACCESS_KEY", "awsSecretAccessKey")
_KEYS = {"s3": _S3, "gs": ("gcloud-application-credentials.json",), "hf": ("HF_TOKEN",)}
"""Schemes of locations, and the keys one of which a Secret for them must have. Of S3's, the first is
that of KServe's ConfigMap, the second that of its code."""
_KNOWN = {key for keys in _KEYS.values() for key in keys} | {
    *("AZ_CLIENT_ID", "AZURE_CLIENT_ID", "AZURE_ACCESS_TOKEN", "AZURE_STORAGE_ACCESS_KEY"),
    *("https-host", "HDFS_NAMENODE", "MODELSCOPE_API_TOKEN"),
}
_REFUSED = "KServe refuses the pods"


class UnreadSecret(NamedTuple):
    """What KServe does not read."""

    of: Object
    inside: Path
    """Where, in that object."""
    message: str
    note: str


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield what stands in the Secrets, and in the account, that an InferenceService downloads with."""
    predictor = mapping(obj.spec.get("predictor"))
    scheme = _scheme(predictor)
    account = context.collection.named(
        "", "ServiceAccount", text(predictor.get("serviceAccountName")) or "default", obj.namespace
    )
    place = obj.path(
        *("spec", "predictor", "serviceAccountName")
        if predictor.get("serviceAccountName")
        else ("metadata", "name")
    )
    if scheme in _KEYS:
        for fault in _of_account(obj, account, scheme, context):
            yield _finding(place, fault)
    key = at(predictor, ("model", "storage", "key"))
    name = text(obj.annotations.get(_NAMED)) or _STORED
    stored = context.collection.named("", "Secret", name, obj.namespace)
    if isinstance(key, str) and stored is not None and placeholder(key) is None:
        parameters = mapping(at(predictor, ("model", "storage", "parameters")))
        for fault in _of_location(stored, key, parameters):
            yield _finding(obj.path("spec", "predictor", "model", "storage", "key"), fault)


def _finding(place: Path, fault: UnreadSecret) -> RawFinding:
    related = RelatedPlace(fault.of.number, fault.of.path(*fault.inside), "here")
    return RawFinding(
        place, fault.message, note=fault.note, confidence="likely", related=(related,)
    )


def _scheme(predictor: dict[str, Any]) -> str:
    """Return the scheme of the model's location."""
    for holder in (*predictor.values(), *items(predictor.get("storageUris"))):
        for field in ("storageUri", "uri"):
            scheme, separator, _ = text(mapping(holder).get(field)).partition("://")
            if separator:
                return scheme
    return ""


def _of_account(
    obj: Object, account: Object | None, scheme: str, context: Context
) -> Iterator[UnreadSecret]:
    secret_name = text(obj.annotations.get(_NAMED))
    names = [secret_name] if secret_name else _listed(account, "secrets")
    secrets = [context.collection.named("", "Secret", name, obj.namespace) for name in names]
    for secret in secrets:
        if secret is not None and scheme == "s3" and not set(_S3).isdisjoint(_keys(secret)):
            yield from _of_s3(secret)
    if account is not None and scheme == "s3":
        yield from _settings_of_account(account)
    opaque = [secret for secret in secrets if secret is not None and _is_opaque(secret)]
    if (
        opaque
        and len(opaque) == len(secrets)
        and all(_KNOWN.isdisjoint(_keys(secret)) for secret in opaque)
    ):
        yield UnreadSecret(
            opaque[0],
            ("metadata", "name"),
            f"Secret `{opaque[0].name}` has no key that KServe reads for `{scheme}://`: KServe "
            "downloads the model without credentials",
            f"name the key of the Secret {choice_of(_KEYS[scheme])}"
            + (", and `AWS_ACCESS_KEY_ID` next to it" if scheme == "s3" else ""),
        )
    if account is None or names:
        return
    for name in _listed(account, "imagePullSecrets"):
        secret = context.collection.named("", "Secret", name, obj.namespace)
        if secret is not None and not set(_KEYS[scheme]).isdisjoint(_keys(secret)):
            yield UnreadSecret(
                account,
                ("imagePullSecrets",),
                f"Secret `{name}` is in `imagePullSecrets` of the account, not in `secrets`: KServe "
                "downloads the model without credentials",
                "list the Secret in `secrets` of the ServiceAccount",
            )


def _listed(account: Object | None, field: str) -> list[str]:
    entries = [] if account is None else items(account.value.get(field))
    return [text(mapping(entry).get("name")) for entry in entries]


def _is_opaque(secret: Object) -> bool:
    return bool(_keys(secret)) and text(secret.value.get("type")) in ("", "Opaque")


def _keys(secret: Object) -> set[str]:
    return {key for field in ("data", "stringData") for key in mapping(secret.value.get(field))}


def _of_s3(secret: Object) -> Iterator[UnreadSecret]:
    """Yield settings of S3 that KServe ignores, or reads in another way."""
    for key in secret.annotations:
        domain, _, name = key.partition("/")
        if name.startswith("s3-") and domain != _GROUP and domain.startswith("serving."):
            yield UnreadSecret(
                secret,
                ("metadata", "annotations", key),
                f"KServe does not read `{key}` of Secret `{secret.name}`: it downloads the model with "
                f"its default for `{name.removeprefix('s3-')}`",
                f"write `{_GROUP}/{name}`",
            )
    https, endpoint = secret.annotations.get(_HTTPS), text(secret.annotations.get(_ENDPOINT))
    if isinstance(https, str) and https.lower() in ("false", "no", "off") and "://" not in endpoint:
        yield UnreadSecret(
            secret,
            ("metadata", "annotations", _HTTPS),
            f"`s3-usehttps: {https}` of Secret `{secret.name}` turns HTTPS on: only `0` turns it off, "
            f"and KServe fails to reach `{endpoint}` if it serves HTTP",
            f'write `{_HTTPS}: "0"`',
        )


def _settings_of_account(account: Object) -> Iterator[UnreadSecret]:
    """Yield settings of S3 of an account without a role of AWS."""
    keys = [key for key in account.annotations if key.startswith(f"{_GROUP}/s3-")]
    if keys and _ROLE not in account.annotations:
        yield UnreadSecret(
            account,
            ("metadata", "annotations", keys[0]),
            f"KServe reads `{keys[0]}` of a ServiceAccount only next to `{_ROLE}`: it downloads the "
            "model with its defaults",
            "write the annotation on the Secret with the keys",
        )


def _of_location(secret: Object, key: str, parameters: dict[str, Any]) -> Iterator[UnreadSecret]:
    """Yield what is wrong with the location that a model names by its key."""
    keys = _keys(secret)
    if keys and key not in keys:
        yield UnreadSecret(
            secret,
            ("metadata", "name"),
            f"Secret `{secret.name}` has no key `{key}`: {_REFUSED}",
            f"write {choice_of(sorted(keys))}, or add the key to the Secret",
        )
    location_text = text(mapping(secret.value.get("stringData")).get(key))
    if not location_text or placeholder(location_text) is not None or parameters.get("type"):
        return
    inside: Path = ("stringData", key)
    try:
        location = parse_json(location_text)
    except ValueError:
        message = f"`{key}` of Secret `{secret.name}` is not valid JSON: {_REFUSED}"
        yield UnreadSecret(secret, inside, message, "correct the JSON")
        return
    type_ = mapping(location).get("type")
    if isinstance(type_, str) and type_ not in _STORED_TYPES:
        yield UnreadSecret(
            secret,
            inside,
            f"`{key}` of Secret `{secret.name}` has a type that KServe does not know, `{type_}`: {_REFUSED}",
            f"write {choice_of(_STORED_TYPES)}; MinIO is `s3` with `endpoint_url`",
        )
    elif type_ == "s3" and not mapping(location).get("bucket") and not parameters.get("bucket"):
        yield UnreadSecret(
            secret,
            inside,
            f"`{key}` of Secret `{secret.name}` is of type `s3` and has no `bucket`: {_REFUSED}",
            "add `bucket` to the JSON, or to `storage.parameters`",
        )
