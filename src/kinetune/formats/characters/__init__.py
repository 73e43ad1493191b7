"""What FBX and glTF share: characters that survive an edit, and motions of few keys.

==============  ======================================================================================
character       What a file holds besides its motion, and how a motion gets onto the joints of another
skinned_mesh    The surface of a character on the joints of a clip
mannequin_mesh  One smooth body for any skeleton
visible_body    What a scene shows of a motion without a character: a mannequin or a stick figure
bind_pose       The pose of rest in which a skin was bound
sparse_keys     A motion of few keys as cubic curves, within a tolerance at the joints
==============  ======================================================================================
"""
