"""One frame of the dynamic filter, and the quadratic programs of its plans.

====================  =========================================================================
tracking              a body that follows a motion frame by frame; what each frame solves
frame_kernels         the arithmetic of one frame, compiled
_torque_limits        a frame in which joints have limited torque
soft_programs         small quadratic programs whose limits may be broken at a price
soft_program_kernels  their solver: an interior point method on bands, compiled
====================  =========================================================================
"""
