"""What pods are attached to beside the network of all pods."""
