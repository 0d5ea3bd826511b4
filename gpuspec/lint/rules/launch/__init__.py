"""Launch: processes against devices."""
