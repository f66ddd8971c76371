/* Text in llama.cpp, without llama.cpp: its unigram tokenizer as its source describes it, written anew here, on the
   texts, scores and map of characters that files have, against what temper makes of the same text. Letters and
   unknown text are odd ones, with and without a line other. */
#include <stdio.h>
#include <string.h>

#include "base/alphabet.h"
#include "base/entry.h"
#include "ordinary/files/gguf_tokens.h"
#include "test.h"

enum { MOST_TEXT = 200, MOST_LETTERS = 40 };

/* ---- the tokenizer ---- */

static uint32_t word_at(const char *bytes) {
    uint32_t x = 0;
    for (size_t b = 4; b > 0; b--) x = x << 8 | (unsigned char)bytes[b - 1];
    return x;
}

static uint32_t unit_at(const text *map, size_t k) {
    if (!CHECK(4 * k + 4 <= word_at(map->data), "unit %zu of %u bytes", k, word_at(map->data))) return 0;
    return word_at(map->data + 4 + 4 * k);
}

static uint32_t base_of(uint32_t unit) { return (unit >> 10) << ((unit & 1u << 9) >> 6); }

/* The longest piece that the map knows, and what it becomes; 0: none. */
static size_t find_piece(const text *map, const char *at, size_t left, const char **becomes) {
    size_t node = base_of(unit_at(map, 0)), longest = 0;
    for (size_t k = 0; k < left; k++) {
        unsigned char c = (unsigned char)at[k];
        node ^= c;
        uint32_t unit = unit_at(map, node);
        if ((unit & (1u << 31 | 0xff)) != c) break;
        node ^= base_of(unit);
        if (!(unit & 1u << 8)) continue;
        longest = k + 1;
        *becomes = map->data + 4 + word_at(map->data) + (unit_at(map, node) & ~(1u << 31));
    }
    return longest;
}

/* Blanks become U+2581, of words one before each. */
static size_t normalise(char *out, const text *map, const char *bytes, size_t length, bool words) {
    size_t size = 0;
    bool inside = false;
    for (size_t at = 0; at < length;) {
        const char *piece = bytes + at;
        uint32_t code;
        size_t taken = find_piece(map, bytes + at, length - at, &piece), given;
        if (taken)
            given = strlen(piece);
        else if ((taken = given = utf8_decode(&code, bytes + at, length - at)) == 0)
            piece = "\xef\xbf\xbd", taken = 1, given = 3;
        for (size_t k = 0; k < given; k++) {
            if (piece[k] == ' ') {
                inside = false;
                if (!words) memcpy(out + size, "\xe2\x96\x81", 3), size += 3;
                continue;
            }
            if (!inside && words) memcpy(out + size, "\xe2\x96\x81", 3), size += 3;
            inside = true;
            out[size++] = piece[k];
        }
        at += taken;
    }
    return size;
}

typedef struct best {
    uint32_t token;
    size_t from;
    double score;
} best;

