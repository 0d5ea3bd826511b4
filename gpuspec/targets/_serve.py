"""The configuration of Ray Serve: the spec's own, or that of its model by Ray Serve LLM.

Sources: Ray 2.60.0, `ServeDeploySchema`, `LLMConfig` and `build_openai_app`.
"""

from typing import Any

from gpuspec.manifests.writer import write
from gpuspec.plan.decision import Decision, derived, from_spec
from gpuspec.plan.resolution import Resolution
from gpuspec.spec import InferenceSpec, Replicas, degrees

BUILDER = "ray.serve.llm:build_openai_app"
PORT = 8000
"""The default port of Serve's proxies."""


def configuration(
    resolution: Resolution, spec: InferenceSpec, weights: str | None, port: int
) -> Decision:
    """Return the text of the configuration. `weights`: the folder of mounted ones; `port`: the
    proxies'."""
    moved = {"http_options": {"port": port}} if port != PORT else {}
    if spec.serve is not None:
        options = {**spec.serve.get("http_options", {}), **moved.get("http_options", {})}
        config = {**spec.serve, **({"http_options": options} if options else {})}
        return from_spec(("spec", "serve"), write([config]), "the applications of the spec")
    application = {
        "name": resolution.name,
        "route_prefix": "/",
        "import_path": BUILDER,
        "args": {"llm_configs": [_llm(spec, weights)]},
    }
    text = write([{**moved, "applications": [application]}])
    return derived("ray", text, "the model on Ray Serve LLM, with OpenAI's API")


def _llm(spec: InferenceSpec, weights: str | None) -> dict[str, Any]:
    model = spec.model
    assert model is not None
    tensor, pipeline = degrees(spec)
    engine: dict[str, Any] = {
        "tensor_parallel_size": tensor,
        **({"pipeline_parallel_size": pipeline} if pipeline > 1 else {}),
        **({"max_model_len": spec.context} if spec.context is not None else {}),
        **({"quantization": model.quantization} if model.quantization else {}),
        **({"revision": model.revision} if model.revision and weights is None else {}),
    }
    return {
        "model_loading_config": {"model_id": model.id, "model_source": weights or model.id},
        "engine_kwargs": engine,
        "deployment_config": {
            **_replicas(spec),
            "graceful_shutdown_timeout_s": spec.longest_request.seconds,
        },
    }


def _replicas(spec: InferenceSpec) -> dict[str, Any]:
    """Return one replica for each worker, with all GPUs of the worker."""
    if not isinstance(spec.replicas, Replicas):
        return {"num_replicas": spec.replicas}
    if spec.replicas.min == spec.replicas.max:
        return {"num_replicas": spec.replicas.min}
    bounds = {"min_replicas": spec.replicas.min, "max_replicas": spec.replicas.max}
    if spec.replicas.target is not None:
        bounds["target_ongoing_requests"] = spec.replicas.target
    return {"autoscaling_config": bounds}
