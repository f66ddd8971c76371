#include "slope_cases.h"

#include <stdio.h>

enum { TOKENS = 4, LAYERS = 3, HEADS = 2, UNITS = 2, WRITERS = TOKENS + LAYERS * (HEADS + UNITS) };

static const slope_shape PLAIN = {.query = "1",
                                  .key = "i",
                                  .query_row = "3:3",
                                  .key_row = "4:0.5",
                                  .choice = "softmax for rightmost scale \"64\"",
                                  .writer = -1,
                                  .to = 3,
                                  .type = TEMPER_TYPE_F32,
                                  .length = 3};

typedef struct writing {
    char text[6000];
    size_t used;
    int next; /* the number of the next row that writes */
    const slope_shape *s;
} writing;

#define PUT(w, ...) (w)->used += (size_t)snprintf((w)->text + (w)->used, sizeof(w)->text - (w)->used, __VA_ARGS__)

/* A row of one term, to which the writer adds another. */
static void put_row(writing *w, const char *begin, int channel) {
    bool more = w->next++ == w->s->writer;
    PUT(w, "%s", begin);
    if (more && w->s->to < channel) PUT(w, " %d:1", w->s->to);
    PUT(w, " %d:1", channel);
    if (more && w->s->to > channel) PUT(w, " %d:1", w->s->to);
    PUT(w, "\n");
}

static void write_model(writing *w, const slope_shape *s) {
    static const char *const tokens[TOKENS] = {"embed \"a\"", "embed \"b\"", "embed start", "embed end"};
    int own = s->ahead ? 5 : 1; /* what all rows write: before 3 and 4, or behind them */
    *w = (writing){.s = s};
    PUT(w,
        "temper-model 1\nmethod temperature\nalphabet \"a\" \"b\"\nat last\nend yes\nchannel 0 \"one\" position "
        "\"1\"\nchannel 1 \"x\"\nchannel 2 \"y\"\nchannel 3 \"q\" position \"%s\"\nchannel 4 \"k\" soft "
        "\"%s\"\nchannel 5 \"z\"\n",
        s->query, s->key);
    for (int k = 0; k < TOKENS; k++) put_row(w, tokens[k], own);
    for (int l = 1; l <= LAYERS; l++) {
        PUT(w, "layer %d\n", l);
        for (int h = 0; h < HEADS; h++) {
            if (l == 2 && h == 1)
                PUT(w, "head \"t\" mask all choice %s\n query 1:1\n query %s\n key 1:1\n key %s\n value 1:1\n",
                    s->choice, s->query_row, s->key_row);
            else
                PUT(w, "head \"h\" mask all choice average\n query 0:1\n key 0:1\n value 1:1\n");
            put_row(w, " output", own);
        }
        for (int u = 0; u < UNITS; u++) put_row(w, "unit -1 1:1 ->", own);
    }
    PUT(w, "read 0:1\n");
}

/* ---- who writes ---- */

static slope_answer answer(const slope_shape *s, slope_asker *ask) {
    static writing w;
    temper_error e = {0};
    temper_model *m = NULL;
    write_model(&w, s);
    if (!CHECK(temper_model_read(&m, w.text, w.used, &e) == TEMPER_OK, "%s\n%s", e.text, w.text))
        return (slope_answer){0};
    slope_answer found = ask(m, s);
    temper_model_free(m);
    return found;
}

static void test_writers(slope_asker *ask) {
    for (int ahead = 0; ahead < 2; ahead++)
        for (int to = 2; to <= 4; to++)
            for (int k = -1; k < WRITERS; k++) {
                slope_shape s = PLAIN;
                s.writer = k;
                s.to = to;
                s.ahead = ahead;
                slope_answer t = answer(&s, ask);
                bool free = k < 0 || to == 2; /* channel 2 is nobody's query */
                CHECK(t.found == free, "writer %d of channel %d, %s: %d", k, to, ahead ? "first" : "last", t.found);
                if (!free) continue;
                CHECK(t.dimension == 1 && t.sigma == 1.5 && t.query == 3, "dimension %u, slope %g, query %g",
                      t.dimension, t.sigma, t.query);
            }
}

