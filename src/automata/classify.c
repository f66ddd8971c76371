#include "automata/classify.h"

#include <string.h>

#include "base/work.h"

const char *language_class_name(language_class c) {
    static const char *const names[] = {
        "finite",    "definite",  "reverse definite", "locally testable", "piecewise testable",
        "R-trivial", "star-free", "solvable"};
    return names[c];
}

static void add_part(word_family *f, word_part part, bool power) {
    if (!part.length) return;
    part.power = power;
    f->parts[f->count++] = part;
}

/* Two families that lead to p and to q, each followed by the word that tells the two states apart. */
static void finish_families(class_verdict *v, const dfa *d, word_family to_p, word_family to_q, uint32_t p,
                            uint32_t q, arena *a) {
    word_part apart = {0};
    bool first = false;
    v->answer = CLASS_NO;
    dfa_tell_apart(&apart, &first, d, p, q, a);
    add_part(&to_p, apart, false);
    add_part(&to_q, apart, false);
    v->accepted = first ? to_p : to_q;
    v->rejected = first ? to_q : to_p;
}

/* ---- what the tests need to know ---- */

typedef struct view {
    const dfa *d;
    arena *a;
    unsigned char *reaches; /* [n][n] from a state to a state, by any word */
    unsigned char *live;    /* something is accepted from here */
    unsigned char *sink;    /* no letter leaves it */
    unsigned char *cyclic;  /* [n][n] pairs that a word leads back to themselves */
} view;

static bool reaches(const view *v, uint32_t p, uint32_t q) { return v->reaches[(size_t)p * v->d->state_count + q]; }
static bool is_cyclic(const view *v, uint32_t p, uint32_t q) { return v->cyclic[(size_t)p * v->d->state_count + q]; }

static void find_reaches(view *v) {
    uint32_t n = v->d->state_count, *stack = arena_alloc(v->a, n, sizeof *stack);
    v->reaches = arena_zalloc(v->a, n, n);
    v->live = arena_zalloc(v->a, n, 1);
    v->sink = arena_zalloc(v->a, n, 1);
    for (uint32_t s = 0; s < n; s++) {
        unsigned char *row = v->reaches + (size_t)s * n;
        size_t count = 0;
        row[stack[count++] = s] = 1;
        v->sink[s] = 1;
        while (count) {
            uint32_t at = stack[--count];
            v->live[s] |= v->d->accepts[at];
            for (uint32_t c = 0; c < v->d->class_count; c++) {
                uint32_t next = dfa_next(v->d, at, c);
                if (next != s) v->sink[s] = 0;
                if (row[next]) continue;
                row[next] = 1;
                stack[count++] = next;
            }
        }
    }
}

/* Pairs on cycles of the graph of pairs: the strongly connected components with more than one pair, and loops.
   Kosaraju without recursion. */
static void find_cyclic(view *v) {
    const dfa *d = v->d;
    uint32_t n = d->state_count, k = d->class_count;
    size_t nodes = (size_t)n * n, count = 0;
    uint32_t *order = arena_alloc(v->a, nodes, sizeof *order), *stack = arena_alloc(v->a, nodes, sizeof *stack);
    uint32_t *edge = arena_zalloc(v->a, nodes, sizeof *edge), *start = arena_zalloc(v->a, nodes + 1, sizeof *start);
    uint32_t *sources = arena_alloc(v->a, nodes * k, sizeof *sources);
    unsigned char *seen = arena_zalloc(v->a, nodes, 1);
    v->cyclic = arena_zalloc(v->a, nodes, 1);
#define PAIR_NEXT(pair, c) (dfa_next(d, (uint32_t)((pair) / n), c) * n + dfa_next(d, (uint32_t)((pair) % n), c))
    for (size_t root = 0; root < nodes; root++) {
        size_t depth = 0;
        if (seen[root]) continue;
        seen[stack[depth++] = (uint32_t)root] = 1;
        while (depth) {
            uint32_t at = stack[depth - 1];
            if (edge[at] == k) {
                order[count++] = at;
                depth--;
                continue;
            }
            uint32_t next = PAIR_NEXT(at, edge[at]);
            edge[at]++;
            if (!seen[next]) seen[stack[depth++] = next] = 1;
        }
    }
    for (size_t pair = 0; pair < nodes; pair++)
        for (uint32_t c = 0; c < k; c++) start[PAIR_NEXT(pair, c)]++;
    for (size_t pair = 0; pair < nodes; pair++) start[pair + 1] += start[pair];
    for (size_t pair = nodes; pair-- > 0;)
        for (uint32_t c = k; c-- > 0;) sources[--start[PAIR_NEXT(pair, c)]] = (uint32_t)pair;
    memset(seen, 0, nodes);
    for (size_t at = nodes; at-- > 0;) { /* in the order of leaving, backwards: each tree is a component */
        size_t depth = 0, members = 0;
        if (seen[order[at]]) continue;
        seen[stack[depth++] = order[at]] = 1;
        bool loops = false;
        uint32_t first = order[at];
        for (uint32_t c = 0; c < k; c++) loops |= PAIR_NEXT(first, c) == first;
        while (depth) {
            uint32_t pair = stack[--depth];
            if (members++) v->cyclic[pair] = 1;
            for (uint32_t e = start[pair]; e < start[pair + 1]; e++)
                if (!seen[sources[e]]) seen[stack[depth++] = sources[e]] = 1;
        }
        v->cyclic[first] = loops || members > 1;
    }
#undef PAIR_NEXT
}

