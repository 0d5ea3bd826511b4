"""Rules about what pods may do and see."""
