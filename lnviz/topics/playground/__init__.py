"""The playground: hundreds of small networks trained together, for every norm and learning rate."""
