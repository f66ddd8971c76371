/* The suite of sequence tasks, and their strings. doc/sequence.md lists it. */
#include "lab/sequences.h"

#include "base/random.h"
#include "lab/sequence_oracles.h"

#include <string.h>

static size_t below(uint64_t *random, size_t end) { return (size_t)(random_next(random) % end); }

/* ---- strings of tasks that have a form ---- */

static void make_copy(char *w, size_t n, uint64_t *random) {
    size_t letters = n / 2 + below(random, 3);
    for (size_t i = 0; i < n; i++) w[i] = i < letters ? "abc"[below(random, 3)] : '|';
}

/* Keys and values by turns; it ends with a key. */
static void make_pairs(char *w, size_t n, uint64_t *random) {
    for (size_t i = 0; i < n; i++) w[i] = (n - 1 - i) % 2 == 0 ? "abcd"[below(random, 4)] : "0123"[below(random, 4)];
}

/* Keys, of which some have values. */
static void make_queries(char *w, size_t n, uint64_t *random) {
    for (size_t i = 0; i < n; i++)
        w[i] = i && w[i - 1] >= 'a' && below(random, 2) ? "0123"[below(random, 4)] : "abcd"[below(random, 4)];
}

/* ---- the suite ---- */

/* Balanced brackets, one level more each time. */
#define NEST_1(inner)  "(\\(" inner "\\))*"
#define NEST_2(inner)  "(\\(" inner "\\)|\\[" inner "\\])*"
#define FOUR(n, inner) n(n(n(n(inner))))

#define EACH_OF_3(line) line("a") line("b") line("c")
#define EACH_OF_4(line) line("0") line("1") line("2") line("3")
#define EACH_OF_5(line) EACH_OF_4(line) line("4")

#define CYCLE(r)     "emit '" r "' = (#[u] + 4*#[d]) % 5 = " r "\n"
#define MODULAR(r)   "emit '" r "' = (#['1'] + 2*#['2'] + 3*#['3'] + 4*#['4']) % 5 = " r "\n"
#define REVERSE(c)   "emit '" c "' = " c " @ #>[true]\n"
#define COPY(c)      "emit '" c "' = '|' & " c " @ #['|']\n"
#define ROTATE(c)    "emit '" c "' = Y " c " | first & F (last & " c ")\n"
#define FOUND        "rightmost[j<=i, Y letter is letter] "
#define INDUCTION(c) "emit '" c "' = " FOUND c "\n"
#define TWO_HOP(c)   "emit '" c "' = " FOUND FOUND c "\n"
#define RECALL(v)    "emit '" v "' = last & [abcd] & " FOUND "'" v "'\n"
#define QUERIES(v)   "emit '" v "' = [abcd] & rightmost[j<i, [0-3], Y letter is letter] '" v "'\n"
#define DOT          "emit '.' otherwise\n"

#define NEXT(name, about, alphabet, text, layers, heads, oracle)                                                     \
    { name, about, alphabet, "next\n" text "\n", layers, heads, oracle, NULL, NULL }
#define WRITE(name, about, alphabet, text, layers, heads, oracle, make)                                              \
    { name, about, alphabet, "transduce\n" text, layers, heads, NULL, oracle, make }

