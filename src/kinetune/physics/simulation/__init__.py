"""Corrected motion in simulators.

==================  ===================================================================================
simulation_export   a model with contacts and motors, and the reference that a controller tracks
contact_replay      such a controller, in MuJoCo with the engine's own contact
==================  ===================================================================================
"""
