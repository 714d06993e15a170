"""The playground: hundreds of small networks trained as one, under every norm at every rate."""
