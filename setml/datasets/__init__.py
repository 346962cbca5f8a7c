"""Cards and tables drawn by program, with their truth."""
