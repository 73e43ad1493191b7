"""Files out of the studio.

===============  ===================================================================================
drawing_exports  Drawings out of the studio: films, and the command or the Python that makes them
exports          Out of the studio: recipes as YAML, Python or a command; clips in any format; films
===============  ===================================================================================
"""
