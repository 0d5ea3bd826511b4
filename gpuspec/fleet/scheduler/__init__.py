"""What kube-scheduler does: its filters, its words, its scores."""
