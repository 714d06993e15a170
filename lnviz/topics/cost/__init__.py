"""What a norm costs: time, bytes moved, and its share of a Transformer block."""
