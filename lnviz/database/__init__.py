"""Database of a server: trainings and uploads of clients, rooms, and signing keys."""
