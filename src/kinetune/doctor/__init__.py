"""The doctor: motion files examined, for people and for pipelines.

===========  ==================================================================================
examine      the findings of a file (:mod:`kinetune.diagnosis`), or why it cannot be read
limits       which findings fail a pipeline, from a small file
reports      the findings of many files as JSON, SARIF, JUnit XML and a page with pictures
many_files   many files in parallel
===========  ==================================================================================

What is wrong with a clip is found by :mod:`kinetune.diagnosis` and mended by :class:`kinetune.Clean`.
"""
