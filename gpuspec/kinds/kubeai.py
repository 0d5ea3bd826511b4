"""KubeAI: its operator chooses a model's image and devices. Sources: its CRDs; `model_types.go`."""

from gpuspec.kinds.common import served
from gpuspec.kinds.owned import REPLICAS, ControllerField
from gpuspec.kinds.references import config_map, priority, secret

_ITSELF = ControllerField(REPLICAS, "KubeAI", off=("spec", "autoscalingDisabled"))

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
