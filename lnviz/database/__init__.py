"""What a server keeps of its visitors: the trainings that they ask for, and what they upload."""
