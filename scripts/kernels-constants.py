#!/usr/bin/env python3
"""Prints the polynomials of the runner's fast exp (src/run/kernels_shape.h).

exp(r) = 1 + r P(r) for |r| <= ln(2)/2; P interpolates (exp(r) - 1)/r at Chebyshev nodes, in exact rationals, and its
coefficients are rounded to the type. Standard library only."""
from fractions import Fraction
import math
import struct


def to_f32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def hex_f32(x):
    return to_f32(float(x)).hex() + "f"


def target(r):  # (exp(r) - 1)/r by its series
    term, total = Fraction(1), Fraction(0)
    for k in range(1, 40):
        total += term / math.factorial(k)
        term *= r
    return total


def interpolate(degree):
    half = Fraction(35, 100)  # a little more than ln(2)/2: k is rounded
    nodes = [half * Fraction(math.cos(math.pi * (2 * i + 1) / (2 * degree + 2))) for i in range(degree + 1)]
    divided = [target(r) for r in nodes]
    for level in range(1, degree + 1):
        for i in range(degree, level - 1, -1):
            divided[i] = (divided[i] - divided[i - 1]) / (nodes[i] - nodes[i - level])
    poly = [Fraction(0)]
    for i in range(degree, -1, -1):  # poly = poly * (r - node) + divided
        shifted = [Fraction(0)] + poly
        for k, c in enumerate(poly):
            shifted[k] -= c * nodes[i]
        shifted[0] += divided[i]
        poly = shifted
    return poly[: degree + 1]


LN2 = sum(Fraction(1, k * 2**k) for k in range(1, 200))
for name, degree, show, back in (("f32", 5, hex_f32, to_f32), ("f64", 10, lambda x: float(x).hex(), float)):
    print(name, "P, lowest first:", ", ".join(show(c) for c in interpolate(degree)))
    high = Fraction(back(float(LN2)))
    print(name, "ln 2:", show(high), show(LN2 - high), "1/ln 2:", show(1 / LN2))
