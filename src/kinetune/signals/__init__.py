"""The papers' mathematics on plain arrays: arrays in, arrays out, time on axis 0."""
