#include "limits/hard_strings.h"

#include <string.h>

#include "run/dense.h"
#include "run/positions.h"

enum {
    LETTERS_MOST = 6, /* classes of letters that are looked at */
    TRIED_MOST = 400, /* words that are run */
    WORDS_MOST = 16,  /* words that are kept */
    PARTNERS = 6,     /* words that stand as `one` with a partner */
    LOOK = 24         /* letters of a run that shows what a word looks like */
};

/* ---- letters ---- */

static bool embedded_alike(const temper_model *m, uint32_t a, uint32_t b) {
    size_t size = rows_size(&m->embedding, a);
    const model_term *x = rows_begin_of(&m->embedding, a), *y = rows_begin_of(&m->embedding, b);
    if (size != rows_size(&m->embedding, b)) return false;
    for (size_t k = 0; k < size; k++)
        if (x[k].channel != y[k].channel || x[k].weight != y[k].weight) return false;
    return true;
}

static void find_letters(string_kit *kit, arena *a) {
    kit->letters = arena_alloc(a, LETTERS_MOST, sizeof *kit->letters);
    for (uint32_t l = 0; l < kit->m->letters.count && kit->letter_count < LETTERS_MOST; l++) {
        bool known = false;
        for (size_t k = 0; k < kit->letter_count && !known; k++) known = embedded_alike(kit->m, kit->letters[k], l);
        if (!known) kit->letters[kit->letter_count++] = l;
    }
}

/* ---- what a word looks like ---- */

typedef struct look {
    uint64_t digest; /* FNV-1a of keys and values of all heads in the steady part */
    double interest;
} look;

static void add_digest(look *l, const double *x, size_t count) {
    for (size_t k = 0; k < count; k++) {
        unsigned char bytes[sizeof *x];
        memcpy(bytes, &x[k], sizeof bytes);
        for (size_t b = 0; b < sizeof bytes; b++) l->digest = (l->digest ^ bytes[b]) * 0x100000001B3u;
    }
}

/* Neighbours with different values are what a head must keep apart; with equal keys most of all. */
static void look_at_head(void *context, const dense_view *view) {
    look *l = context;
    size_t qs = view->h->query.count, vs = view->h->value.count;
    for (size_t j = LOOK / 3; j < LOOK; j++) {
        const double *k = view->key + j * qs, *v = view->value + j * vs;
        add_digest(l, k, qs);
        add_digest(l, v, vs);
        bool keys = memcmp(k, k - qs, qs * sizeof *k) != 0, values = memcmp(v, v - vs, vs * sizeof *v) != 0;
        l->interest += (values && !keys ? 3 : 0) + (values && keys ? 2 : 0) + (keys ? 1 : 0);
    }
}

static look look_at_word(const string_kit *kit, const string_word *w, arena *stream, arena *scratch) {
    look l = {.digest = 0xCBF29CE484222325u};
    dense_watch watch = {look_at_head, &l};
    dense_setting s = {.storage = &format_f64, .accumulation = &format_f64, .hard = true, .watch = &watch};
    uint32_t letters[LOOK];
    dense_answer answer;
    for (size_t i = 0; i < LOOK; i++) letters[i] = w->letters[i % w->length];
    arena_reset(stream);
    arena_reset(scratch);
    dense_run(&answer, kit->m, letters, LOOK, &s, stream, scratch);
    return l;
}

/* ---- words ---- */

/* Smaller than all its rotations: so no repetition of a shorter word, and of its rotations the only one. */
static bool is_first_rotation(const uint32_t *digits, size_t length) {
    for (size_t shift = 1; shift < length; shift++) {
        size_t k = 0;
        while (k < length && digits[k] == digits[(k + shift) % length]) k++;
        if (k == length || digits[k] > digits[(k + shift) % length]) return false;
    }
    return true;
}

