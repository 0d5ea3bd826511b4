"""KubeAI: its operator chooses a model's image and devices. Sources: its CRDs; `model_types.go`."""

from gpuspec.kinds.owned import REPLICAS, Owned
from gpuspec.kinds.parts import served
from gpuspec.kinds.references import config_map, priority, secret

_ITSELF = Owned(REPLICAS, "KubeAI", off=("spec", "autoscalingDisabled"))

KINDS = (
    served(
        "kubeai.org",
        "Model",
        refers=(
            config_map("spec.envFrom.*.configMapRef"),
            secret("spec.envFrom.*.secretRef"),
            priority("spec"),
        ),
        scaled=REPLICAS,
        sets=(_ITSELF,),
        starts_server=True,
    ),
)
