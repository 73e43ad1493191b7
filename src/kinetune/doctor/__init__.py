"""The doctor: everything that is wrong with a motion file, as one list of findings with remedies.

===========  ==================================================================================
examine      the findings of a file or a clip: reader, check-up, faults of recording, physics
limits       which findings fail a pipeline, from a small file
reports      the findings of many files as JSON, SARIF, JUnit XML and a page with pictures
safe_fixes   the operations that mend findings
many_files   many files in parallel
===========  ==================================================================================

The kinds of findings are stable names for programs; docs/findings.md has a section for each.
"""
