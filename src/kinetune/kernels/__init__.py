"""How compiled code is loaded, vectorised and given memory; nothing here knows about motion.

============  =================================================================================="""
