"""Mutated files for every reader, each read in a process with little memory and time.

==============  =====================================================================================
readers         what is fuzzed: a reader, valid files of ours to start from, and how they are mutated
mutations       mutations that know text, JSON, XML, GLB and NumPy archives
workers         the processes in which cases run, their limits, and what counts as a failure
test_fuzz       two thousand cases in ``make test``, and every file that ever broke a reader
__main__        ``make fuzz``: as many as you like, with the table in docs/reliability.md
==============  =====================================================================================

A case is a number: ``python -m tests.fuzz bvh --case 4711`` makes the same files each time and shows what happens.
"""
