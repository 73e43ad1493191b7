"""Numbers as text, in and out.

==============  =================================================================
number_text     Text files and their columns of numbers, read and printed exactly
number_kernels  The compiled body of ``number_text.parse_numbers``
digit_kernels   The compiled body of ``number_text.print_numbers``
==============  =================================================================
"""
