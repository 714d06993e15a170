"""What is measured for the field guide: squares in small formats, and gains under weight decay."""
