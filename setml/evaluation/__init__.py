"""Measures, and the comparison of all methods on labelled photographs."""
