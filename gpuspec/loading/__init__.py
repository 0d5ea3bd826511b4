"""Load the linter's inputs: files, streams and specs, and the objects in them."""
