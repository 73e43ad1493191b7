"""A body with mass, fitted to a skeleton.

================  ===================================================================================================
body_model        A figure with mass: the physical model of a skeleton, on MuJoCo
fitting           Fitting a body to a skeleton: is it human, how tall, how heavy, which joints turn, and the model of
generic_segments  The mass of a figure that is not human: every bone a bar of flesh, its thickness by its length
human_segments    The parts of a human body, laid along the joints of a skeleton
mjcf              The body as MJCF, MuJoCo's own file format: a tree of boxes and capsules with a free root and ball
segment_tables    How heavy the parts of a human body are, and how their mass is spread: the tables of de Leva and of
segments          The mass of a figure as boxes in the frames of its joints, and cutting a box where a chain of
sole_shapes       The soles of a body: where heel, ball and tip of each foot are, and the points at which it touches
================  ===================================================================================================
"""
