"""GPU3xx: sharing of GPUs, MIG, and claims."""
