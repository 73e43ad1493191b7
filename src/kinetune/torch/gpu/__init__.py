"""What runs as one kernel on a GPU, compiled when it is first used by the compiler that torch brings along.

================  ===========================================================================================
runtime_compiler  whether kernels can be compiled here, and the compiler itself
band_kernel       all bands of a signal in one pass over the device's memory
placing_kernel    joint positions, by a kernel that is written for the skeleton
warp_kernels      the best cost of many time warps, the steps that lead there, and the way back through them
search_kernel     the search for the weights of an inverse blend, one thread for each target
================  ===========================================================================================

Everything here has a plain counterpart in the modules that call it, which serves other devices, other types, other
sizes and gradients; ``tests/torch/test_gpu_kernels.py`` holds the two against each other on a machine with a GPU.
Why CUDA source and the compiler of torch: ``docs/decisions``, "Kernels on a GPU".
"""