static word_part path(const view *v, uint32_t from, uint32_t to) {
    word_part out = {0};
    dfa_path(&out, v->d, from, to, 0, v->a);
    return out;
}

static word_part loop(const view *v, uint32_t p, uint32_t q) {
    word_part out = {0};
    if (p == q)
        dfa_path(&out, v->d, p, p, 1, v->a);
    else
        dfa_pair_loop(&out, v->d, p, q, v->a);
    return out;
}

/* ---- the classes ---- */

static bool is_on_cycle(const view *v, uint32_t s) { return is_cyclic(v, s, s); }

/* The longest path from a state in a graph without cycles, over pairs or over states that `stays` marks. */
static size_t longest_path(const dfa *d, const unsigned char *stays, bool pairs, arena *a) {
    uint32_t n = d->state_count;
    size_t nodes = pairs ? (size_t)n * n : n, best = 0, depth = 0;
    uint32_t *stack = arena_alloc(a, nodes, sizeof *stack), *edge = arena_zalloc(a, nodes, sizeof *edge);
    size_t *height = arena_zalloc(a, nodes, sizeof *height);
    for (size_t root = 0; root < nodes; root++) {
        if (!stays[root] || edge[root]) continue;
        stack[depth++] = (uint32_t)root;
        while (depth) {
            uint32_t at = stack[depth - 1];
            if (edge[at] < d->class_count) {
                uint32_t c = edge[at]++;
                size_t next =
                    pairs ? (size_t)dfa_next(d, at / n, c) * n + dfa_next(d, at % n, c) : dfa_next(d, at, c);
                if (!stays[next]) {
                    if (height[at] < 1) height[at] = 1;
                } else if (edge[next] == 0) {
                    edge[at]--; /* again, when it is known */
                    stack[depth++] = (uint32_t)next;
                } else if (height[at] < height[next] + 1) {
                    height[at] = height[next] + 1;
                }
                continue;
            }
            if (height[at] > best) best = height[at];
            depth--;
        }
    }
    return best;
}

static void test_finite(class_verdict *out, const view *v) {
    const dfa *d = v->d;
    for (uint32_t s = 0; s < d->state_count; s++) {
        if (!v->live[s] || !is_on_cycle(v, s)) continue;
        uint32_t end = s;
        for (uint32_t t = d->state_count; t-- > 0;)
            if (reaches(v, s, t) && d->accepts[t]) end = t;
        out->answer = CLASS_NO;
        add_part(&out->accepted, path(v, d->start, s), false);
        add_part(&out->accepted, loop(v, s, s), true);
        add_part(&out->accepted, path(v, s, end), false);
        return;
    }
    out->answer = CLASS_YES;
    size_t longest =
        longest_path(d, v->live, false, v->a); /* the last step leaves the live states, or the letters end */
    bool any = v->live[d->start];
    out->degree = any && longest ? longest - 1 : 0;
}

