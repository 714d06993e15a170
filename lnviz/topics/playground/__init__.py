"""The playground: hundreds of small networks trained at once, for every norm and learning rate."""
