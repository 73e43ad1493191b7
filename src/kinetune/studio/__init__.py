"""The editor in the browser."""
