"""GPU4xx: shapes that strand what they leave."""
