"""What rules on devices ask about."""
