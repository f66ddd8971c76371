/* What a transducer writes, and the words in which it says that it cannot. */
#include <stdio.h>
#include <string.h>

#include "base/trap.h"
#include "logic/written.h"
#include "test.h"

static const char *const TEXTS[] = {"x", "", "yz", "w", "beyond"};
enum { POSITIONS = 3, MOST_TEXTS = 4 };

/* What is written; or the column and the words of a refusal. */
static void write_all(char shown[300], const unsigned char *truth, size_t outputs, bool tokens) {
    static trap t;
    static arena memory;
    text out;
    arena_init(&memory, &t);
    if (trap_set(&t, NULL)) {
        snprintf(shown, 300, "%zu: %s", t.error.column, t.error.text);
        arena_free(&memory);
        return;
    }
    text_init(&out, &memory);
    written_text(&out, TEXTS, outputs, truth, POSITIONS, POSITIONS, tokens);
    snprintf(shown, 300, "%s", text_string(&out));
    arena_free(&memory);
}

/* rows[k] has the truth of output k at three positions; whatever comes behind the outputs holds, to be seen if it is
   read. */
static void test_written(void) {
    static const struct {
        size_t outputs;
        const char *rows[MOST_TEXTS];
        bool tokens;
        const char *wanted;
    } cases[] = {
        {1, {"111"}, false, "xxx"},
        {1, {"111"}, true, "x x x"},
        {3, {"100", "010", "001"}, false, "xyz"},
        {3, {"100", "010", "001"}, true, "x yz"},
        {3, {"001", "010", "100"}, true, "yz x"},
        {1, {"011"}, false, "1: at position 1 no output holds"},
        {3, {"010", "000", "100"}, false, "3: at position 3 no output holds"},
        {2, {"011", "111"}, false, "2: at position 2, 2 outputs hold: 'x' and nothing"},
        {4, {"000", "101", "010", "001"}, false, "3: at position 3, 2 outputs hold: nothing and 'w'"},
        {4, {"100", "000", "100", "110"}, false, "1: at position 1, 3 outputs hold: 'x' and 'yz', and more"},
        {4, {"100", "100", "100", "100"}, false, "1: at position 1, 4 outputs hold: 'x' and nothing, and more"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        unsigned char truth[(MOST_TEXTS + 1) * POSITIONS];
        char shown[300];
        memset(truth, 1, sizeof truth);
        for (size_t i = 0; i < cases[k].outputs * POSITIONS; i++)
            truth[i] = cases[k].rows[i / POSITIONS][i % POSITIONS] == '1';
        write_all(shown, truth, cases[k].outputs, cases[k].tokens);
        CHECK(!strcmp(shown, cases[k].wanted), "written %zu: %s, not %s", k, shown, cases[k].wanted);
    }
    static trap t;
    const unsigned char alone[] = {0, 0, 1, 0, 1};
    arena memory;
    text out;
    arena_init(&memory, &t);
    text_init(&out, &memory);
    written_refusal(&out, TEXTS, 4, alone, 1, 7);
    CHECK(!strcmp(text_string(&out), "at position 7, 1 outputs hold: 'yz'"), "%s", text_string(&out));
    arena_free(&memory);
}

int main(void) {
    test_written();
    return test_finish("t-print-written");
}
