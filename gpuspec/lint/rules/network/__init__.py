"""Network and fabric."""
