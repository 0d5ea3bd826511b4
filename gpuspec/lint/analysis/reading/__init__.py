"""Names, keys and fields as they are written."""
