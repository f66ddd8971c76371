#include "number/decimal.h"

enum { PIECE = 18 }; /* digits of a number that fits into 63 bits */

void decimal_set(rational *z, rational_pool *p, const char *digits, size_t count) {
    rational *x = rational_array(p, 2);
    rational_set_int(z, 0);
    for (size_t k = 0; k < count;) {
        int64_t piece = 0, power = 1;
        for (size_t end = count - k > PIECE ? k + PIECE : count; k < end; k++) {
            piece = 10 * piece + (digits[k] - '0');
            power *= 10;
        }
        rational_set_int(&x[0], (long)power);
        rational_set_int(&x[1], (long)piece);
        rational_mul(z, z, &x[0]);
        rational_add(z, z, &x[1]);
    }
}

void decimal_shift(rational *z, size_t places) {
    for (; places; places--) rational_div_int(z, z, 10);
}