static size_t character_size(char first) {
    unsigned char c = (unsigned char)first;
    return c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

/* The cut with the largest sum of scores; a character without a token of its own may be unknown. */
static size_t tokenize(uint32_t *out, const gguf_tokens *t, const char *bytes, size_t length, bool words) {
    static char x[8 * MOST_TEXT];
    static best all[8 * MOST_TEXT];
    size_t n = normalise(x, &t->map, bytes, length, words), count = 0;
    double least = 0;
    for (uint32_t k = 0; k < t->count; k++)
        if (t->types[k] == GGUF_TOKEN_NORMAL && t->scores[k] < least) least = t->scores[k];
    for (size_t k = 0; k <= n; k++) all[k] = (best){.score = k ? -1e300 : 0};
    for (size_t at = 0; at < n; at += character_size(x[at])) {
        bool alone = false;
        size_t size = character_size(x[at]);
        for (uint32_t k = 0; k < t->count; k++) {
            size_t token = strlen(t->texts[k]);
            if (t->types[k] != GGUF_TOKEN_NORMAL || token > n - at || memcmp(x + at, t->texts[k], token) != 0)
                continue;
            alone |= token == size;
            double score = all[at].score + t->scores[k];
            if (score > all[at + token].score) all[at + token] = (best){k, at, score};
        }
        double score = all[at].score + least - 10;
        if (!alone && score > all[at + size].score) all[at + size] = (best){t->count - 1, at, score};
    }
    for (size_t at = n; at > 0; at = all[at].from)
        if (!count || out[count - 1] != t->count - 1 || all[at].token != t->count - 1) out[count++] = all[at].token;
    for (size_t k = 0; k < count / 2; k++) {
        uint32_t swap = out[k];
        out[k] = out[count - 1 - k];
        out[count - 1 - k] = swap;
    }
    return count;
}

/* ---- trials ---- */

static const char *const pieces[] = {
    "a",  "b", "c", "ab",  "é",    "e\xcc\x81", "è",          "日",       "旦",           "本",      "😀", "😁",
    "<",  "|", ">", "s",   "/",    "#",         "Ġ",          "Ċ",        "\x7f",         "�",       "▁", "_",
    "１", "ß", "ſ", "<s>", "</s>", "<dead>",    "<|im_end|>", "\xc2\xa0", "\xe2\x80\xa8", "\xc2\x85"};
enum { PIECES = sizeof pieces / sizeof *pieces };
static const char blanks[] = " \t\n\r\v\f";

static size_t add_piece(char *out, size_t size, test_random *r, bool any) {
    const char *p = pieces[random_below(r, PIECES)];
    if (!any && (strstr(p, "▁") || strstr(p, "�"))) p = "x"; /* which no letter has */
    size_t length = strlen(p);
    memcpy(out + size, p, length);
    return size + length;
}

typedef struct trial {
    test_random *r;
    size_t read, unknown, other;
} trial;

static void make_letters(alphabet *s, arena *a, test_random *r) {
    bool words = random_below(r, 2);
    size_t count = 1 + random_below(r, MOST_LETTERS);
    alphabet_init(s, a, words);
    for (size_t k = 0; k < count; k++) {
        char letter[100];
        size_t size = 0;
        for (size_t j = 1 + (words ? random_below(r, 4) : 0); j > 0; j--) size = add_piece(letter, size, r, false);
        uint32_t code;
        if (!words) size = utf8_decode(&code, letter, size);
        if (!words && random_below(r, 12) == 0) letter[0] = blanks[random_below(r, sizeof blanks - 1)], size = 1;
        alphabet_add(s, letter, size);
    }
    if (random_below(r, 2)) s->other = (uint32_t)random_below(r, s->count);
}

static size_t make_text(char *out, const alphabet *s, test_random *r) {
    size_t size = 0, parts = random_below(r, 8), odd = random_below(r, 3);
    while (parts--) {
        if (odd && random_below(r, 5) < odd) {
            size = add_piece(out, size, r, true);
        } else {
            const char *letter = s->letters[random_below(r, s->count)];
            memcpy(out + size, letter, strlen(letter));
            size += strlen(letter);
        }
        for (size_t k = random_below(r, 3); s->tokens && random_below(r, 8) && k < 3; k++)
            out[size++] = blanks[random_below(r, sizeof blanks - 1)];
        if (!s->tokens && random_below(r, 20) == 0) out[size++] = blanks[random_below(r, sizeof blanks - 1)];
    }
    return size;
}

typedef struct expected {
    const alphabet *s;
    const char *bytes;
    size_t length, count;
    uint32_t *letters;
    arena *scratch;
} expected;

static void encode(void *context) {
    expected *x = context;
    x->letters = alphabet_encode(&x->count, x->s, x->bytes, x->length, x->scratch);
}

static void check_text(trial *t, const gguf_tokens *tokens, const alphabet *s, arena *a) {
    char bytes[10 * MOST_TEXT];
    static uint32_t found[8 * MOST_TEXT];
    trap inside, *outside = a->trap;
    temper_error e;
    expected x = {.s = s, .bytes = bytes, .length = make_text(bytes, s, t->r), .scratch = a};
    a->trap = &inside;
    bool known = trap_attempt(&inside, &e, encode, &x), right = known;
    a->trap = outside;
    size_t count = tokenize(found, tokens, bytes, x.length, s->tokens);
    if (known) {
        right = count == x.count;
        for (size_t k = 0; right && k < count; k++) right = found[k] == x.letters[k] + ORDINARY_LETTERS;
        temper_free(x.letters);
    } else {
        for (size_t k = 0; k < count; k++) right |= found[k] >= ORDINARY_LETTERS + s->count;
    }
    t->read += known;
    t->unknown += !known;
    t->other += s->other != UINT32_MAX;
    if (!CHECK(right, "'%s' of %zu letters%s%s", text_escaped(a, bytes, x.length, 200), s->count,
               s->tokens ? ", words" : "", s->other == UINT32_MAX ? "" : ", with other"))
        for (size_t k = 0; k < s->count; k++) printf("  letter '%s'\n", s->letters[k]);
}

static void run(entry *e, void *context) {
    trial *t = context;
    alphabet s;
    make_letters(&s, &e->memory, t->r);
    const char **names = arena_alloc(&e->memory, s.count + 5, sizeof *names);
    uint32_t count = ORDINARY_LETTERS, texts = (uint32_t)random_below(t->r, 3);
    names[0] = "<s>";
    names[1] = "</s>";
    for (size_t k = 0; k < s.count; k++) names[count++] = s.letters[k];
    static const char *const written[] = {"abé", "日日", "xy"};
    for (uint32_t k = 0; k < texts; k++)
        if (alphabet_find(&s, written[k], strlen(written[k])) == UINT32_MAX) names[count++] = written[k];
    names[count++] = "<dead>";
    struct ordinary_model m = {.vocabulary = count,
                               .tokens = names,
                               .letters = (uint32_t)s.count,
                               .words = s.tokens,
                               .other = s.other == UINT32_MAX ? 0 : ORDINARY_LETTERS + s.other};
    const gguf_tokens *tokens =
        gguf_tokens_make(&m, ordinary_tokens_make(&m, &e->memory), TEMPER_UNSUPPORTED, &e->memory);
    for (int k = 0; k < 60; k++) check_text(t, tokens, &s, &e->memory);
}

int main(void) {
    test_random r = test_seed(2581);
    trial t = {.r = &r};
    size_t count = (size_t)(150 * test_effort());
    for (size_t k = 0; k < count; k++) {
        temper_error e;
        CHECK(entry_run(&e, run, &t) == TEMPER_OK, "%s", e.text);
    }
    printf("%zu texts of letters, %zu with others; %zu where unknown text is a letter\n", t.read, t.unknown, t.other);
    return test_finish("t-gguf-text");
}
