/* Tie-breaks by the position, which add slope times j to every score, exactly (doc/certificate.md, "Errors of scores"):
   one that a model has is found, with its numbers; one more writer of either channel, wherever it stands, and any
   other form that is not exact, and it is not. */
#include <stdio.h>

#include "audit/audit_choices_errors.h"
#include "base/entry.h"
#include "test.h"

/* A model of three layers with two heads and two units each. Channel 3 is the query's, channel 4 the key's; one of
   the writers below writes `to` as well, first or last of its terms. */
typedef struct shape {
    const char *query, *key; /* features */
    const char *query_row, *key_row;
    const char *choice;
    int writer; /* -1: none; then rows of the embedding, of heads, of units */
    bool ahead; /* the term stands before the others of its row */
    int to;
    temper_type type;
    size_t length;
} shape;

enum { TOKENS = 4, LAYERS = 3, HEADS = 2, UNITS = 2, WRITERS = TOKENS + LAYERS * (HEADS + UNITS) };

static const shape PLAIN = {.query = "1",
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
    const shape *s;
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

static void write_model(writing *w, const shape *s) {
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

typedef struct slope_case {
    const temper_model *m;
    const shape *s;
    tie_break found;
} slope_case;

static void find(entry *e, void *context) {
    slope_case *q = context;
    audit *a = arena_zalloc(&e->memory, 1, sizeof *a);
    *a = (audit){.trap = e->trap, .arena = &e->memory, .scratch = &e->scratch, .model = q->m, .length = q->s->length};
    audit_type_begin(a, q->s->type);
    general g;
    general_begin(&g, a);
    q->found = slope_find(&g, &q->m->layers[1].heads[1]);
}

static tie_break ask(const shape *s) {
    static writing w;
    temper_error e = {0};
    temper_model *m = NULL;
    slope_case q = {.s = s};
    write_model(&w, s);
    if (!CHECK(temper_model_read(&m, w.text, w.used, &e) == TEMPER_OK, "%s\n%s", e.text, w.text)) return q.found;
    q.m = m;
    CHECK(entry_run(&e, find, &q) == TEMPER_OK, "%s\n%s", e.text, w.text);
    temper_model_free(m);
    return q.found;
}

/* ---- who writes ---- */

static void test_writers(void) {
    for (int ahead = 0; ahead < 2; ahead++)
        for (int to = 2; to <= 4; to++)
            for (int k = -1; k < WRITERS; k++) {
                shape s = PLAIN;
                s.writer = k;
                s.to = to;
                s.ahead = ahead;
                tie_break t = ask(&s);
                bool free = k < 0 || to == 2; /* channel 2 is nobody's query */
                CHECK(t.found == free, "writer %d of channel %d, %s: %d", k, to, ahead ? "first" : "last", t.found);
                if (!free) continue;
                CHECK(t.dimension == 1 && t.sigma == 1.5 && t.query == 3, "dimension %u, slope %g, query %g",
                      t.dimension, t.sigma, t.query);
            }
}

/* ---- what they hold ---- */

static void test_forms(void) {
    static const struct {
        const char *query, *key, *query_row, *key_row, *choice;
        bool found;
        double sigma, factor;
    } all[] = {{"1", "i", "3:3", "4:0.5", "softmax for rightmost scale \"64\"", true, 1.5, 3},
               {"2", "i*0.25", "3:3", "4:-0.5", "softmax for leftmost scale \"64\"", true, 0.75, 6},
               {"1", "i", "3:3", "4:-0.5", "softmax for rightmost scale \"64\"", false, 0, 0},
               {"1", "i", "3:3", "4:0.5", "softmax for leftmost scale \"64\"", false, 0, 0},
               {"1", "i", "3:3", "4:0.5", "softmax for average scale \"64\"", false, 0, 0},
               {"1", "i", "3:3", "4:0.5", "rightmost", false, 0, 0},
               {"1 + [n = 0]", "i", "3:3", "4:0.5", "softmax for rightmost scale \"64\"", false, 0, 0},
               {"1 + [n = 3]", "i", "3:3", "4:0.5", "softmax for rightmost scale \"64\"", false, 0, 0},
               {"1 + [i = 0]", "i", "3:3", "4:0.5", "softmax for rightmost scale \"64\"", false, 0, 0},
               {"1 + [i = 4]", "i", "3:3", "4:0.5", "softmax for rightmost scale \"64\"", false, 0, 0},
               {"1", "i + [i = 0]", "3:3", "4:0.5", "softmax for rightmost scale \"64\"", false, 0, 0},
               {"1", "i + [i = 4]", "3:3", "4:0.5", "softmax for rightmost scale \"64\"", false, 0, 0},
               {"1", "i + [n = 0]*i", "3:3", "4:0.5", "softmax for rightmost scale \"64\"", false, 0, 0},
               {"1", "i*0.1", "3:3", "4:0.5", "softmax for rightmost scale \"64\"", false, 0, 0},
               {"1", "i", "3:0.1", "4:0.5", "softmax for rightmost scale \"64\"", false, 0, 0},
               {"1", "i", "3:3", "4:0.1", "softmax for rightmost scale \"64\"", false, 0, 0},
               {"0.1", "i", "3:3", "4:0.5", "softmax for rightmost scale \"64\"", false, 0, 0},
               {"1", "i", "0:1 3:3", "4:0.5", "softmax for rightmost scale \"64\"", false, 0, 0},
               {"1", "i", "3:3", "0:1 4:0.5", "softmax for rightmost scale \"64\"", false, 0, 0},
               {"1", "i", "4:3", "4:0.5", "softmax for rightmost scale \"64\"", false, 0, 0},
               {"1", "i", "3:3", "3:0.5", "softmax for rightmost scale \"64\"", false, 0, 0}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        shape s = PLAIN;
        s.query = all[k].query;
        s.key = all[k].key;
        s.query_row = all[k].query_row;
        s.key_row = all[k].key_row;
        s.choice = all[k].choice;
        tie_break t = ask(&s);
        CHECK(t.found == all[k].found, "query %s of %s, key %s of %s, %s: %d", s.query_row, s.query, s.key_row, s.key,
              s.choice, t.found);
        if (t.found)
            CHECK(t.sigma == all[k].sigma && t.query == all[k].factor, "slope %g, query %g", t.sigma, t.query);
    }
}

int main(void) {
    test_writers();
    test_forms();
    return test_finish("t-audit-choice-slopes");
}
