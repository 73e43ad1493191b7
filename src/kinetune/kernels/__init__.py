"""How compiled code is loaded, vectorised and given memory; nothing here knows about motion.

================  =========================================================================================
arena             Working memory that is reused from call to call
loader            When compiled kernels are loaded, the two tiers of kernels, and how to write one
_machine_code     Kernels on disk that run without numba
simd              Vector registers, streaming stores and prefetching for numba kernels
unit_quaternions  Rotations in numba kernels: multiply, rotate, exp, log
words             Machine words for kernels that read and write text: bit counts, wide products, byte masks
================  =========================================================================================
"""
