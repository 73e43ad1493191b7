"""How compiled code is loaded, vectorised and given memory; nothing here knows about motion.

======  ==============================================================================================================
arena   Working memory that is kept between calls: the pages of fresh memory cost more to map than many a kernel takes
loader  Compiled kernels that nobody has to wait for
simd    Several numbers at once inside numba kernels, and writing past the cache
words   Machine words for the text kernels: what numba does not offer by itself, each a few machine instructions
======  ==============================================================================================================
"""