/* ---- what they hold ---- */

#define RIGHT "softmax for rightmost scale \"64\""
#define LEFT  "softmax for leftmost scale \"64\""

/* Of 3 letters there are 5 positions, of none there are 2. */
static const struct {
    const char *query, *key, *query_row, *key_row, *choice;
    temper_type type;
    size_t length;
    double sigma, factor; /* 0: none is found */
} forms[] = {{"1", "i", "3:3", "4:0.5", RIGHT, TEMPER_TYPE_F32, 3, 1.5, 3},
             {"2", "i*0.25", "3:3", "4:-0.5", LEFT, TEMPER_TYPE_F32, 3, 0.75, 6},
             {"1", "i", "3:3", "4:-0.5", RIGHT, TEMPER_TYPE_F32, 3, 0, 0},
             {"1", "i", "3:3", "4:0.5", LEFT, TEMPER_TYPE_F32, 3, 0, 0},
             {"1", "i", "3:1", "4:-0.5", RIGHT, TEMPER_TYPE_F32, 3, 0, 0},
             {"1", "i", "3:1", "4:0.5", LEFT, TEMPER_TYPE_F32, 3, 0, 0},
             {"0", "i", "3:1", "4:0.5", RIGHT, TEMPER_TYPE_F32, 3, 0, 0},
             {"1", "i", "3:3", "4:0.5", "softmax for average scale \"64\"", TEMPER_TYPE_F32, 3, 0, 0},
             {"1", "i", "3:3", "4:0.5", "rightmost", TEMPER_TYPE_F32, 3, 0, 0},
             /* other numbers at some length, or at some position */
             {"1 + [n = 0]", "i", "3:3", "4:0.5", RIGHT, TEMPER_TYPE_F32, 3, 0, 0},
             {"1 + [n = 3]", "i", "3:3", "4:0.5", RIGHT, TEMPER_TYPE_F32, 3, 0, 0},
             {"1 + [n = 4]", "i", "3:3", "4:0.5", RIGHT, TEMPER_TYPE_F32, 3, 1.5, 3},
             {"1 + [i = 0]", "i", "3:3", "4:0.5", RIGHT, TEMPER_TYPE_F32, 3, 0, 0},
             {"1 + [i = 4]", "i", "3:3", "4:0.5", RIGHT, TEMPER_TYPE_F32, 3, 0, 0},
             {"1 + [i = 5]", "i", "3:3", "4:0.5", RIGHT, TEMPER_TYPE_F32, 3, 1.5, 3},
             {"1 + [i = 5]*n", "i", "3:3", "4:0.5", RIGHT, TEMPER_TYPE_F32, 3, 1.5, 3},
             {"1 + [i = 2]*[n = 0]", "i", "3:3", "4:0.5", RIGHT, TEMPER_TYPE_F32, 3, 1.5, 3},
             {"1 + [i = 1]*[n = 0]", "i", "3:3", "4:0.5", RIGHT, TEMPER_TYPE_F32, 3, 0, 0},
             {"1 + [N = 2]", "i", "3:3", "4:0.5", RIGHT, TEMPER_TYPE_F32, 3, 0, 0},
             {"1 + [N = 6]", "i", "3:3", "4:0.5", RIGHT, TEMPER_TYPE_F32, 3, 1.5, 3},
             {"[N = 2]", "i*[N = 2]", "3:3", "4:0.5", RIGHT, TEMPER_TYPE_F32, 0, 1.5, 3},
             {"1", "i + [i = 0]", "3:3", "4:0.5", RIGHT, TEMPER_TYPE_F32, 3, 0, 0},
             {"1", "i + [i = 4]", "3:3", "4:0.5", RIGHT, TEMPER_TYPE_F32, 3, 0, 0},
             {"1", "i + [i = 5]", "3:3", "4:0.5", RIGHT, TEMPER_TYPE_F32, 3, 1.5, 3},
             {"1", "i + [n = 0]*i", "3:3", "4:0.5", RIGHT, TEMPER_TYPE_F32, 3, 0, 0},
             {"1", "i*i", "3:3", "4:0.5", RIGHT, TEMPER_TYPE_F32, 3, 0, 0},
             /* numbers that the type does not hold */
             {"1", "i*0.1", "3:3", "4:0.5", RIGHT, TEMPER_TYPE_F32, 3, 0, 0},
             {"1", "i", "3:0.1", "4:0.5", RIGHT, TEMPER_TYPE_F32, 3, 0, 0},
             {"1", "i", "3:3", "4:0.1", RIGHT, TEMPER_TYPE_F32, 3, 0, 0},
             {"0.1", "i", "3:3", "4:0.5", RIGHT, TEMPER_TYPE_F32, 3, 0, 0},
             {"411", "i", "3:5", "4:1", RIGHT, TEMPER_TYPE_F16, 3, 0, 0},
             {"411", "i", "3:3", "4:1", RIGHT, TEMPER_TYPE_F16, 3, 1233, 1233},
             {"1", "i*411", "3:3", "4:1", RIGHT, TEMPER_TYPE_F16, 3, 1233, 3}, /* 5 times 411 is no number of f16 */
             {"1", "i*411", "3:3", "4:1", RIGHT, TEMPER_TYPE_F16, 4, 0, 0},
             {"1", "i", "3:3", "4:411", RIGHT, TEMPER_TYPE_F16, 3, 1233, 3},
             {"1", "i", "3:3", "4:411", RIGHT, TEMPER_TYPE_F16, 4, 0, 0},
             /* products near the least double */
             {"0x1p-450", "i", "3:0x1p-450", "4:1", RIGHT, TEMPER_TYPE_F64, 3, 0x1p-900, 0x1p-900},
             {"0x1p-450", "i", "3:0x1p-451", "4:1", RIGHT, TEMPER_TYPE_F64, 3, 0, 0},
             {"1", "i*0x1p-450", "3:1", "4:0x1p-450", RIGHT, TEMPER_TYPE_F64, 3, 0x1p-900, 1},
             {"1", "i*0x1p-450", "3:1", "4:0x1p-451", RIGHT, TEMPER_TYPE_F64, 3, 0, 0},
             {"0x1p-450", "i*0x1p-449", "3:1", "4:0.5", RIGHT, TEMPER_TYPE_F64, 3, 0x1p-900, 0x1p-450},
             {"0x1p-450", "i*0x1p-450", "3:1", "4:0.5", RIGHT, TEMPER_TYPE_F64, 3, 0, 0},
             /* rows of two terms, and of the other kind of channel */
             {"1", "i", "0:1 3:3", "4:0.5", RIGHT, TEMPER_TYPE_F32, 3, 0, 0},
             {"1", "i", "3:3", "0:1 4:0.5", RIGHT, TEMPER_TYPE_F32, 3, 0, 0},
             {"1", "i", "4:3", "4:0.5", RIGHT, TEMPER_TYPE_F32, 3, 0, 0},
             {"1", "i", "3:3", "3:0.5", RIGHT, TEMPER_TYPE_F32, 3, 0, 0}};

static void test_forms(slope_asker *ask) {
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        slope_shape s = PLAIN;
        s.query = forms[k].query;
        s.key = forms[k].key;
        s.query_row = forms[k].query_row;
        s.key_row = forms[k].key_row;
        s.choice = forms[k].choice;
        s.type = forms[k].type;
        s.length = forms[k].length;
        slope_answer t = answer(&s, ask);
        CHECK(t.found == (forms[k].sigma > 0), "query %s of %s, key %s of %s, %s, %zu letters: %d", s.query_row,
              s.query, s.key_row, s.key, s.choice, s.length, t.found);
        if (t.found && forms[k].sigma > 0)
            CHECK(t.sigma == forms[k].sigma && t.query == forms[k].factor, "key %s of %s: slope %a, query %a",
                  s.key_row, s.key, t.sigma, t.query);
    }
}

void slope_cases(slope_asker *ask) {
    test_writers(ask);
    test_forms(ask);
}
