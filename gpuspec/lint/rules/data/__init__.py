"""Rules about data, models and provenance: memory, weights, images, checkpoints, fabrics."""
