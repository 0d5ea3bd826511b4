"""Facts for the rules on devices."""
