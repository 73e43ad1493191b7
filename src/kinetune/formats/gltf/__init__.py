"""glTF 2.0 (``.glb``, ``.gltf``).

==================  =================================================================================================
animation_sampling  Animations of a glTF file, sampled at a fixed rate
container           The container of glTF: JSON, buffers and accessors, each checked against the bytes that are
gltf_format         glTF 2.0 (``.glb``, ``.gltf``): read from skinned characters, written with a stick figure to look
gltf_reader         Reading glTF: skinned characters, animated nodes without a skin, and files without any animation
gltf_writer         Writing glTF: joints as nodes, one animation, and a stick figure as the skin
nodes               The nodes of a glTF file: their tree, and which of them are joints
stick_figure_mesh   A stick figure to look at: rounded bones, a ball at every joint, a head, each fixed to one joint
==================  =================================================================================================
"""
