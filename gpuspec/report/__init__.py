"""What people and programs read: one file per output format, pure functions to text."""
