/* Language models: what may come next, by search. Membership of whole strings, by the formula's own evaluator, is the
   only thing that the search knows. A letter that some short string shows to be legal must be; a letter that is said
   to be legal must have a completion, which is found and then asked for; the rest must be illegal, and no string that
   is looked at may say otherwise. Then the transformers must say the same as the outputs at every prefix. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpus.h"
#include "decide/formula_dfa.h"
#include "random_formula.h"
#include "random_regex.h"
#include "regular_languages.h"
#include "temper.h"

enum { ALL = 6, MORE = 3, LONG = 200, STRINGS = 1100, ALL_STRINGS = 6000, MOST_LETTERS = 8 };

typedef struct subject {
    const char *name;
    const temper_spec *language; /* the acceptor */
    const temper_spec *next;     /* with outputs */
    const dfa *automaton;        /* NULL: there is none */
    size_t letters;
} subject;

typedef struct totals {
    size_t specs, all, prefixes, models, runs, streams, refused, counting;
} totals;
static totals total;

static bool is_member(const subject *x, const uint32_t *w, size_t n) {
    int accept = 0;
    temper_error e;
    CHECK(temper_spec_eval(&accept, NULL, x->language, w, n, &e) == TEMPER_OK, "%s: %s", x->name, e.text);
    return accept;
}

static int claim(const subject *x, size_t output, const uint32_t *w, size_t n) {
    int holds = -1;
    temper_error e;
    CHECK(temper_spec_eval(&holds, NULL, temper_spec_output(x->next, output), w, n, &e) == TEMPER_OK, "%s: %s",
          x->name, e.text);
    return holds;
}

static const char *shown(const subject *x, const uint32_t *w, size_t n) {
    static char out[LONG * 12 + 20];
    size_t at = 0;
    for (size_t k = 0; k < n && at + 30 < sizeof out; k++)
        at += (size_t)snprintf(out + at, sizeof out - at, "%s", temper_spec_letter(x->next, w[k]));
    out[at] = 0;
    return out;
}

/* ---- completions ---- */

static size_t step(const subject *x, size_t state, uint32_t letter) {
    return dfa_next(x->automaton, (uint32_t)state, x->automaton->class_of[letter]);
}

static bool is_dead(const subject *x, size_t state) {
    bool dead = !x->automaton->accepts[state];
    for (uint32_t a = 0; a < x->letters; a++) dead = dead && step(x, state, a) == state;
    return dead;
}

/* The shortest way from a state of the automaton to one that accepts, added to the word; 0: there is none. */
static size_t finish_by_automaton(const subject *x, uint32_t *w, size_t n, size_t most) {
    size_t states = x->automaton->state_count, q = x->automaton->start, head = 0, tail = 0;
    size_t *queue = malloc(states * sizeof *queue), *from = malloc(states * sizeof *from);
    uint32_t *by = malloc(states * sizeof *by);
    for (size_t k = 0; k < n; k++) q = step(x, q, w[k]);
    for (size_t k = 0; k < states; k++) from[k] = SIZE_MAX;
    from[q] = q;
    queue[tail++] = q;
    size_t found = SIZE_MAX, out = 0;
    while (head < tail && found == SIZE_MAX) {
        size_t at = queue[head++];
        if (x->automaton->accepts[at]) found = at;
        for (uint32_t a = 0; a < x->letters && found == SIZE_MAX; a++) {
            size_t to = step(x, at, a);
            if (from[to] != SIZE_MAX) continue;
            from[to] = at;
            by[to] = a;
            queue[tail++] = to;
        }
    }
    if (found != SIZE_MAX) {
        size_t steps = 0;
        for (size_t at = found; at != q; at = from[at]) steps++;
        out = n + steps <= most ? n + steps : 0;
        size_t place = n + steps;
        for (size_t at = found; out && at != q; at = from[at]) w[--place] = by[at];
    }
    free(queue);
    free(from);
    free(by);
    return out;
}

/* For counting languages: along letters that are said to be legal, so many more at most. */
static size_t search(const subject *x, uint32_t *w, size_t n, size_t more) {
    if (is_member(x, w, n)) return n;
    for (uint32_t a = 0; a < x->letters && more; a++) {
        if (!claim(x, a, w, n)) continue;
        w[n] = a;
        size_t found = search(x, w, n + 1, more - 1);
        if (found) return found;
    }
    return 0;
}

/* Straight on, with the first letter of some order that is said to be legal. What led to the end once is tried first:
   in most languages it always does. */
