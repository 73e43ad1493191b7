"""Pictures of clips: strips of stick figures, curves, films."""
