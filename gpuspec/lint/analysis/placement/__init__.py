"""Nodes, and what decides where a pod may go."""