static size_t finish_greedily(const subject *x, uint32_t *w, size_t n, size_t most) {
    enum { ORDERS = 48 }; /* of four letters there are 24 */
    static uint32_t order[MOST_LETTERS];
    static size_t of; /* the number of the specification */
    test_random r = {n};
    for (size_t way = 0; way < ORDERS; way++) {
        for (uint32_t a = 0; (way || of != total.specs) && a < x->letters; a++) {
            size_t place = random_below(&r, a + 1);
            order[a] = order[place];
            order[place] = a;
        }
        of = total.specs;
        for (size_t k = n; k < most && k < 3 * n + ALL; k++) {
            size_t a = 0;
            if (is_member(x, w, k)) return k;
            while (a < x->letters && !claim(x, order[a], w, k)) a++;
            if (a == x->letters) break;
            w[k] = order[a];
        }
    }
    return 0;
}

static size_t finish_by_search(const subject *x, uint32_t *w, size_t n, size_t most) {
    size_t found = finish_greedily(x, w, n, most);
    if (found || n > 2 * ALL) return found;
    for (size_t more = 0; !found && more <= 2 * ALL; more++) found = search(x, w, n, more);
    return found;
}

static void check_completion(const subject *x, const uint32_t *w, size_t n) {
    uint32_t full[3 * LONG];
    memcpy(full, w, n * sizeof *w);
    size_t size = x->automaton ? finish_by_automaton(x, full, n, 3 * LONG) : finish_by_search(x, full, n, 3 * LONG);
    CHECK(size && is_member(x, full, size), "%s: '%s' is said to be the beginning of a string, but '%s' is none",
          x->name, shown(x, w, n), shown(x, full, size));
}

/* ---- all prefixes ---- */

/* Strings are numbered by length, then in counting order. */
static size_t number_of(const uint32_t *w, size_t n, size_t letters) {
    size_t number = 0, power = 1, base = 0;
    for (size_t k = 0; k < n; k++) {
        number = number * letters + w[k];
        base += power;
        power *= letters;
    }
    return base + number;
}

static void check_prefixes(const subject *x) {
    bool patient = test_effort() >= 2;
    size_t longest = corpus_length(x->letters, total.specs % 10 && !patient ? 3 * STRINGS : ALL_STRINGS, ALL + MORE),
           prefixes = corpus_length(x->letters,
                                    patient           ? 30000
                                    : total.specs % 8 ? STRINGS / 4
                                                      : STRINGS,
                                    ALL);
    total.all += prefixes == ALL;
    size_t count = 0, power = 1;
    for (size_t n = 0; n <= longest; n++, power *= x->letters) count += power;
    unsigned char *begins = calloc(count, 1), *member = calloc(count, 1);
    uint32_t w[ALL + MORE + 1] = {0};
    for (size_t n = 0; n <= longest; n++) {
        memset(w, 0, sizeof w);
        do {
            if (!is_member(x, w, n)) continue;
            member[number_of(w, n, x->letters)] = 1;
            for (size_t k = 0; k <= n; k++) begins[number_of(w, k, x->letters)] = 1;
        } while (corpus_next_word(w, n, x->letters));
    }
    for (size_t n = 0; n <= prefixes; n++) {
        memset(w, 0, sizeof w);
        do {
            total.prefixes++;
            int end = claim(x, x->letters, w, n);
            CHECK(end == (n <= longest ? member[number_of(w, n, x->letters)] : is_member(x, w, n)),
                  "%s: end after '%s' is %d", x->name, shown(x, w, n), end);
            for (uint32_t a = 0; a < x->letters; a++) {
                int legal = claim(x, a, w, n);
                w[n] = a;
                bool begun = n < longest ? begins[number_of(w, n + 1, x->letters)] : is_member(x, w, n + 1);
                CHECK(legal || !begun, "%s: '%s' begins a string", x->name, shown(x, w, n + 1));
                if (legal && !begun) check_completion(x, w, n + 1);
                w[n] = 0;
            }
        } while (corpus_next_word(w, n, x->letters));
    }
    free(begins);
    free(member);
}

/* ---- long prefixes: those that go on as long as they can, and others ---- */

static size_t random_prefix(const subject *x, uint32_t *w, test_random *r) {
    size_t n = 1 + random_below(r, LONG), state = 0;
    random_word(w, n, (unsigned)(x->letters > 26 ? 26 : x->letters), r);
    if (random_below(r, 3) == 0) return n;
    for (size_t k = 0; k < n; k++) {
        uint32_t legal[MOST_LETTERS * 16], count = 0;
        for (uint32_t a = 0; a < x->letters && count < MOST_LETTERS * 16; a++) {
            if (x->automaton) {
                size_t to = step(x, state, a);
                if (!is_dead(x, to)) legal[count++] = a;
            } else if (claim(x, a, w, k)) {
                legal[count++] = a;
            }
        }
        if (!count) return k ? k : 1;
        w[k] = legal[random_below(r, count)];
        if (x->automaton) state = step(x, state, w[k]);
    }
    return n;
}