const sequence_task sequence_suite[] = {
    NEXT("flip-flop", "orders and bits in turn, first w; a bit after r is the last one after a w", "wri01",
         "empty accept\nbit = '0' | '1'\nwrote = bit & Y w\nmemory = !wrote S ('1' & Y w)\n"
         "H (bit -> Y !bit) & H (!bit -> first | Y bit) & O (first & w) & bit & H (Y r -> ('1' <-> memory))",
         4, 4, next_flip_flop),
    NEXT("dyck-1", "balanced brackets", "()",
         "empty accept\nok = H (#['('] >= #[')'])\nviable ok\nok & #['('] <= #[')']", 3, 4, next_dyck_1),
    NEXT("dyck-1-8", "balanced brackets, at most 8 deep", "()", "regex " FOUR(NEST_1, FOUR(NEST_1, "")), 9, 9,
         next_dyck_1_8),
    NEXT("dyck-2-4", "balanced brackets of two kinds, at most 4 deep", "()[]", "regex " FOUR(NEST_2, ""), 5, 5,
         next_dyck_2_4),
    NEXT("shuffle-dyck-2", "two kinds of brackets, each balanced", "()[]",
         "empty accept\nok = H (#['('] >= #[')'] & #['['] >= #[']'])\nviable ok\n"
         "ok & #['('] <= #[')'] & #['['] <= #[']']",
         3, 6, next_shuffle_dyck_2),
    NEXT("anbncn", "n times a, then b, then c; n is at least 1", "abc",
         "sorted = H (a -> H a) & H (b -> H [ab])\n"
         "ok = sorted & #[b] <= #[a] & #[c] <= #[b] & (O c -> #[a] <= #[b])\nviable ok\n"
         "ok & #[a] <= #[b] & #[b] <= #[c]",
         3, 15, next_anbncn),
    NEXT("tomita-1", "1*", "01", "regex 1*", 1, 1, next_tomita_1),
    NEXT("tomita-2", "(10)*", "01", "regex (10)*", 2, 2, next_tomita_2),
    NEXT("tomita-3", "no odd run of 0 right after an odd run of 1", "01",
         "regex (0|1(00(00)*1)*1)*(1(00(00)*1)*(00)*)?", 5, 5, next_tomita_3),
    NEXT("tomita-4", "no 000", "01", "empty accept\n!O ('0' & Y ('0' & Y '0'))", 2, 3, next_tomita_4),
    NEXT("tomita-5", "even numbers of 0 and of 1", "01", "empty accept\n#['0'] % 2 = 0 & #['1'] % 2 = 0", 2, 3,
         next_tomita_5),
    NEXT("tomita-6", "0's minus 1's are a multiple of 3", "01", "empty accept\n(#['0'] - #['1']) % 3 = 0", 2, 3,
         next_tomita_6),
    NEXT("tomita-7", "0*1*0*1*", "01", "regex 0*1*0*1*", 4, 4, next_tomita_7),

    WRITE("parity", "whether the 1's so far are odd", "01", "emit '1' = #['1'] % 2 = 1\nemit '0' otherwise\n", 2, 2,
          write_parity, NULL),
    WRITE("cycle", "a walk on a circle of five: up, down, stay", "uds", EACH_OF_5(CYCLE), 2, 3, write_cycle, NULL),
    WRITE("modular", "the sum of the digits so far, modulo 5", "01234", EACH_OF_5(MODULAR), 3, 5, write_modular,
          NULL),
    WRITE("add-low", "columns a 0+0, b 0+1, c 1+0, d 1+1, the lowest first: the sum's digits", "abcd",
          "emit '1' = [bc] ^ Y ([bc] S d)\nemit '0' otherwise\n", 1, 1, write_add_low, NULL),
    WRITE("add-high", "the same, the highest first", "abcd", "emit '1' = [bc] ^ X ([bc] U d)\nemit '0' otherwise\n",
          1, 1, write_add_high, NULL),
    WRITE("reverse", "the string from right to left", "abc", EACH_OF_3(REVERSE), 2, 2, write_reverse, NULL),
    WRITE("copy", "letters, then bars: the letters again in place of the bars", "abc|", EACH_OF_3(COPY) DOT, 3, 2,
          write_copy, make_copy),
    WRITE("rotate", "the last letter, then the others", "abc", EACH_OF_3(ROTATE), 3, 4, write_rotate, NULL),
    WRITE("sort", "the letters in order", "abc",
          "low = #[true] <= #[a] + #>[X a]\nlower = #[true] <= #[[ab]] + #>[X [ab]]\n"
          "emit 'a' = low\nemit 'b' = lower & !low\nemit 'c' otherwise\n",
          3, 5, write_sort, NULL),
    WRITE("induction", "what stood after the last place of the same letter", "abc", EACH_OF_3(INDUCTION) DOT, 2, 2,
          write_induction, NULL),
    WRITE("recall", "keys and values by turns: the value of the last letter's key", "abcd0123", EACH_OF_4(RECALL) DOT,
          2, 2, write_recall, make_pairs),
    WRITE("queries", "at every key the value that it had last", "abcd0123", EACH_OF_4(QUERIES) DOT, 2, 2,
          write_queries, make_queries),
    WRITE("two-hop", "induction twice", "abc", EACH_OF_3(TWO_HOP) DOT, 3, 3, write_two_hop, NULL),
};

