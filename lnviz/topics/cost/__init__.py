"""The cost of norms: time, memory traffic, and the fraction of a Transformer block's cost."""
