"""Start-up and probes."""