size_t sequence_count(void) { return sizeof sequence_suite / sizeof *sequence_suite; }

/* ---- strings ---- */

static char any_letter(const sequence_task *t, uint64_t *random) {
    return t->alphabet[below(random, strlen(t->alphabet))];
}

/* Along the legal letters. Where there is none, any letter will do: nothing is legal after it. */
static void walk(char *w, size_t n, const sequence_task *t, uint64_t *random) {
    next_memory m = {0};
    uint32_t legal = t->next(&m, 0) & ~SEQUENCE_END;
    for (size_t i = 0; i < n; i++) {
        do w[i] = any_letter(t, random);
        while (legal && !(legal & (uint32_t)1 << (strchr(t->alphabet, w[i]) - t->alphabet)));
        legal = t->next(&m, w[i]) & ~SEQUENCE_END;
    }
}

void sequence_string(char *w, size_t n, const sequence_task *t, unsigned kind, uint64_t *random) {
    if (kind < 2 && t->make)
        t->make(w, n, random);
    else if (kind < 2 && t->next)
        walk(w, n, t, random);
    else
        for (size_t i = 0; i < n; i++) w[i] = any_letter(t, random);
    if (kind == 1 && n) { /* first the place: C leaves the order of an assignment's sides open */
        size_t at = below(random, n);
        w[at] = any_letter(t, random);
    }
    w[n] = '\0';
}

/* ---- judging ---- */

/* What the outputs say at a position: as an oracle does, bit k for the k-th letter. */
static uint32_t said(const temper_run *run, const temper_model *m, const sequence_task *t, size_t position) {
    uint32_t result = 0;
    for (size_t k = 0; k < temper_model_about(m).outputs; k++) {
        const char *name = temper_model_output_name(m, k);
        if (!temper_run_output(run, k)[position]) continue;
        result |= *name ? (uint32_t)1 << (strchr(t->alphabet, *name) - t->alphabet) : SEQUENCE_END;
    }
    return result;
}

void sequence_right(bool *right, const sequence_task *t, const temper_model *m, const temper_run *run, const char *w,
                    size_t n, arena *scratch) {
    if (t->next) {
        next_memory memory = {0};
        for (size_t p = 0; p <= n; p++) right[p] = said(run, m, t, p) == t->next(&memory, p ? w[p - 1] : 0);
        return;
    }
    char *out = arena_alloc(scratch, n + 1, 1);
    t->write(out, w, n);
    for (size_t p = 1; p <= n; p++) {
        long k = temper_run_written(run, p);
        const char *name = k >= 0 ? temper_model_output_name(m, (size_t)k) : NULL;
        right[p] = name && name[0] == out[p - 1] && !name[1];
    }
}

/* ---- the table of the page ---- */

/* Markdown takes a bar for the next column, and a star for emphasis. */
static void put_plain(text *t, const char *words) {
    for (; *words; words++) {
        if (*words == '|' || *words == '*') text_putc(t, '\\');
        text_putc(t, *words);
    }
}

const char *sequence_table(arena *a) {
    text t;
    text_init(&t, a);
    text_puts(&t, "| task | kind | letters | what | layers, heads at most |\n| --- | --- | --- | --- | --- |\n");
    for (size_t k = 0; k < sequence_count(); k++) {
        const sequence_task *x = &sequence_suite[k];
        text_printf(&t, "| %s | %s | `", x->name, x->next ? "next" : "transduce");
        for (const char *c = x->alphabet; *c; c++) text_puts(&t, *c == '|' ? "\\|" : (char[]){*c, 0});
        text_puts(&t, "` | ");
        put_plain(&t, x->about);
        text_printf(&t, " | %zu, %zu |\n", x->layers, x->heads);
    }
    return text_string(&t);
}
