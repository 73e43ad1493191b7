"""Files out of the studio.

=======  ==========================================================================
exports  recipes as YAML, Python or a command; clips in any format; films; drawings
=======  ==========================================================================
"""
