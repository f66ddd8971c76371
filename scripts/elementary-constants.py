#!/usr/bin/env python3
"""Prints the constants of src/number: the polynomials of exp.c and log.c, the split of ln 2, the limits of exp, and
(with the argument `table`) the whole file src/number/log_table.h.

Only the standard library: decimal's ln and exp are correctly rounded, and fractions does the rest exactly.

    scripts/elementary-constants.py          the constants, to compare with exp.c and log.c
    scripts/elementary-constants.py table    log_table.h
"""
import sys
from decimal import Decimal, getcontext
from fractions import Fraction
from math import ceil, cos, floor, pi

getcontext().prec = 80
LN2 = Fraction(Decimal(2).ln())


def to_decimal(f):
    return Decimal(f.numerator) / Decimal(f.denominator)


def nearest(f):
    """The double nearest to a fraction (Python's division of integers rounds correctly)."""
    return f.numerator / f.denominator


def on_grid(f, bits):
    """Nearest multiple of 2**-bits."""
    return Fraction(round(f * 2**bits), 2**bits)


def literal(d):
    """C's hexadecimal literal, without trailing zeros."""
    if d == 0:
        return "0x0p+0"
    mantissa, exponent = d.hex().split("p")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return mantissa + "p" + exponent


def solve(rows, right):
    """Gauss elimination over the rationals."""
    n = len(rows)
    a = [list(row) + [value] for row, value in zip(rows, right)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda row: abs(a[row][i]))
        a[i], a[pivot] = a[pivot], a[i]
        for j in range(i + 1, n):
            factor = a[j][i] / a[i][i]
            a[j] = [u - factor * v for u, v in zip(a[j], a[i])]
    x = [Fraction(0)] * n
    for i in reversed(range(n)):
        x[i] = (a[i][n] - sum(a[i][j] * x[j] for j in range(i + 1, n))) / a[i][i]
    return x


def interpolate(function, half_width, degree):
    """Coefficients, rounded to doubles, of a polynomial p close to `function` on [-half_width, half_width] where the
    error counts r^3 fold: p meets the function at the Chebyshev points of degree + 4 without the three next to 0."""
    count = degree + 4
    # On a 2**-20 grid: the points need not be exact, and short fractions keep the elimination fast.
    points = [half_width * on_grid(Fraction(cos(pi * (2 * i + 1) / (2 * count))), 20) for i in range(count)]
    points = sorted(points, key=abs)[3:]
    solution = solve([[p**i for i in range(degree + 1)] for p in points], [function(p) for p in points])
    return [Fraction(nearest(c)) for c in solution]


def exp_rest(r):
    """(exp(r) - 1 - r - r^2/2) / r^3"""
    return (Fraction(to_decimal(r).exp()) - 1 - r - r * r / 2) / r**3


def log_rest(r):
    """(log(1+r) - r + r^2/2) / r^3"""
    return (Fraction(to_decimal(1 + r).ln()) - r + r * r / 2) / r**3


def approximation_error(function, coefficients, half_width):
    worst = 0
    for i in range(-200, 201):
        r = half_width * Fraction(i, 200) + Fraction(1, 2**30)
        worst = max(worst, abs(function(r) - sum(c * r**j for j, c in enumerate(coefficients))) * abs(r) ** 3)
    return float(worst)


def show_polynomial(name, function, half_width, degree):
    half_width = Fraction(half_width)
    coefficients = interpolate(function, half_width, degree)
    error = approximation_error(function, coefficients, half_width)
    print(f"{name}, |r| <= {float(half_width)}, error of r^3 p(r) {error:.3g}:")
    for i, c in enumerate(coefficients):
        print(f"  c{i} = {literal(float(c))}")


def next_to(f, above, bits):
    """The multiple of 2**-bits next to f on the wanted side."""
    scaled = f * 2**bits
    return float(Fraction(ceil(scaled) if above else floor(scaled), 2**bits))


def show_constants():
    hi = on_grid(LN2, 42)
    print("1/ln2  =", literal(nearest(1 / LN2)))
    print("ln2_hi =", literal(float(hi)), " (a multiple of 2^-42, so that k * ln2_hi is exact for |k| < 2^11)")
    print("ln2_lo =", literal(nearest(LN2 - hi)))
    # Doubles in [512, 1024) are the multiples of 2^-43, floats in [64, 128) those of 2^-17.
    maximum = Fraction(Decimal(2**1024 - 2**970).ln())
    print("largest x with a finite exp        =", literal(next_to(maximum, False, 43)))
    print("least x with a normal exp          =", literal(next_to(-1022 * LN2, True, 43)))
    print("least x with a nonzero exp         =", literal(next_to(-1075 * LN2, True, 43)))
    maximum = Fraction(Decimal(2**128 - 2**103).ln())
    print("float: largest x with a finite exp =", literal(next_to(maximum, False, 17)))
    print("float: least x with a nonzero exp  =", literal(next_to(-150 * LN2, True, 17)))
    show_polynomial("exp", exp_rest, float(LN2 / 2) * 1.0001, 9)
    show_polynomial("log", log_rest, Fraction(1, 128), 5)


def inverse(low, high, bits):
    """The multiple of 2**-bits that keeps |m c - 1| smallest for m in [low, high)."""
    middle = 2 / (low + high)
    return min((on_grid(middle, bits) + Fraction(d, 2**bits) for d in (-1, 0, 1)),
               key=lambda c: max(abs(low * c - 1), abs(high * c - 1)))


def show_table():
    print("""/* Table of log.c, made by scripts/elementary-constants.py; do not edit.
   Row j serves m whose leading seven fraction bits are j: m in [1, 181/128) for j < 53, else m in [181/256, 1).
   {c, hi, lo}: c is close to 1/m with so few bits that r = m c - 1 is a double and |r| <= 2^-7; hi + lo is -log c,
   with hi a multiple of 2^-42, so that k ln2_hi + hi is exact. Both rows next to m = 1 have c = 1. */
#ifndef NUMBER_LOG_TABLE_H
#define NUMBER_LOG_TABLE_H

static const struct log_row {
    double c, hi, lo;
} log_table[128] = {""")
    for j in range(128):
        if j < 53:
            low, high, grid, bits = 1 + Fraction(j, 128), 1 + Fraction(j + 1, 128), 52, 8
        else:
            low, high, grid, bits = Fraction(128 + j, 256), Fraction(129 + j, 256), 53, 7
        c = Fraction(1) if j in (0, 127) else inverse(low, high, bits)
        largest = max(abs(low * c - 1), abs(high * c - 1))
        # r is a multiple of 2^-(grid+bits); below 2^(53-grid-bits) it is a double.
        assert largest <= Fraction(1, 128) and largest <= Fraction(2) ** (53 - grid - bits), j
        value = -Fraction(to_decimal(c).ln()) if c != 1 else Fraction(0)
        hi = on_grid(value, 42)
        assert c == 1 or abs(hi) > largest, j  # Fast2Sum of hi and r, when k = 0
        lo = nearest(value - hi)
        print(f"    {{{literal(float(c))}, {literal(float(hi))}, {literal(lo)}}},")
    print("};\n\n#endif")


if __name__ == "__main__":
    if sys.argv[1:] == ["table"]:
        show_table()
    elif not sys.argv[1:]:
        show_constants()
    else:
        sys.exit(__doc__)