static void test_definite(class_verdict *out, const view *v) {
    const dfa *d = v->d;
    uint32_t n = d->state_count;
    unsigned char *apart = arena_alloc(v->a, n, n);
    for (uint32_t p = 0; p < n; p++)
        for (uint32_t q = 0; q < n; q++) {
            apart[(size_t)p * n + q] = p != q;
            if (p == q || !is_cyclic(v, p, q)) continue;
            word_family to_p = {0}, to_q = {0};
            add_part(&to_p, path(v, d->start, p), false);
            add_part(&to_q, path(v, d->start, q), false);
            add_part(&to_p, loop(v, p, q), true);
            add_part(&to_q, loop(v, p, q), true);
            finish_families(out, d, to_p, to_q, p, q, v->a);
            return;
        }
    out->answer = CLASS_YES;
    out->degree = longest_path(d, apart, true, v->a);
}

static void test_reverse_definite(class_verdict *out, const view *v) {
    const dfa *d = v->d;
    unsigned char *moves = arena_alloc(v->a, d->state_count, 1);
    for (uint32_t s = 0; s < d->state_count; s++) {
        moves[s] = !v->sink[s];
        if (v->sink[s] || !is_on_cycle(v, s)) continue;
        /* s is left by some letter, so that it is neither hopeless nor certain: it is minimal */
        uint32_t good = s, bad = s;
        for (uint32_t t = 0; t < d->state_count; t++)
            if (reaches(v, s, t)) *(d->accepts[t] ? &good : &bad) = t;
        word_family to = {0};
        add_part(&to, path(v, d->start, s), false);
        add_part(&to, loop(v, s, s), true);
        out->answer = CLASS_NO;
        out->accepted = out->rejected = to;
        add_part(&out->accepted, path(v, s, good), false);
        add_part(&out->rejected, path(v, s, bad), false);
        return;
    }
    out->answer = CLASS_YES;
    out->degree = longest_path(d, moves, false, v->a);
}

static void test_r_trivial(class_verdict *out, const view *v) {
    const dfa *d = v->d;
    for (uint32_t p = 0; p < d->state_count; p++)
        for (uint32_t q = 0; q < p; q++) {
            if (!reaches(v, p, q) || !reaches(v, q, p)) continue;
            word_part there = path(v, p, q), back = path(v, q, p);
            word_family to_p = {0};
            add_part(&to_p, path(v, d->start, p), false);
            add_part(&to_p, words_joined(there, back, v->a), true);
            word_family to_q = to_p;
            add_part(&to_q, there, false);
            finish_families(out, d, to_p, to_q, p, q, v->a);
            return;
        }
    out->answer = CLASS_YES;
}

enum { CONFLUENCE_WORK = 1 << 26 }; /* states times pairs of classes; beyond it piecewise testable is UNKNOWN */

/* Klima and Polak 2013: no way back, and after two letters a and b the same state again once both have come often
   enough. */
static void test_piecewise_testable(class_verdict *out, const view *v, const class_verdict *r_trivial) {
    const dfa *d = v->d;
    if (r_trivial->answer != CLASS_YES) {
        *out = *r_trivial;
        return;
    }
    uint64_t most = work_limit(CONFLUENCE_WORK);
    if ((uint64_t)d->class_count * d->class_count * d->state_count > most) {
        *out = class_unknown("it has", most, "states times pairs of letters");
        return;
    }
    for (uint32_t s = 0; s < d->state_count; s++)
        for (uint32_t x = 0; x < d->class_count; x++)
            for (uint32_t y = 0; y < x; y++) {
                uint32_t p = dfa_next(d, s, x), q = dfa_next(d, s, y);
                uint32_t rounds = 0; /* until both stand still, which they do: there is no way back */
                for (; p != q; rounds++) {
                    uint32_t p2 = dfa_next(d, dfa_next(d, p, x), y), q2 = dfa_next(d, dfa_next(d, q, x), y);
                    if (p2 == p && q2 == q) break;
                    p = p2;
                    q = q2;
                }
                if (p == q) continue;
                word_part both = words_joined(word_of_letter(x, v->a), word_of_letter(y, v->a), v->a), settle = {0};
                for (uint32_t k = 0; k < rounds; k++) settle = words_joined(settle, both, v->a);
                word_family to_p = {0}, to_q;
                add_part(&to_p, path(v, d->start, s), false);
                to_q = to_p;
                add_part(&to_p, word_of_letter(x, v->a), false);
                add_part(&to_q, word_of_letter(y, v->a), false);
                add_part(&to_p, settle, false);
                add_part(&to_q, settle, false);
                add_part(&to_p, both, true);
                add_part(&to_q, both, true);
                finish_families(out, d, to_p, to_q, p, q, v->a);
                return;
            }
    out->answer = CLASS_YES;
}