/* Keeps the list sorted by interest, the first met first, from `fixed` on. */
static void keep_word(string_kit *kit, const string_word *w, size_t fixed) {
    if (kit->word_count == WORDS_MOST && w->interest <= kit->words[WORDS_MOST - 1].interest) return;
    size_t at = kit->word_count < WORDS_MOST ? kit->word_count++ : WORDS_MOST - 1;
    for (; at > fixed && kit->words[at - 1].interest < w->interest; at--) kit->words[at] = kit->words[at - 1];
    kit->words[at] = *w;
}

static bool next_digits(uint32_t *digits, size_t length, size_t base) {
    for (size_t k = length; k-- > 0; digits[k] = 0)
        if (++digits[k] < base) return true;
    return false;
}

static void find_words(string_kit *kit, arena *a, arena *stream, arena *scratch) {
    uint64_t *seen = arena_alloc(a, TRIED_MOST, sizeof *seen);
    size_t tried = 0;
    kit->words = arena_zalloc(a, WORDS_MOST, sizeof *kit->words);
    for (size_t length = 1; length <= WORD_MOST && kit->letter_count; length++) {
        uint32_t digits[WORD_MOST] = {0};
        do {
            string_word w = {.length = length};
            if (!is_first_rotation(digits, length)) continue;
            if (tried == TRIED_MOST) return;
            for (size_t k = 0; k < length; k++) w.letters[k] = kit->letters[digits[k]];
            look l = look_at_word(kit, &w, stream, scratch);
            bool known = false;
            for (size_t k = 0; k < tried && !known; k++) known = seen[k] == l.digest;
            seen[tried++] = l.digest;
            w.interest = l.interest;
            if (length == 1)
                kit->words[kit->word_count++] = w;
            else if (!known)
                keep_word(kit, &w, kit->letter_count);
        } while (next_digits(digits, length, kit->letter_count));
    }
}

/* ---- families ---- */

static void add_family(string_kit *kit, size_t *capacity, arena *a, family_kind kind, size_t one, size_t two,
                       size_t phase) {
    family f = {.kind = kind, .one = (uint32_t)one, .two = (uint32_t)two, .phase = (uint32_t)phase};
    array_push(a, kit->families, kit->family_count, *capacity, f);
}

/* Those first that need no luck with the length. */
static void find_families(string_kit *kit, arena *a) {
    size_t capacity = 0, singles = kit->letter_count;
    for (size_t w = 0; w < kit->word_count; w++) {
        size_t one = (w + singles) % kit->word_count; /* single letters last */
        for (size_t phase = 0; phase < kit->words[one].length; phase++)
            add_family(kit, &capacity, a, FAMILY_PERIODIC, one, one, phase);
    }
    for (size_t one = 0; one < singles; one++)
        for (size_t two = 0; two < singles; two++)
            for (size_t phase = 0; phase < 2 && one != two; phase++) {
                add_family(kit, &capacity, a, FAMILY_EDGE, one, two, phase);
                if (one < two) add_family(kit, &capacity, a, FAMILY_MIX, one, two, phase);
            }
    size_t ones = singles + PARTNERS < kit->word_count ? singles + PARTNERS : kit->word_count;
    for (size_t one = 0; one < ones; one++)
        for (size_t two = 0; two < singles; two++) {
            if (one == two) continue;
            add_family(kit, &capacity, a, FAMILY_BEFORE, one, two, 0);
            add_family(kit, &capacity, a, FAMILY_AFTER, one, two, 0);
            add_family(kit, &capacity, a, FAMILY_HALF, one, two, 0);
            add_family(kit, &capacity, a, FAMILY_RUNS, one, two, 0);
            for (size_t phase = 0; phase <= 4; phase++) add_family(kit, &capacity, a, FAMILY_PLACE, one, two, phase);
        }
}

string_kit *string_kit_new(const temper_model *m, answer_key *key, arena *a, arena *stream, arena *scratch) {
    string_kit *kit = arena_zalloc(a, 1, sizeof *kit);
    kit->m = m;
    kit->key = key;
    find_letters(kit, a);
    find_words(kit, a, stream, scratch);
    find_families(kit, a);
    return kit;
}

