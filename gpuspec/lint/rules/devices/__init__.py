"""GPU1xx: how devices are requested."""
