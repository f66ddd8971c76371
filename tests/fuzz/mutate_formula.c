/* The mutator of the target that compares models with their specification: an atom grows into a formula, a formula in
   brackets becomes an atom, an operator becomes another one of its kind. Most of what comes of it is a specification,
   where changes of words leave two in a hundred, since libFuzzer keeps refused ones and goes on from them: what does
   not parse is grown anew. One in eight is changed as any text. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "fuzz.h"

enum { MOST_PLACES = 256, LONGEST = 400, DEEPEST = 2 };

static uint64_t state;

static size_t below(size_t limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)((state >> 33) % limit);
}

#define COUNT(list) (sizeof(list) / sizeof *(list))
static const char *const atoms[] = {"a", "b", "c", "true", "false", "first", "last"};
static const char *const unary[] = {"!", "X", "wX", "F", "G", "Y", "Z", "O", "H"};
static const char *const binary[] = {"&", "|", "^", "->", "<->", "U", "R", "W", "M", "S", "T"};
static const char *const compared[] = {">=", "<=", ">", "<", "="};

typedef struct growth {
    char text[LONGEST];
    size_t length;
} growth;

static void put(growth *g, const char *text) {
    size_t n = strlen(text);
    if (g->length + n >= sizeof g->text) return;
    memcpy(g->text + g->length, text, n);
    g->length += n;
}

static void put_number(growth *g, size_t limit) {
    char text[8];
    snprintf(text, sizeof text, "%u", (unsigned)below(limit));
    put(g, text);
}

static void grow(growth *g, size_t depth);

static void grow_count(growth *g, size_t depth) {
    put(g, below(3) ? "#[" : "#>[");
    grow(g, depth);
    put(g, "]");
}

static void grow(growth *g, size_t depth) {
    size_t kind = depth ? below(8) : 0;
    if (kind < 2) {
        put(g, atoms[below(COUNT(atoms))]);
        return;
    }
    put(g, "(");
    if (kind < 4) {
        put(g, unary[below(COUNT(unary))]);
        put(g, " ");
        grow(g, depth - 1);
    } else if (kind < 6) {
        grow(g, depth - 1);
        put(g, " ");
        put(g, binary[below(COUNT(binary))]);
        put(g, " ");
        grow(g, depth - 1);
    } else if (kind == 6) {
        put_number(g, 4);
        put(g, "*");
        grow_count(g, depth - 1);
        put(g, below(2) ? " - " : " + ");
        grow_count(g, depth - 1);
        put(g, " ");
        put(g, compared[below(COUNT(compared))]);
        put(g, " ");
        put_number(g, 5);
    } else {
        grow_count(g, depth - 1);
        put(g, below(2) ? " % 2 = " : " % 3 = ");
        put_number(g, 2);
    }
    put(g, ")");
}

typedef struct place {
    size_t at, length;
    const char *const *list; /* NULL: brackets */
    size_t count;
} place;

static bool is_one_of(const char *const *list, size_t count, const uint8_t *word, size_t length) {
    for (size_t k = 0; k < count; k++)
        if (strlen(list[k]) == length && memcmp(list[k], word, length) == 0) return true;
    return false;
}

static size_t bracket_end(const uint8_t *data, size_t size, size_t at) {
    size_t depth = 0;
    for (; at < size; at++) {
        depth += data[at] == '(';
        if (data[at] == ')' && --depth == 0) return at + 1;
    }
    return 0;
}

/* Words and signs that stand in a list, and brackets that close. */
static size_t find_places(place *out, const uint8_t *data, size_t size) {
    size_t count = 0;
    for (size_t at = 1, end; at < size && count < MOST_PLACES; at = end) {
        end = at + 1;
        if (data[at] == '(') {
            size_t close = bracket_end(data, size, at);
            if (close) out[count++] = (place){at, close - at, NULL, 0};
            continue;
        }
        if (isalpha(data[at]))
            while (end < size && isalnum(data[end])) end++;
        else if (strchr("-<>=&|", data[at]))
            while (end < size && strchr("->=", data[end]) && data[end]) end++;
        place p = {at, end - at, NULL, 0};
        if (is_one_of(atoms, COUNT(atoms), data + at, end - at)) p.list = atoms, p.count = COUNT(atoms);
        if (is_one_of(unary, COUNT(unary), data + at, end - at)) p.list = unary, p.count = COUNT(unary);
        if (is_one_of(binary, COUNT(binary), data + at, end - at)) p.list = binary, p.count = COUNT(binary);
        if (is_one_of(compared, COUNT(compared), data + at, end - at)) p.list = compared, p.count = COUNT(compared);
        if (p.list) out[count++] = p;
    }
    return count;
}

static bool parses(const uint8_t *data, size_t size) {
    temper_spec *spec;
    temper_error err;
    temper_spec_options o = {.alphabet = "abc"};
    fuzz_automata = false;
    if (temper_spec_parse(&spec, (const char *)data + 1, size - 1, &o, &err) != TEMPER_OK) return false;
    temper_spec_free(spec);
    return true;
}

static size_t grow_anew(uint8_t *data, size_t most) {
    growth g = {.length = 0};
    grow(&g, 1 + DEEPEST);
    if (1 + g.length > most) return 1;
    data[0] = 0;
    memcpy(data + 1, g.text, g.length);
    return 1 + g.length;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    static place places[MOST_PLACES];
    state = seed * 2654435761u + 1;
    if (size < 2 || below(8) == 0 || (data[0] % 5 && below(2))) return fuzz_change_text(data, size, most, seed);
    if (data[0] % 5) return grow_anew(data, most);
    for (size_t times = 1 + below(3); times--;) {
        size_t count = find_places(places, data, size);
        if (!count) return grow_anew(data, most);
        const place *p = &places[below(count)];
        growth g = {.length = 0};
        if (!p->list || (p->list == atoms && below(3)))
            grow(&g, p->list ? 1 + below(DEEPEST) : below(2));
        else
            put(&g, p->list[below(p->count)]);
        if (size - p->length + g.length > most) continue;
        memmove(data + p->at + g.length, data + p->at + p->length, size - p->at - p->length);
        memcpy(data + p->at, g.text, g.length);
        size = size - p->length + g.length;
    }
    return parses(data, size) ? size : grow_anew(data, most);
}