/* ---- strings ---- */

static void repeat(uint32_t *out, const string_word *w, size_t n, size_t phase) {
    for (size_t i = 0; i < n; i++) out[i] = w->letters[(i + phase) % w->length];
}

static void fill_place(uint32_t *out, const string_word *one, const string_word *two, size_t n, size_t quarter) {
    size_t length = one->length < n ? one->length : n, at = (n - length) * quarter / 4;
    repeat(out, two, n, 0);
    for (size_t k = 0; k < length; k++) out[at + k] = one->letters[k];
}

static void fill_runs(uint32_t *out, const string_word *one, const string_word *two, size_t n) {
    size_t run = 1, left = 1;
    bool first = true;
    for (size_t i = 0; i < n; i++) {
        const string_word *w = first ? one : two;
        out[i] = w->letters[i % w->length];
        if (--left > 0) continue;
        first = !first;
        if (first) run *= 2;
        left = run;
    }
}

/* `count` letters of one^* among those of two^*: first, or spread evenly. */
static void fill_split(uint32_t *out, const string_word *one, const string_word *two, size_t n, size_t count,
                       bool spread) {
    for (size_t i = 0; i < n; i++) {
        bool taken = spread ? (i + 1) * count / n > i * count / n : i < count;
        const string_word *w = taken ? one : two;
        out[i] = w->letters[i % w->length];
    }
}

static bool is_accepted(const string_kit *kit, const uint32_t *letters, size_t n, unsigned char *truth) {
    size_t from, to;
    answer_key_truth(truth, &from, &to, kit->key, 0, letters, n);
    return truth[verdict_position(kit->m, n) - 1];
}

/* Where the verdict changes with the count, if it does; else half of the length. */
static size_t fill_edge(uint32_t *out, const string_kit *kit, family *f, size_t n, unsigned char *truth) {
    const string_word *one = &kit->words[f->one], *two = &kit->words[f->two];
    bool spread = f->kind == FAMILY_MIX;
    size_t low = 0, high = n, asked = 2;
    fill_split(out, one, two, n, low, spread);
    bool at_low = is_accepted(kit, out, n, truth);
    fill_split(out, one, two, n, high, spread);
    f->flat = is_accepted(kit, out, n, truth) == at_low;
    if (f->flat) {
        fill_split(out, one, two, n, n / 2 + f->phase, spread);
        return asked;
    }
    for (; high - low > 1; asked++) {
        size_t middle = low + (high - low) / 2;
        fill_split(out, one, two, n, middle, spread);
        if (is_accepted(kit, out, n, truth) == at_low)
            low = middle;
        else
            high = middle;
    }
    f->flat = high < n / 16 || n - high < n / 16; /* no counts to speak of */
    fill_split(out, one, two, n, high - f->phase, spread);
    return asked;
}

size_t family_fill(uint32_t *out, const string_kit *kit, family *f, size_t n, unsigned char *truth) {
    const string_word *one = &kit->words[f->one], *two = &kit->words[f->two];
    if (n == 0) return 0;
    switch (f->kind) {
    case FAMILY_PERIODIC: repeat(out, one, n, f->phase); break;
    case FAMILY_BEFORE:
        out[0] = two->letters[0];
        repeat(out + 1, one, n - 1, 0);
        break;
    case FAMILY_AFTER:
        repeat(out, one, n - 1, 0);
        out[n - 1] = two->letters[0];
        break;
    case FAMILY_PLACE: fill_place(out, one, two, n, f->phase); break;
    case FAMILY_HALF:
        repeat(out, two, n / 2, 0);
        repeat(out + n / 2, one, n - n / 2, 0);
        break;
    case FAMILY_RUNS: fill_runs(out, one, two, n); break;
    case FAMILY_EDGE:
    case FAMILY_MIX: return fill_edge(out, kit, f, n, truth);
    }
    return 0;
}
