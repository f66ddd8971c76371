/* tokenizer.json against alphabet_encode: a reader of the file's own rules (Replace, Split, WordPiece, as libraries
   have them) gives every string the letters that temper reads, or the unknown token. Alphabets and strings are made
   of pieces that tokenizers like to take for something else. */
#include <stdlib.h>
#include <string.h>

#include "base/alphabet.h"
#include "base/entry.h"
#include "base/json_read.h"
#include "model/token_names.h"
#include "model/tokenizer_files.h"
#include "test.h"

static const char *const pieces[] = {
    "a",    "b", "ab",         "e",      "\u0301", "\u00e9", "\u00a0", "\u3000", "\u2028", "\xc2\x85",
    "\x1c", "#", "##",         "\u2581", "\u0120", "<s>",    "</s>",   "<dead>", "<",      "s",
    ">",    "/", "\U0001F600", "\uffff", "\"",     "\\",     "\u27e8", "\u27e9", "[UNK]",  "\u200d"};
enum { PIECES = sizeof pieces / sizeof *pieces, MOST_LETTERS = 12, MOST_IDS = 400 };

/* ---- what the file says ---- */

typedef struct rules {
    table vocabulary;
    const char *unknown, *prefix, *cut, *behavior;
    const char *names[8], *twice[8]; /* Replace */
    size_t replaced;
    uint64_t longest;
} rules;

static void read_model(json_reader *r, rules *t, arena *a) {
    jread_object(r);
    for (json_text key; jread_key(r, &key);) {
        if (jread_is(key, "unk_token")) {
            t->unknown = jread_c_string(r, a, "a token");
        } else if (jread_is(key, "continuing_subword_prefix")) {
            t->prefix = jread_c_string(r, a, "a prefix");
        } else if (jread_is(key, "max_input_chars_per_word")) {
            t->longest = jread_integer(r, 1000, "a length");
        } else if (jread_is(key, "vocab")) {
            jread_object(r);
            for (json_text name; jread_key(r, &name);) {
                char *bytes = arena_zalloc(a, name.length + 1, 1);
                bool fresh;
                size_t length = jread_decode(bytes, name);
                table_put(&t->vocabulary, bytes, length, (uint32_t)jread_integer(r, 1000, "an id"), &fresh);
                CHECK(fresh, "the token '%s' is there twice", bytes);
            }
        } else {
            CHECK(jread_is(jread_string(r, "a type"), "WordPiece"), "another model");
        }
    }
}

/* The strings of an object and of objects in it: the pre-tokenizer's, or a normalizer's. */
static void read_strings(json_reader *r, const char **pattern, const char **other, arena *a) {
    jread_object(r);
    for (json_text key; jread_key(r, &key);) {
        if (jread_is(key, "pattern"))
            read_strings(r, pattern, other, a);
        else if (jread_is(key, "String") || jread_is(key, "Regex"))
            *pattern = jread_c_string(r, a, "a pattern");
        else if (jread_is(key, "content") || jread_is(key, "behavior"))
            *other = jread_c_string(r, a, "a text");
        else
            jread_skip(r, a);
    }
}

static void read_normalizer(json_reader *r, rules *t, arena *a) {
    if (jread_peek(r) == JSON_NULL) {
        jread_null(r);
        return;
    }
    jread_object(r);
    for (json_text key; jread_key(r, &key);) {
        if (!jread_is(key, "normalizers")) {
            jread_skip(r, a);
            continue;
        }
        jread_array(r);
        for (; jread_element(r); t->replaced++) read_strings(r, &t->names[t->replaced], &t->twice[t->replaced], a);
    }
}

static void read_rules(rules *t, const text *file, arena *a) {
    json_reader r;
    memset(t, 0, sizeof *t);
    table_init(&t->vocabulary, a);
    jread_begin(&r, file->data, file->length, a, a->trap);
    jread_object(&r);
    for (json_text key; jread_key(&r, &key);) {
        if (jread_is(key, "model")) {
            read_model(&r, t, a);
        } else if (jread_is(key, "pre_tokenizer")) {
            read_strings(&r, &t->cut, &t->behavior, a);
        } else if (jread_is(key, "normalizer")) {
            read_normalizer(&r, t, a);
        } else if (jread_is(key, "added_tokens")) {
            jread_array(&r);
            CHECK(!jread_element(&r), "a token is added, whose name libraries cut out of texts");
        } else {
            jread_skip(&r, a);
        }
    }
}

/* ---- what a library makes of a text by it ---- */

static const char *replaced(const rules *t, const char *string, arena *a) {
    for (size_t k = 0; k < t->replaced; k++) {
        text out;
        text_init(&out, a);
        for (const char *p = string, *at; (at = strstr(p, t->names[k])) || *p;) {
            text_add(&out, p, at ? (size_t)(at - p) : strlen(p));
            text_puts(&out, at ? t->twice[k] : "");
            p = at ? at + strlen(t->names[k]) : p + strlen(p);
        }
        string = text_string(&out);
    }
    return string;
}

/* WordPiece as published: the longest beginning that is a token, then the longest of the rest after the prefix; a
   word that is not covered so is one unknown token. */