static void check_long(const subject *x, test_random *r) {
    uint32_t w[LONG + 1];
    size_t n = random_prefix(x, w, r);
    total.prefixes++;
    CHECK(claim(x, x->letters, w, n) == is_member(x, w, n), "%s: end after '%s'", x->name, shown(x, w, n));
    for (uint32_t a = 0; a < x->letters; a++) {
        int legal = claim(x, a, w, n);
        w[n] = a;
        if (legal) {
            check_completion(x, w, n + 1);
        } else {
            uint32_t full[LONG + 8];
            memcpy(full, w, (n + 1) * sizeof *w);
            for (int turn = 0; turn < 8; turn++) {
                size_t more = random_below(r, 6);
                random_word(full + n + 1, more, (unsigned)(x->letters > 26 ? 26 : x->letters), r);
                CHECK(!is_member(x, full, n + 1 + more), "%s: '%s' is a string", x->name,
                      shown(x, full, n + 1 + more));
            }
        }
    }
}

/* ---- transformers ---- */

static void compare_run(const subject *x, const temper_model *m, const uint32_t *w, size_t n,
                        const temper_run_options *o, const char *how) {
    temper_run *run;
    temper_error e;
    if (temper_model_run(&run, m, w, n, o, &e) != TEMPER_OK) {
        CHECK(false, "%s: %s, '%s': %s", x->name, how, shown(x, w, n), e.text);
        return;
    }
    total.runs++;
    for (size_t k = 0; k <= x->letters; k++) {
        const temper_spec *view = temper_spec_output(x->next, k);
        unsigned char truth[LONG + 1];
        int empty = temper_spec_about(view).accepts_empty;
        const unsigned char *said = temper_run_output(run, k);
        temper_spec_eval(NULL, truth, view, w, n, &e);
        if (!CHECK(said && (said[0] != 0) == (empty != 0) && (!n || !memcmp(said + 1, truth, n)),
                   "%s: %s, output %zu ('%s') on '%s'", x->name, how, k, temper_spec_output_name(x->next, k),
                   shown(x, w, n)))
            break;
    }
    temper_run_free(run);
}

static void compare_stream(const subject *x, const temper_model *m, const uint32_t *w, size_t n) {
    temper_stream *s;
    temper_error e;
    temper_run_options o = {.unchecked = 1};
    if (!CHECK(temper_stream_open(&s, m, &o, &e) == TEMPER_OK, "%s: %s", x->name, e.text)) return;
    bool same = true;
    total.streams++;
    for (size_t i = 0; i <= n && same; i++) {
        if (i) same = CHECK(temper_stream_push(s, w[i - 1], NULL, &e) == TEMPER_OK, "%s: %s", x->name, e.text);
        for (size_t k = 0; k <= x->letters && same && (i < 12 || i == n); k++)
            same = CHECK(temper_stream_output(s, k) == claim(x, k, w, i), "%s: stream, output %zu after '%s'",
                         x->name, k, shown(x, w, i));
    }
    temper_stream_free(s);
}

static void check_models(const subject *x, test_random *r) {
    static const temper_method methods[] = {TEMPER_METHOD_HARD, TEMPER_METHOD_TEMPERATURE, TEMPER_METHOD_POSITIONS};
    static const char *const names[] = {"hard", "temperature", "positions"};
    size_t longest = corpus_length(x->letters, 130, ALL);
    for (size_t k = 0; k < 3; k++) {
        if (k == 2 && random_below(r, 4)) continue;
        temper_model *m;
        temper_error e;
        temper_build_options b = {.method = methods[k]};
        temper_run_options o = {.unchecked = 1}, f32 = {.unchecked = 1, .type = TEMPER_TYPE_F32},
                           dense = {.unchecked = 1, .dense = 1}, exact = {.hard = 1, .type = TEMPER_TYPE_EXACT};
        if (temper_build(&m, x->next, &b, &e) != TEMPER_OK) {
            CHECK(false, "%s: %s", x->name, e.text);
            continue;
        }
        total.models++;
        CHECK(temper_model_about(m).kind == TEMPER_KIND_NEXT && temper_model_about(m).outputs == x->letters + 1,
              "%s: %zu outputs", x->name, temper_model_about(m).outputs);
        uint32_t w[LONG + 1] = {0};
        if (k < 2) do
                compare_run(x, m, w, longest, &o, names[k]);
            while (corpus_next_word(w, longest, x->letters));
        size_t n = random_prefix(x, w, r);
        compare_run(x, m, w, n, k ? &f32 : &dense, k ? "f32" : "dense");
        if (k) compare_run(x, m, w, n, &dense, "dense");
        if (k < 2) compare_run(x, m, w, n < 12 ? n : 12, &exact, "exact");
        compare_run(x, m, w, 0, &o, "empty");
        if (k == 1) compare_stream(x, m, w, n);
        temper_model_free(m);
    }
}

