"""Expressions in Kubernetes' own kinds are refused where a server refuses them."""

import copy
from typing import Any

import pytest

from gpuspec.manifests import format_path, parse_path
from gpuspec.validation import validate
from tests.refusals.conftest import Judge
from tests.refusals.contest.bases import full
from tests.refusals.judge import MINORS

PLACES = {
    "DeviceClass": ("spec.selectors[0].cel.expression",),
    "ResourceClaim": ("spec.devices.requests[0].exactly.selectors[0].cel.expression",),
    "ValidatingAdmissionPolicy": (
        "spec.matchConditions[0].expression",
        "spec.variables[0].expression",
        "spec.validations[0].expression",
        "spec.validations[0].messageExpression",
        "spec.auditAnnotations[0].valueExpression",
    ),
    "MutatingAdmissionPolicy": (
        "spec.matchConditions[0].expression",
        "spec.variables[0].expression",
        "spec.mutations[0].applyConfiguration.expression",
        "spec.mutations[1].jsonPatch.expression",
    ),
    "ValidatingWebhookConfiguration": ("webhooks[0].matchConditions[0].expression",),
}
EXPRESSIONS = """
true
1
'a'
null
[1]
object
object.spec.replicas
object.spec.replicas < 5
object.spec.replicas <
object.metadata.name == 'a' && oldObject == null
has(object.metadata.labels)
object.metadata.labels.exists(k, k == 'a')
object.metadata.labels.exists(k, k)
object.metadata.labels.exists(1, true)
obj.metadata.name == 'a'
params.a == 'b'
params == null
request.operation == 'CREATE'
request.operation == 1
request.userInfo.username.startsWith('a')
request.userInfo.extra['a'].size() > 0
request.user.name == 'a'
request.dryRun
request.options.a
request.kind.kind + 'a'
namespaceObject.metadata.name
namespaceObject.metadata.labels['a'] == 'b'
namespaceObject.metadata.title == 'b'
namespaceObject.status.conditions.all(c, c.type == 'a')
authorizer.group('').resource('pods').namespace('a').check('get').allowed()
authorizer.group('').pods()
authorizer.requestResource.check('get').allowed()
authorizer.path('/healthz').check('get').reason()
authorizer.serviceAccount('a', 'b').group('').resource('pods').check('get').allowed()
variables.replicas < 5
variables.nothing < 5
variables.a
foo(object)
object.foo()
object.spec.image.contains('a', 'b')
'a'.matches('[a-z')
'a'.matches('^(?i)a$')
object.spec.image.matches('(?=a)')
duration('1x') > duration('1s')
quantity(object.spec.size).isGreaterThan(quantity('1Gi'))
quantity('1Gi') > quantity('1Mi')
1 + 'a' == 2
1 == 'a'
1.0 == 1
object.spec.replicas > 1.5
object.spec.?replicas.orValue(1) < 3
[1, 'a'].size() == 2
{'a': 1}['a'] == 1
object.spec.containers.map(c, c.image)
object.spec.containers.map(c, c.image).join(',')
object.spec.containers.all(c, c.image.startsWith('a/'))
true ? 'a' : 1
true ? object.a : 'b'
true ? 'a' : 'b'
string(object.spec.replicas)
bool(object.spec.enabled)
cel.bind(x, 1, x == 1)
namespace == 'a'
object.namespace == 'a'
'unclosed
object.spec.replicas === 1
object.spec.replicas and true
isURL(object.spec.url) && url(object.spec.url).getHost() == 'a'
ip(object.spec.ip).family() == 4 && cidr('10.0.0.0/8').containsIP(object.spec.ip)
format.dns1123Label().validate(object.metadata.name).hasValue()
semver('1.2.3').isLessThan(semver('2.0.0'))
sets.contains([1, 2], [1])
[3, 1].sort() == [1, 3]
[1, 2].all(i, v, v > i)
'%s'.format(['a', 1])
'a'.lowerAscii().upperAscii().trim().split('').size() == 1
device.driver == 'gpu.example.com'
device.driver
device.nothing == 'a'
device.attributes['gpu.example.com'].model == 'a'
device.attributes['gpu.example.com'].model
device.attributes['gpu.example.com'].model.startsWith('a') && device.driver == 'b'
device.attributes.model == 'a'
device.attributes[1].model == 'a'
'model' in device.attributes['gpu.example.com']
device.capacity['gpu.example.com'].memory.isGreaterThan(quantity('40Gi'))
device.capacity['gpu.example.com'].memory > quantity('40Gi')
device.capacity['gpu.example.com'].memory >= '40Gi'
device.capacity['gpu.example.com'].memory.compareTo(quantity('40Gi')) >= 0
device.allowMultipleAllocations
cel.bind(a, device.attributes['gpu.example.com'], a.x == 1 && a.y == 2)
device.attributes['a'].version.isGreaterThan(semver('1.0.0'))
Object{metadata: Object.metadata{labels: {"a": "b"}}}
Object{spec: Object.spec{replicas: 1}, status: 1}
Object{metadata: 1}.metadata
has(object.a) ? Object{} : Object{spec: Object.spec{}}
[JSONPatch{op: "add", path: "/a", value: "c"}]
[JSONPatch{op: "add", path: 1}]
[JSONPatch{operation: "add"}]
JSONPatch{op: "add"}
[]
[JSONPatch{op: "test", path: "/metadata/labels/" + jsonpatch.escapeKey("a/b"), value: object.a}]
Other{a: 1}
"""


def changed(value: dict[str, Any], path: tuple[str | int, ...], new: str) -> dict[str, Any]:
    made = copy.deepcopy(value)
    place: Any = made
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = new
    return made


@pytest.mark.binaries
@pytest.mark.parametrize("minor", MINORS)
def test_an_expression_is_refused_where_the_judge_refuses_it(judge: Judge, minor: Any) -> None:
    made = []
    for kind, places in PLACES.items():
        base = next(one.value for one in full() if one.kind[1] == kind)
        for place in places:
            for text in EXPRESSIONS.strip().split("\n"):
                path = parse_path(place)
                made.append((path, text, changed(base, path, text)))
    verdicts = judge([value for _, _, value in made], minor)
    missed, alarms, refused = [], [], 0
    for (path, text, value), verdict in zip(made, verdicts, strict=True):
        theirs = any(said.path == path for said in verdict.errors)
        ours = any(one.path == path for one in validate(value, minor) if one.reason == "refused")
        refused += theirs
        if theirs and not ours:
            missed.append((format_path(path), text))
        if ours and not theirs:
            alarms.append((format_path(path), text))
    assert alarms == []
    assert {text for _, text in missed} <= NOT_SAID, missed
    assert refused > 500


NOT_SAID = {"device.allowMultipleAllocations"}
"""What is not found: a field that came with a version."""
