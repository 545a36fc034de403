"""Formulas of statistics, each with its source, in nothing but the standard library.

Everything here is a pure function of numbers: what the numbers are of, and what is made of the result, is decided by
those who call. No array library: the largest input is a million cases once, which plain sums take in a second.
"""
