/* The range of a form by cases: every letter, also one and two positions before, and every value of the nodes that
   are no function of letters. Correlations that this does not know make a range wider, never narrower. */
#include <math.h>

#include "ordinary/proof/term.h"

enum { MOST_BEFORE = 3, MOST_DEPTH = 64, MOST_FREE = 16, MOST_CASES = 1 << 15 };

/* A node whose value is not known, so many positions before. */
typedef struct free_node {
    ideal_node_id node;
    uint32_t before;
} free_node;

typedef struct case_work {
    const ideals *x;
    free_node free[MOST_FREE];
    double values[MOST_FREE];
    size_t count;
    uint32_t before;             /* the farthest letter that counts */
    size_t letters[MOST_BEFORE]; /* x->letters: the start sentinel */
} case_work;

static bool is_function(const ideals *x, ideal_node_id node) {
    ideal_kind k = x->nodes[node].kind;
    return k == IDEAL_LETTERS || k == IDEAL_STEP || k == IDEAL_GATE || k == IDEAL_BEFORE;
}

/* Finds the free nodes of a form. False: there are too many, or their values are no whole numbers. */
static bool collect(case_work *w, const ideal_form *f, uint32_t before, uint32_t depth) {
    const ideals *x = w->x;
    if (depth > MOST_DEPTH || before >= MOST_BEFORE) return false;
    for (size_t k = 0; k < f->count; k++) {
        ideal_node_id id = f->terms[k].node;
        const ideal_node *n = &x->nodes[id];
        if (n->kind == IDEAL_LETTERS) {
            if (before > w->before) w->before = before;
            continue;
        }
        if (n->kind == IDEAL_BEFORE && before + 1 < MOST_BEFORE) {
            if (before + 1 > w->before) w->before = before + 1;
            if (!collect(w, &x->forms[n->value], before + 1, depth + 1)) return false;
            continue;
        }
        if (n->kind == IDEAL_STEP || n->kind == IDEAL_GATE) {
            if (!collect(w, &x->forms[n->kind == IDEAL_STEP ? n->sum : n->value], before, depth + 1)) return false;
            continue;
        }
        bool known = false;
        for (size_t e = 0; e < w->count && !known; e++) known = w->free[e].node == id && w->free[e].before == before;
        if (known) continue;
        if (!n->whole || w->count == MOST_FREE) return false;
        w->free[w->count++] = (free_node){id, before};
    }
    return true;
}

static double value_of(const case_work *w, const ideal_form *f, uint32_t before) {
    const ideals *x = w->x;
    if (before && w->letters[before] == x->letters) return f->start;
    double sum = f->one;
    for (size_t k = 0; k < f->count; k++) {
        ideal_node_id id = f->terms[k].node;
        const ideal_node *n = &x->nodes[id];
        double v = 0;
        if (n->kind == IDEAL_LETTERS)
            v = n->values[w->letters[before]];
        else if (n->kind == IDEAL_STEP)
            v = value_of(w, &x->forms[n->sum], before) >= n->at;
        else if (n->kind == IDEAL_GATE)
            v = value_of(w, &x->forms[n->value], before);
        else if (n->kind == IDEAL_BEFORE && before + 1 < MOST_BEFORE)
            v = value_of(w, &x->forms[n->value], before + 1);
        else
            for (size_t e = 0; e < w->count; e++)
                if (w->free[e].node == id && w->free[e].before == before) v = w->values[e];
        sum += f->terms[k].weight * v;
    }
    return sum;
}

static bool next_case(case_work *w) {
    const ideals *x = w->x;
    for (size_t e = 0; e < w->count; e++) {
        const ideal_node *n = &x->nodes[w->free[e].node];
        if (w->values[e] < n->most) {
            w->values[e]++;
            return true;
        }
        w->values[e] = n->least;
    }
    for (uint32_t b = 0; b <= w->before; b++) {
        if (w->letters[b] + (b == 0) < x->letters) {
            w->letters[b]++;
            return true;
        }
        w->letters[b] = 0;
    }
    return false;
}

void ideal_case_range(const ideals *x, const ideal_form *f, double *least, double *most) {
    case_work w = {.x = x};
    bool simple = f->count < 2 && (!f->count || !is_function(x, f->terms[0].node));
    ideal_letter_range(x, f, least, most);
    if (simple || !x->letters || !collect(&w, f, 0, 0)) return;
    double cases = 1;
    for (uint32_t b = 0; b <= w.before; b++) cases *= (double)x->letters + 1;
    for (size_t e = 0; e < w.count; e++) {
        const ideal_node *n = &x->nodes[w.free[e].node];
        cases *= n->most - n->least + 1;
        w.values[e] = n->least;
    }
    if (cases > MOST_CASES) return;
    *least = INFINITY;
    *most = -INFINITY;
    do {
        double v = value_of(&w, f, 0);
        *least = fmin(*least, v);
        *most = fmax(*most, v);
    } while (next_case(&w));
}
