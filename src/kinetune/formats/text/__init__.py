"""Numbers as text, in and out.

===============  =================================================================================================
decimal_kernels  The double nearest to a decimal number, exactly as ``float()`` rounds it
digit_kernels    Numbers into text, digit for digit as ``"%.6f"`` prints them: the compiled body of
frame_time       Frame times as files print them, and the frame rates that they mean
half_angles      Sine and cosine of half an angle in degrees, written so that NumPy and a compiled kernel give the
number_kernels   Numbers out of text: the compiled body of :func:`kinetune.formats.text.number_text.parse_numbers`
number_range     Which numbers in a file can be meant: finite, and not so large that arithmetic overflows
number_text      Columns of numbers as text, in and out: exact, and as fast as the bytes can be read
plain_text       Text files as they come: with or without a byte order mark, in UTF-8 or an old Western encoding
===============  =================================================================================================
"""
