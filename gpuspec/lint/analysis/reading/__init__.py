"""Names, keys and fields as written."""
