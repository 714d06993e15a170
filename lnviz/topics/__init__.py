"""What is computed, one folder a topic; nothing in here draws."""
