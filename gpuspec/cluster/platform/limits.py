"""Default requests of a namespace's pods, and the most GPUs of one pod.

A LimitRange cannot set the second: it gives the maximum of a resource to every container without
the resource, and rejects pods without it.
"""

from typing import Any

from gpuspec.manifests import Quantity
from gpuspec.spec import ClusterProfileSpec, Profile
from gpuspec.spec.namespaces import ContainerDefaults, Namespace
from gpuspec.spec.rules.quotas import device_names

LIMITS = "gpuspec"
POLICY = "gpuspec-max-gpus-per-pod"
MOST_GPUS = "gpuspec.dev/max-gpus-per-pod"
"""The label of a namespace with the largest number of GPUs."""
_GROUP = "admissionregistration.k8s.io/v1"
# The GPUs of each container of a list.
_ASKED = (
    "{of}.map(c, has(c.resources) && has(c.resources.limits) ? "
    "variables.names.filter(n, n in c.resources.limits)"
    ".map(n, quantity(string(c.resources.limits[n])).asInteger()).sum() : 0)"
)
_SIDECAR = "has(c.restartPolicy) && c.restartPolicy == 'Always'"


def limit_range(space: Namespace) -> dict[str, Any] | None:
    """Return the LimitRange of a namespace; None if it has no defaults.

    Only requests get defaults: a default memory limit could be below a container's own request, and
    the API server would reject the pod.
    """
    requests = _requests(space.defaults)
    if not requests:
        return None
    return {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"name": LIMITS, "namespace": space.name},
        "spec": {"limits": [{"type": "Container", "defaultRequest": requests}]},
    }


def _requests(defaults: ContainerDefaults | None) -> dict[str, str]:
    quantities: dict[str, Quantity | None] = {}
    if defaults is not None:
        quantities = {"cpu": defaults.cpu, "memory": defaults.memory}
    return {name: str(amount) for name, amount in quantities.items() if amount is not None}


def limit_labels(space: Namespace) -> dict[str, str]:
    """Return the label that applies the policy to a namespace's pods."""
    most = space.max_gpus_per_pod
    return {} if most is None else {MOST_GPUS: str(most)}


def max_gpus_objects(profile: Profile) -> list[dict[str, Any]]:
    """Return the policy that rejects a pod with more GPUs than its namespace's label allows; none
    without a limit."""
    spec = profile.spec
    if all(space.max_gpus_per_pod is None for space in spec.namespaces):
        return []
    policy = {
        "apiVersion": _GROUP,
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": POLICY},
        "spec": {
            "failurePolicy": "Fail",
            "matchConstraints": {
                "resourceRules": [
                    {
                        "apiGroups": [""],
                        "apiVersions": ["v1"],
                        "operations": ["CREATE"],
                        "resources": ["pods"],
                    }
                ]
            },
            "variables": _variables(spec),
            "validations": [
                {
                    "expression": "variables.asked <= variables.most",
                    "messageExpression": "'asks for ' + string(variables.asked) + ' GPUs, and a pod of "
                    "this namespace may have ' + string(variables.most)",
                    "reason": "Forbidden",
                }
            ],
        },
    }
    selector = {"matchExpressions": [{"key": MOST_GPUS, "operator": "Exists"}]}
    binding = {
        "apiVersion": _GROUP,
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": POLICY},
        "spec": {
            "policyName": POLICY,
            "matchResources": {"namespaceSelector": selector},
            "validationActions": ["Deny"],
        },
    }
    return [policy, binding]


def _variables(spec: ClusterProfileSpec) -> list[dict[str, str]]:
    names = dict.fromkeys(name for pool in spec.pools for name in device_names(pool))
    expressions = {
        "most": f"int(namespaceObject.metadata.labels['{MOST_GPUS}'])",
        "names": "[" + ", ".join(f"'{name}'" for name in sorted(names)) + "]",
        "inits": "has(object.spec.initContainers) ? object.spec.initContainers : []",
        # Sidecars run beside the containers; other init containers run alone, one after another.
        "beside": f"object.spec.containers + variables.inits.filter(c, {_SIDECAR})",
        "before": f"variables.inits.filter(c, !({_SIDECAR}))",
        "together": _ASKED.format(of="variables.beside") + ".sum()",
        "alone": "([0] + " + _ASKED.format(of="variables.before") + ").max()",
        "asked": "variables.alone > variables.together ? variables.alone : variables.together",
    }
    return [{"name": name, "expression": expression} for name, expression in expressions.items()]