/* How often a word must be repeated until a state stands still under that power: after `tail` steps it is on a
   circle of `period`. */
typedef struct rest {
    size_t tail, period;
} rest;

static uint32_t run_word(const dfa *d, uint32_t state, word_part word) {
    for (size_t k = 0; k < word.length; k++) state = dfa_next(d, state, word.word[k]);
    return state;
}

static rest find_rest(const dfa *d, uint32_t state, word_part word, arena *a) {
    size_t *met = arena_zalloc(a, d->state_count, sizeof *met), steps = 1;
    while (!met[state]) {
        met[state] = steps++;
        state = run_word(d, state, word);
    }
    return (rest){.tail = met[state] - 1, .period = steps - met[state]};
}

static size_t multiple(size_t of, size_t least) { return of * ((least + of - 1) / of); }

enum { WITNESS_LETTERS = 4000 }; /* longer words are no help to anybody */

/* word^k, k a multiple of both periods and as large as both tails; no letters: too long */
static word_part resting_power(word_part word, rest x, rest y, arena *a) {
    size_t period = x.period, least = x.tail > y.tail ? x.tail : y.tail;
    while (period % y.period) period += x.period;
    size_t times = multiple(period, least ? least : 1);
    word_part made = {0};
    if (times > WITNESS_LETTERS / word.length) return made;
    for (size_t k = 0; k < times; k++) made = words_joined(made, word, a);
    return made;
}

/* A pair (p, q) whose members each reach the other: v^n r v^n t v^n, and the same with another r v^n. */
static void break_mutual(class_verdict *out, const view *v, uint32_t p, uint32_t q) {
    word_part turn = loop(v, p, q), there = path(v, p, q);
    word_family to_p = {0};
    add_part(&to_p, path(v, v->d->start, p), false);
    add_part(&to_p, turn, true);
    add_part(&to_p, there, false);
    add_part(&to_p, turn, true);
    add_part(&to_p, path(v, q, p), false);
    add_part(&to_p, turn, true);
    word_family to_q = to_p;
    add_part(&to_q, there, false);
    add_part(&to_q, turn, true);
    finish_families(out, v->d, to_p, to_q, p, q, v->a);
}

/* T is a power of the word that leads p and q back to themselves, under which the other states that are met stand
   still after one T. */
static void add_rest(word_family *f, word_part power) {
    add_part(f, power, false);
    add_part(f, power, true);
}

/* `around` leads from p to q, but from q to where q is not reached any more: once, and twice. */
static void break_repeating(class_verdict *out, const view *v, uint32_t p, uint32_t q, word_part around) {
    word_part turn = loop(v, p, q);
    uint32_t lost = run_word(v->d, q, around);
    rest r = find_rest(v->d, lost, turn, v->a);
    word_part power = resting_power(turn, r, r, v->a);
    word_family once = {0};
    out->answer = CLASS_NO;
    if (!power.length) return;
    add_part(&once, path(v, v->d->start, p), false);
    add_part(&once, power, true);
    add_part(&once, around, false);
    add_rest(&once, power);
    word_family twice = once;
    add_part(&twice, around, false);
    add_rest(&twice, power);
    finish_families(out, v->d, once, twice, q, run_word(v->d, lost, power), v->a);
}

/* `around` leads from q back to q, but from p to where q is not reached any more: after the way to q, and
   before it. */
