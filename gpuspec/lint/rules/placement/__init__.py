"""GPU2xx: where pods may go."""
