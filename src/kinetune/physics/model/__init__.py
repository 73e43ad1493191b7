"""A body with mass, fitted to a skeleton.

==============  ===============================================================================
body_model      Body: a character with mass, on MuJoCo
fitting         fits a body to a skeleton: is it human, how tall, how heavy, which joints rotate
human_segments  the parts of a human body laid along a skeleton, and its soles
segments        tables of body segments, and their mass as boxes
mjcf            the body in MuJoCo's file format
==============  ===============================================================================
"""
