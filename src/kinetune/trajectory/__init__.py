"""One solver over time: least squares over all frames of a clip, in which a frame is tied to its neighbours only.

Planted feet, retargeting, whole-clip physics, marker fits and poses from positions are problems of this kind. Each
brings its residuals; what they share is here.

====================  ===========================================================================
normal_equations      residuals of a few neighbouring frames become block-banded normal equations
gauss_newton          damped Gauss-Newton steps, with progress and cancellation
one_sided             limits that push only where they are violated, without chatter
block_banded_kernels  the compiled Cholesky factorization
====================  ===========================================================================

Laws (``tests/trajectory``): a linear problem is solved exactly in one step; derivatives are checked against differences
(:func:`~kinetune.trajectory.gauss_newton.check_jacobian`); time and memory grow linearly with the frames; the result
does not depend on the number of threads.
"""
