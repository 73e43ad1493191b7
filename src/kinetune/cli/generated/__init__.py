"""Commands made from the declarations of operations.

==================  ===============================================================================================
flags               How a parameter becomes a flag: read from its declaration, so that every operation is a command
operation_commands  One command for each operation, generated from its declaration: flags, types, bounds, defaults
operation_list      The operations by name and summary, read from their files without running them
_pictures           Pictures that the command of an operation draws of its result
==================  ===============================================================================================
"""