static void break_order(class_verdict *out, const view *v, uint32_t p, uint32_t q, word_part around) {
    word_part turn = loop(v, p, q), there = path(v, p, q);
    const dfa *d = v->d;
    uint32_t lost = run_word(d, p, around);
    rest first = find_rest(d, lost, turn, v->a);
    word_part still = resting_power(turn, first, first, v->a);
    out->answer = CLASS_NO;
    if (!still.length) return;
    rest second = find_rest(d, run_word(d, run_word(d, lost, still), there), turn, v->a);
    word_part power = resting_power(turn, first, second, v->a);
    if (!power.length) return;
    uint32_t end = run_word(d, run_word(d, run_word(d, lost, power), there), power);
    word_family after = {0};
    add_part(&after, path(v, d->start, p), false);
    add_part(&after, power, true);
    word_family before = after;
    add_part(&after, there, false);
    add_rest(&after, power);
    add_part(&after, around, false);
    add_rest(&after, power);
    add_part(&before, around, false);
    add_rest(&before, power);
    add_part(&before, there, false);
    add_rest(&before, power);
    finish_families(out, d, after, before, q, end, v->a);
}

/* Kim, McNaughton and McCloskey 1991, in the words of Trahtman: a pair (p, q) that a word leads back to itself is of
   one state if each reaches the other; and if q can be reached from p, then for each letter s it can be reached from
   p.s iff it can be reached from q.s. */
static bool breaks_locality(class_verdict *out, const view *v, uint32_t p, uint32_t q) {
    const dfa *d = v->d;
    if (reaches(v, q, p)) {
        break_mutual(out, v, p, q);
        return true;
    }
    for (uint32_t s = 0; s < d->class_count; s++) {
        uint32_t ps = dfa_next(d, p, s), qs = dfa_next(d, q, s);
        if (reaches(v, ps, q) == reaches(v, qs, q)) continue;
        word_part letter = word_of_letter(s, v->a);
        if (reaches(v, ps, q))
            break_repeating(out, v, p, q, words_joined(letter, path(v, ps, q), v->a));
        else
            break_order(out, v, p, q, words_joined(letter, path(v, qs, q), v->a));
        return true;
    }
    return false;
}

static void test_locally_testable(class_verdict *out, const view *v) {
    const dfa *d = v->d;
    out->answer = CLASS_YES;
    for (uint32_t p = 0; p < d->state_count; p++)
        for (uint32_t q = 0; q < d->state_count; q++)
            if (p != q && is_cyclic(v, p, q) && reaches(v, p, q) && breaks_locality(out, v, p, q)) return;
}

/* Pairs of states, for words that tell two apart; and these times classes of letters, beyond which all tests but
   those of groups say UNKNOWN. */
enum { CLASSIFY_PAIRS = 2000 * 2000, CLASSIFY_CELLS = 1 << 22 };

void dfa_classify(class_verdict *verdicts, const dfa *d, arena *a) {
    view v = {.d = d, .a = a};
    uint64_t pairs = (uint64_t)d->state_count * d->state_count, most = work_limit(CLASSIFY_CELLS);
    class_verdict unknown = class_unknown("it has", most, "pairs of states times letters");
    if (pairs > work_limit(CLASSIFY_PAIRS))
        unknown = class_unknown("it has", work_limit(CLASSIFY_PAIRS), "pairs of states");
    for (int c = 0; c < LANGUAGE_CLASSES; c++) verdicts[c] = unknown;
    if (pairs > work_limit(CLASSIFY_PAIRS)) return;
    if (pairs * d->class_count <= most) {
        memset(verdicts, 0, LANGUAGE_CLASSES * sizeof *verdicts);
        find_reaches(&v);
        find_cyclic(&v);
        test_finite(&verdicts[CLASS_FINITE], &v);
        test_definite(&verdicts[CLASS_DEFINITE], &v);
        test_reverse_definite(&verdicts[CLASS_REVERSE_DEFINITE], &v);
        test_locally_testable(&verdicts[CLASS_LOCALLY_TESTABLE], &v);
        test_r_trivial(&verdicts[CLASS_R_TRIVIAL], &v);
        test_piecewise_testable(&verdicts[CLASS_PIECEWISE_TESTABLE], &v, &verdicts[CLASS_R_TRIVIAL]);
    }
    classify_groups(&verdicts[CLASS_STAR_FREE], &verdicts[CLASS_SOLVABLE], d, a);
}
