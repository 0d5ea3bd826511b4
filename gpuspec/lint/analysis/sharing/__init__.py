"""Parts of GPUs: shares and slices."""
