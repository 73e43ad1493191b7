"""Motion that meets targets exactly: inverse blending of examples, and walks on footsteps ([huang]).

============  ===========================================================================================
blend         weights for which a blend of examples meets constraints: InverseBlend, AtPoint ...
reachability  where a set of examples can reach, and where it lacks examples
steps         single steps: cut out of clips, and blended so that a foot lands where it should
walk          walks on footsteps, planned or given, and a report on each
============  ===========================================================================================

The public names are in ``kt.reach`` and ``kt.walking``.
"""
