"""Bodies with mass, contacts with friction, and the dynamic filter."""
