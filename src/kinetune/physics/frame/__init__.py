"""One frame of the dynamic filter, and the quadratic program inside it.

====================  ===============================================================================================
compiled_frames       What the filter asks of one frame, and the forces that answer it, in compiled kernels; see
frame_kernels         The arithmetic of one frame of the dynamic filter, compiled; the readable body is in
frame_solve           One frame of the dynamic filter: the accelerations nearest to the wanted ones that the contacts
plain_frames          What the filter asks of one frame, and the forces that answer it: the readable body
soft_program_kernels  Soft quadratic programs solved by an interior point method on bands, compiled; see
soft_programs         Small quadratic programs whose limits may be broken at a price
torque_limits         One frame of the filter for a body that is only so strong
tracking              The dynamic filter, one frame at a time: a body that follows a motion by forces that the ground
tracking_kernels      What surrounds the solution of a frame, compiled: held points, the whole body, contacts and
====================  ===============================================================================================
"""
