"""A server's database: clients' training jobs and uploads, classroom rooms, signing keys."""