/* ---- specifications ---- */

static arena memory;

static const dfa *automaton_of(const temper_spec *language) {
    trap t;
    static const dfa *d;
    d = NULL;
    memory.trap = &t;
    arena_reset(&memory);
    if (!trap_set(&t, NULL)) d = spec_dfa(&memory, language, NULL);
    trap_clear(&t);
    return d;
}

static void check(const char *name, const temper_spec *language, bool with_models, test_random *r) {
    temper_spec *next;
    temper_next_info info;
    temper_error e;
    temper_status status = temper_spec_next(&next, &info, language, &e);
    if (status != TEMPER_OK) {
        CHECK(status == TEMPER_UNSUPPORTED || status == TEMPER_LIMIT, "%s: %s", name, e.text);
        total.refused++;
        return;
    }
    subject x = {.name = name, .language = language, .next = next, .letters = temper_spec_about(next).letters};
    CHECK(temper_spec_about(next).outputs == x.letters + 1, "%s: %zu outputs", name, temper_spec_about(next).outputs);
    CHECK((info.states == 0) == (info.tested != 0), "%s: %zu states, %zu tested", name, info.states, info.tested);
    x.automaton = automaton_of(language);
    CHECK((x.automaton != NULL) == (info.states != 0), "%s: %zu states", name, info.states);
    total.specs++;
    total.counting += !x.automaton;
    check_prefixes(&x);
    for (int turn = 0; turn < (x.automaton || test_effort() >= 2 ? 3 : 1); turn++) check_long(&x, r);
    if (with_models) check_models(&x, r);
    temper_spec_free(next);
}

static temper_spec *parse(const char *source, const temper_spec_options *o) {
    temper_spec *s;
    temper_error e = {0};
    CHECK(temper_spec_parse(&s, source, strlen(source), o, &e) == TEMPER_OK, "%s\n%zu:%zu %s", source, e.line,
          e.column, e.text);
    return s;
}

static void check_text(const char *source, temper_syntax syntax, const char *letters, bool models, test_random *r) {
    temper_spec_options o = {.syntax = syntax, .alphabet = letters};
    temper_spec *s = parse(source, &o);
    if (s) check(source, s, models, r);
    temper_spec_free(s);
}

static void check_corpus(test_random *r) {
    size_t step = test_effort() < 2 ? 4 : 1;
    for (size_t k = random_below(r, step); k < corpus_size(); k += step) {
        const corpus_entry *e = corpus_at(k);
        temper_spec *s = corpus_parse(e);
        if (s && temper_spec_about(s).letters <= MOST_LETTERS) check(e->name, s, k / step % 4 == 0, r);
        temper_spec_free(s);
    }
}

