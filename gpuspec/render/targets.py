"""Which objects a plan becomes, and from which template each is laid out."""

from gpuspec.plan import Plan

ENDING = ".j2"
"""How names of templates end."""

# In apply order, which is the order of the output: what others refer to comes first.
_OPTIONAL = (
    ("account", "service-account"),
    ("network", "network-policy"),
    ("service", "service"),
    ("disruption", "disruption-budget"),
)
_BEHIND = (("autoscaler", "autoscaler"), ("placeholder", "placeholder"))


def template_names(plan: Plan) -> list[str]:
    """Names of the templates for a plan's objects, in apply order."""
    names = [name for field, name in _OPTIONAL if getattr(plan, field) is not None]
    names.append(str(plan.target.value))
    names += [name for field, name in _BEHIND if getattr(plan, field) is not None]
    return [f"{name}.yaml{ENDING}" for name in names]
