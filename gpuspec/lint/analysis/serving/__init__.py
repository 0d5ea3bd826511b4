"""Model servers: their models, probes, rollouts and scaling."""
