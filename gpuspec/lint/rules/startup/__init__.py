"""Start-up, probes and rollout (GPU5xx)."""
