/* Numbers as text and back, the same bytes in every locale of the program. print.c is the only file that may ask the
   C library to write or read a number with a point (scripts/check-locale.py): whatever the locale puts there becomes
   a point. No state is kept, so threads may do it at the same time. */
#ifndef BASE_PRINT_H
#define BASE_PRINT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

enum { PRINT_REAL = 512 }; /* bytes of a number and its NUL; a longer one is cut */

/* As snprintf and vsnprintf in the C locale: conversions d i u o x X c s p and a e f g with flags - + # 0, width and
   precision; of numbers with a point without the flag 0. */
int print_to(char *out, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
int print_list(char *out, size_t size, const char *format, va_list list) __attribute__((format(printf, 3, 0)));

/* The number that digits[0..length) spell in decimal or hexadecimal; false if they are not all of a number. Too large
   a number is infinite. */
bool text_to_double(double *x, const char *digits, size_t length);

#endif
