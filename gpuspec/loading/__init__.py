"""What is linted: files, streams and specs, and how objects come out of them."""