static void check_regular(test_random *r) {
    static const char *const texts[] = {"(10)*",     "((0|1)(0|1))*", "0*1*0*1*",
                                        "(a|b)*abb", "a{2,5}b?",      "(ab|ba)*c",
                                        "a",         "(a(b(c)*)*)*",  "(aaa)*|(aa)*b"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        check_text(texts[k], TEMPER_SYNTAX_REGEX, NULL, true, r);
    for (int round = 0; round < 40 * test_effort(); round++) {
        const random_regex *x = regex_random(r, 3 + random_below(r, 8), round % 3 == 0);
        temper_spec_options o = {.syntax = TEMPER_SYNTAX_REGEX, .alphabet = "abc"};
        temper_spec *s;
        char source[2000];
        snprintf(source, sizeof source, "%s", regex_random_text(x));
        if (temper_spec_parse(&s, source, strlen(source), &o, NULL) != TEMPER_OK) continue; /* other letters */
        check(source, s, round % 4 == 0, r);
        temper_spec_free(s);
    }
}

static void random_table(char *out, size_t size, test_random *r) {
    size_t states = 1 + random_below(r, 6), at = 0;
    at += (size_t)snprintf(out + at, size - at, "start q0\naccept");
    for (size_t q = 0; q < states; q++)
        if (random_below(r, 3) == 0 || q + 1 == states) at += (size_t)snprintf(out + at, size - at, " q%zu", q);
    for (size_t q = 0; q < states; q++)
        for (char a = 'a'; a <= 'b'; a++)
            if (a == 'a' || random_below(r, 5))
                at += (size_t)snprintf(out + at, size - at, "\nq%zu %c q%zu", q, a, (size_t)random_below(r, states));
    snprintf(out + at, size - at, "\n");
}

static void check_tables(test_random *r) {
    for (int round = 0; round < 40 * test_effort(); round++) {
        char source[1000];
        random_table(source, sizeof source, r);
        check_text(source, TEMPER_SYNTAX_DFA, "ab", round % 4 == 0, r);
    }
}

static void check_formulas(test_random *r) {
    for (int round = 0; round < 80 * test_effort(); round++) {
        bool future = round % 3 == 0;
        random_shape shape = {.letters = 2,
                              .size = 1 + random_below(r, 6),
                              .depth = 4,
                              .past = !future,
                              .future = future,
                              .modulo = round % 4 == 0,
                              .attend = round % 10 == 9};
        if (shape.attend) shape.modulo = shape.future = false, shape.past = true;
        temper_spec *made = random_spec(r, &shape, future ? TEMPER_AT_FIRST : TEMPER_AT_LAST);
        char *source = NULL;
        temper_error e;
        if (made && temper_spec_print(&source, made, &e) == TEMPER_OK) {
            temper_spec_options o = {.syntax = shape.attend ? TEMPER_SYNTAX_BRASP : TEMPER_SYNTAX_SPEC};
            temper_spec *s;
            if (temper_spec_parse(&s, source, strlen(source), &o, &e) == TEMPER_OK)
                check(source, s, round % 4 == 0, r);
            temper_spec_free(s);
        }
        temper_free(source);
        temper_spec_free(made);
    }
}

static void check_viable(test_random *r) {
    static const char *const specs[] = {
        "next\nalphabet a b\nempty accept\nviable H(#[a] >= #[b])\nH(#[a] >= #[b]) & #[a] = #[b]",
        "alphabet ( ) [ ]\nempty accept\nnext\nviable H(#['('] >= #[')'] & #['['] >= #[']'])\n"
        "H(#['('] >= #[')'] & #['['] >= #[']']) & #['('] = #[')'] & #['['] = #[']']",
        "next\nalphabet a b c\nviable H((b -> !O c) & (a -> !O [bc]) & #[a] >= #[b] & #[b] >= #[c] & (c -> #[a] = "
        "#[b]))\n"
        "H((b -> !O c) & (a -> !O [bc])) & H(#[a] >= #[b] & #[b] >= #[c]) & #[a] = #[b] & #[b] = #[c]",
        "next\nalphabet a b\nviable true\n#[a] > #[b]",
        "next\nalphabet a b\nviable true\n#[a & Y b] >= #[b & Y a]",
        "next\nalphabet a b\nviable H(#[a] >= #[b] & (a -> #[a] % 2 = 1 | Y a))\n"
        "H(#[a] >= #[b] & (a -> #[a] % 2 = 1 | Y a)) & #[a] = #[b]",
        "next\nviable H(/a*b*/)\nalphabet a b\n#[a] = #[b] & /a*b*/",
    };
    for (size_t k = 0; k + 1 < sizeof specs / sizeof *specs; k++)
        check_text(specs[k], TEMPER_SYNTAX_SPEC, NULL, true, r);
    check_text("next\nalphabet a b\nlow = # (# Q_a < # Q_b)\nviable = low == 0\nviable & # Q_a == # Q_b",
               TEMPER_SYNTAX_CRASP, NULL, true, r);
}

int main(void) {
    test_random r = test_seed(1501);
    arena_init(&memory, NULL);
    check_viable(&r);
    check_regular(&r);
    check_tables(&r);
    check_formulas(&r);
    check_corpus(&r);
    CHECK(test_effort() < 1 || total.specs >= 200, "only %zu specifications", total.specs);
    CHECK(test_effort() < 2 || total.all >= 200, "only %zu specifications with all prefixes", total.all);
    printf("%zu specifications (%zu by counts, %zu with all prefixes to length 6), %zu prefixes, %zu models, %zu "
           "runs, %zu streams; %zu refused\n",
           total.specs, total.counting, total.all, total.prefixes, total.models, total.runs, total.streams,
           total.refused);
    arena_free(&memory);
    return test_finish("t-next");
}