static size_t word_piece(uint32_t *ids, const rules *t, const char *word, size_t length, arena *a) {
    const uint32_t unknown = *table_find(&t->vocabulary, t->unknown, strlen(t->unknown));
    size_t count = 0;
    bool covered = token_character_count(arena_copy(a, word, length)) <= t->longest;
    for (size_t at = 0; at < length && covered;) {
        const uint32_t *id = NULL;
        size_t end = length;
        for (; end > at && !id; end -= !id) {
            text part;
            text_init(&part, a);
            text_puts(&part, at ? t->prefix : "");
            text_add(&part, word + at, end - at);
            id = table_find(&t->vocabulary, part.data, part.length);
        }
        covered = id != NULL;
        if (id) ids[count++] = *id;
        at = end;
    }
    if (!covered) ids[0] = unknown;
    return covered ? count : 1;
}

static size_t tokenize(uint32_t *ids, const rules *t, const char *string, arena *a) {
    static const char blanks[] = "\t\n\v\f\r ";
    bool words = strcmp(t->cut, "[\\t\\n\\x0b\\x0c\\r ]+") == 0;
    size_t count = 0;
    CHECK(words ? !strcmp(t->behavior, "Removed") : !strcmp(t->cut, "[\\s\\S]") && !strcmp(t->behavior, "Isolated"),
          "it is cut by %s, %s", t->cut, t->behavior);
    string = replaced(t, string, a);
    for (size_t at = 0, all = strlen(string), size; at < all; at += size) {
        uint32_t code;
        size = words ? strcspn(string + at, blanks) : utf8_decode(&code, string + at, all - at);
        if (size) count += word_piece(ids + count, t, string + at, size, a);
        if (words) size += strspn(string + at + size, blanks);
    }
    return count;
}

/* ---- random alphabets and strings ---- */

static const char *random_piece(test_random *r, bool words, arena *a) {
    text t;
    text_init(&t, a);
    if (!words) {
        uint32_t code;
        const char *piece = pieces[random_below(r, PIECES)];
        text_add(&t, piece, utf8_decode(&code, piece, strlen(piece)));
        return text_string(&t);
    }
    for (size_t k = 1 + random_below(r, 3); k; k--) text_puts(&t, pieces[random_below(r, PIECES)]);
    return text_string(&t);
}

/* `count` letters, and around them <s>, </s> and <dead>, as in a folder of an ordinary transformer. */
static tokenizer_facts facts_of(const alphabet *letters, arena *a) {
    uint32_t count = (uint32_t)letters->count + 3, dead = count - 1;
    static const char *const others[] = {"<s>", "</s>", "<dead>"};
    const char **names = arena_zalloc(a, count, sizeof *names);
    for (size_t k = 0; k < letters->count; k++) names[k + 2] = letters->letters[k];
    for (uint32_t k = 0; k < 3; k++)
        names[k < 2 ? k : dead] = token_name(a, letters->letters, letters->count, others[k]);
    return (tokenizer_facts){.count = count,
                             .names = names,
                             .before = 0,
                             .after = TOKENIZER_NONE,
                             .end = 1,
                             .pad = 1,
                             .unknown = letters->other == UINT32_MAX ? dead : letters->other + 2,
                             .unknown_is_letter = letters->other != UINT32_MAX,
                             .dead = dead,
                             .has_words = letters->tokens};
}

static void check_string(const alphabet *letters, const rules *t, const char *string, arena *a) {
    uint32_t ids[MOST_IDS], *expected;
    size_t count = tokenize(ids, t, string, a), n;
    alphabet open = *letters; /* reads what is no letter as a number beyond the letters, which is <dead> */
    if (open.other == UINT32_MAX) open.other = (uint32_t)letters->count;
    expected = alphabet_encode(&n, &open, string, strlen(string), a);
    bool same = n == count;
    for (size_t k = 0; k < n && same; k++) same = ids[k] == expected[k] + 2;
    CHECK(same, "'%s' of %zu letters%s: %zu tokens, not %zu", text_escaped(a, string, strlen(string), 0),
          letters->count, letters->tokens ? ", words" : "", count, n);
    free(expected);
}

static void check_alphabet(entry *e, void *context) {
    static const char *const blanks[] = {" ", "\t", "\n", "\r", "\v", "\f", "  "};
    test_random *r = context;
    arena *a = &e->memory;
    bool words = random_below(r, 3) != 0;
    alphabet letters;
    text file;
    rules t;
    alphabet_init(&letters, a, words);
    for (size_t k = 1 + random_below(r, MOST_LETTERS); k; k--) {
        const char *letter = random_piece(r, words, a);
        alphabet_add(&letters, letter, strlen(letter));
    }
    if (random_below(r, 2)) letters.other = (uint32_t)random_below(r, letters.count);
    const tokenizer_facts facts = facts_of(&letters, a);
    text_init(&file, a);
    tokenizer_print(&file, &facts);
    read_rules(&t, &file, a);
    for (int k = 0; k < 40; k++) {
        text string;
        text_init(&string, a);
        for (size_t j = random_below(r, 6); j; j--) {
            bool letter = random_below(r, 2);
            text_puts(&string, letter ? letters.letters[random_below(r, letters.count)] : random_piece(r, words, a));
            if (random_below(r, 3)) text_puts(&string, blanks[random_below(r, sizeof blanks / sizeof *blanks)]);
        }
        check_string(&letters, &t, text_string(&string), a);
    }
}

int main(void) {
    temper_error e;
    test_random r = test_seed(3434);
    for (double k = 0; k < 300 * test_effort(); k++)
        CHECK(entry_run(&e, check_alphabet, &r) == TEMPER_OK, "%s", e.text);
    return test_finish("t-tokenizer");
}
