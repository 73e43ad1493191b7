"""Euler angles in degrees, as files hold them.

=============  =======================================================================
euler_angles   Angles about three axes as quaternions, many joints of one clip at once
euler_kernels  The compiled body of ``euler_angles.quaternions_from_degrees``
=============  =======================================================================
"""
