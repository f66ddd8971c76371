/* The compiler, where one of them was seen to be wrong. clang 14 at -O2 leaves out the loop that looks for an earlier
   group, so that only the first unit has one: a pass that moves loads out of loops mixes up two addresses. That
   proved files of ordinary transformers in WebAssembly that the native library did not prove, and the other way
   round. The Makefile and web/wasm-cc.sh switch the pass off. */
#include "test.h"

typedef struct unit {
    size_t count;
    const uint32_t *columns; /* [count] */
    uint32_t sum;
} unit;

/* The columns that units of each sum write, all sums together: as in ideal_net of src/ordinary/proof/term.c. */
static size_t __attribute__((noinline)) written_by_groups(const unit *units, size_t count, uint32_t *written) {
    size_t all = 0;
    for (size_t k = 0; k < count; k++) {
        const unit *u = &units[k];
        bool first = true;
        for (size_t e = 0; e < k && first; e++) first = units[e].sum != u->sum;
        if (u->sum == UINT32_MAX || !first) continue;
        size_t group = 0;
        for (size_t e = k; e < count; e++)
            for (size_t t = 0; units[e].sum == u->sum && t < units[e].count; t++) {
                bool known = false;
                for (size_t g = 0; g < group && !known; g++) known = written[g] == units[e].columns[t];
                if (!known) written[group++] = units[e].columns[t];
            }
        all += group;
    }
    return all;
}

/* The same by a table of who writes what; volatile, so that nothing is moved. */
static size_t written_by_table(const unit *units, size_t count) {
    volatile bool writes[8][4] = {{false}};
    size_t all = 0;
    for (size_t k = 0; k < count; k++)
        for (size_t t = 0; t < units[k].count && units[k].sum != UINT32_MAX; t++)
            writes[units[k].sum][units[k].columns[t]] = true;
    for (size_t s = 0; s < 8; s++)
        for (size_t c = 0; c < 4; c++) all += writes[s][c];
    return all;
}

int main(void) {
    test_random r = test_seed(1);
    for (size_t trial = 0; trial < 2000; trial++) {
        uint32_t columns[8][3], written[32];
        unit units[8];
        size_t count = 1 + random_below(&r, 8);
        for (size_t k = 0; k < count; k++) {
            units[k] = (unit){random_below(&r, 4), columns[k], (uint32_t)random_below(&r, 8)};
            if (!random_below(&r, 8)) units[k].sum = UINT32_MAX;
            for (size_t t = 0; t < 3; t++) columns[k][t] = (uint32_t)random_below(&r, 4);
        }
        size_t groups = written_by_groups(units, count, written), table = written_by_table(units, count);
        CHECK(groups == table, "%zu units: %zu columns by groups, %zu by a table", count, groups, table);
    }
    return test_finish("t-compiler");
}
