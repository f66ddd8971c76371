/* The settings of an import: a strict reader of their JSON. Nothing is known of the tensors yet, so numbers of rows,
   columns and channels are checked later, by those who use them. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "import/import.h"
#include "model/model_metadata.h"

/* ---- messages ---- */

static _Noreturn void raise_at(importer *im, size_t at, temper_status code, const char *hint, const char *message) {
    im->about = im->settings_name;
    jread_raise(&im->set.json, at, code, hint, message);
}

_Noreturn void settings_fail(importer *im, size_t at, const char *format, ...) {
    char message[240];
    va_list args;
    va_start(args, format);
    print_list(message, sizeof message, format, args);
    va_end(args);
    raise_at(im, at, TEMPER_FORMAT, "", message);
}

_Noreturn void settings_refuse(importer *im, size_t at, const char *hint, const char *format, ...) {
    char message[240];
    va_list args;
    va_start(args, format);
    print_list(message, sizeof message, format, args);
    va_end(args);
    raise_at(im, at, TEMPER_UNSUPPORTED, hint, message);
}

/* ---- values ---- */

static size_t place_of(json_reader *j) {
    jread_peek(j);
    return j->at;
}

static uint64_t read_number(importer *im, const char *what) {
    return jread_integer(&im->set.json, UINT32_MAX - 1, what);
}

/* An expression in the model's arena; errors of its text are placed at the string. */
static const expression *read_expression(importer *im) {
    json_reader *j = &im->set.json;
    temper_error error;
    size_t at = place_of(j);
    const char *bytes = jread_c_string(j, im->scratch, "an expression in quotes");
    const expression *e = expression_try(&im->model->memory, bytes, &error);
    if (!e) jread_fail(j, at, "%s", error.text);
    return e;
}

/* ---- letters ---- */

static void read_tokens(importer *im) { im->model->letters.tokens = jread_bool(&im->set.json, "true or false"); }

static void read_alphabet(importer *im) { metadata_read_alphabet(&im->model->letters, &im->set.json, NULL); }

/* Without "vocab" the letters are rows 0, 1, 2, ... */
static void number_rows(importer *im) {
    size_t count = im->model->letters.count + 2;
    im->set.rows = arena_alloc(im->scratch, count, sizeof *im->set.rows);
    im->set.row_at = arena_alloc(im->scratch, count, sizeof *im->set.row_at);
    for (size_t k = 0; k < count; k++) {
        im->set.rows[k] = k + 2 < count ? k : NO_ROW;
        im->set.row_at[k] = im->set.begin;
    }
}

static void read_vocab(importer *im) {
    json_reader *j = &im->set.json;
    const alphabet *letters = &im->model->letters;
    size_t begin = place_of(j);
    unsigned char *given = arena_zalloc(im->scratch, letters->count, 1);
    jread_object(j);
    for (json_text key; jread_key(j, &key);) {
        size_t at = (size_t)(key.bytes - j->bytes) - 1;
        char *letter = arena_alloc(im->scratch, key.length + 1, 1);
        size_t length = jread_decode(letter, key);
        uint32_t k = alphabet_find(letters, letter, length);
        const char *shown = text_escaped(im->scratch, letter, length, 20);
        if (k == UINT32_MAX) jread_fail(j, at, "'%s' is not in the alphabet", shown);
        if (given[k]++) jread_fail(j, at, "a second row for '%s'", shown);
        im->set.row_at[k] = place_of(j);
        im->set.rows[k] = read_number(im, "a row of the embedding");
    }
    for (size_t k = 0; k < letters->count; k++)
        if (!given[k])
            jread_fail(j, begin, "no row for '%s'",
                       text_escaped(im->scratch, letters->letters[k], strlen(letters->letters[k]), 20));
}

static bool read_sentinel(importer *im, size_t token) {
    json_reader *j = &im->set.json;
    im->set.row_at[token] = place_of(j);
    if (jread_peek(j) == JSON_NULL) {
        jread_null(j);
        return false;
    }
    im->set.rows[token] = read_number(im, "a row of the embedding, or null");
    return true;
}

static void read_start(importer *im) { read_sentinel(im, model_start_token(im->model)); }
static void read_end(importer *im) { im->model->has_end = read_sentinel(im, model_end_token(im->model)); }

static void read_at(importer *im) {
    static const char *const places[] = {"first", "last", NULL};
    im->model->at = jread_choice(&im->set.json, places, "\"first\" or \"last\"") ? TEMPER_AT_LAST : TEMPER_AT_FIRST;
}

static void read_empty(importer *im) {
    static const char *const answers[] = {"reject", "accept", NULL};
    im->model->accepts_empty = jread_choice(&im->set.json, answers, "\"accept\" or \"reject\"");
}

/* ---- what no tensor tells ---- */

static void read_normalization(importer *im) {
    json_reader *j = &im->set.json;
    size_t at = place_of(j);
    if (jread_peek(j) == JSON_NULL) {
        jread_null(j);
        return;
    }
    json_text given = jread_string(j, "\"none\"");
    if (!jread_is(given, "none"))
        settings_refuse(im, at, "temper's transformers have none: train or build the model without it",
                        "'%s' is not supported", text_escaped(im->scratch, given.bytes, given.length, 40));
}

static void read_activation(importer *im) {
    json_reader *j = &im->set.json;
    size_t at = place_of(j);
    json_text given = jread_string(j, "\"relu\"");
    if (!jread_is(given, "relu"))
        settings_refuse(im, at, "the units of temper's transformers are relu(w.x + b)", "'%s' is not supported",
                        text_escaped(im->scratch, given.bytes, given.length, 40));
    im->set.relu = true;
}

/* ---- heads ---- */

static head_setting no_setting(size_t at) {
    return (head_setting){.choice = -1, .hard_choice = -1, .mask = -1, .at = at};
}

static head_setting read_setting(importer *im) {
    static const char *const names[] = {"choice", "for", "mask", "scale", "label", NULL};
    static const char *const choices[] = {"leftmost", "rightmost", "average", "softmax", NULL};
    static const char *const hard_choices[] = {"leftmost", "rightmost", "average", NULL};
    static const char *const masks[] = {"all", "j<i", "j<=i", "j>i", "j>=i", NULL};
    json_reader *j = &im->set.json;
    uint32_t seen = 0;
    head_setting s = no_setting(place_of(j));
    jread_object(j);
    for (int k; (k = jread_field(j, names, &seen)) >= 0;) {
        size_t at = place_of(j);
        if (k == 0)
            s.choice = (int)jread_choice(j, choices, "\"leftmost\", \"rightmost\", \"average\" or \"softmax\"");
        if (k == 1) s.hard_choice = (int)jread_choice(j, hard_choices, "\"leftmost\", \"rightmost\" or \"average\"");
        if (k == 2) s.mask = (int)jread_choice(j, masks, "\"all\", \"j<i\", \"j<=i\", \"j>i\" or \"j>=i\"");
        if (k == 3) s.scale = read_expression(im);
        if (k == 3 && expression_uses(s.scale, EXPR_I))
            jread_fail(j, at, "a scale may depend on n and N, not on the position i");
        if (k == 4) s.label = jread_c_string(j, &im->model->memory, "a string");
    }
    if (s.choice >= 0 && s.choice != TEMPER_CHOICE_SOFTMAX && (s.scale || s.hard_choice >= 0))
        jread_fail(j, s.at, "%s: only a softmax head has one", s.scale ? "scale" : "for");
    return s;
}

static void read_head(importer *im) { im->set.head = read_setting(im); }

/* One list a layer; null stands for a head as in "head". */
static void read_heads(importer *im) {
    json_reader *j = &im->set.json;
    import_settings *set = &im->set;
    set->has_layers = true;
    set->layers_at = place_of(j);
    if (jread_peek(j) != JSON_ARRAY) jread_expected(j, j->at, "an array of layers");
    set->layer_count = jread_count(j);
    set->layers = arena_zalloc(im->scratch, set->layer_count, sizeof *set->layers);
    jread_array(j);
    for (layer_setting *l = set->layers; jread_element(j); l++) {
        l->at = place_of(j);
        if (jread_peek(j) != JSON_ARRAY) jread_expected(j, j->at, "an array of heads");
        l->count = jread_count(j);
        l->heads = arena_alloc(im->scratch, l->count, sizeof *l->heads);
        jread_array(j);
        for (head_setting *h = l->heads; jread_element(j); h++) {
            bool none = jread_peek(j) == JSON_NULL;
            *h = none ? no_setting(j->at) : read_setting(im);
            if (none) jread_null(j);
        }
    }
}

static void read_head_count(importer *im) {
    im->set.head_count_at = place_of(&im->set.json);
    im->set.head_count = read_number(im, "a number of heads");
    if (!im->set.head_count) jread_fail(&im->set.json, im->set.head_count_at, "no heads");
}

/* ---- channels ---- */

/* {"12": value, ...} */
static void read_channels(importer *im, channel_settings *out, bool labels) {
    json_reader *j = &im->set.json;
    json_keys keys;
    jread_keys_init(&keys, im->scratch);
    jread_object(j);
    for (json_text key; jread_key(j, &key);) {
        channel_setting s = {.at = (size_t)(key.bytes - j->bytes) - 1};
        bool number = key.length > 0 && key.length < 10 && (key.length == 1 || key.bytes[0] != '0');
        for (size_t k = 0; k < key.length && number; k++) {
            number = key.bytes[k] >= '0' && key.bytes[k] <= '9';
            s.channel = 10 * s.channel + (uint64_t)(key.bytes[k] - '0');
        }
        if (!number) jread_expected(j, s.at, "the number of a channel, in quotes");
        jread_keys_add(&keys, j, key);
        if (labels)
            s.label = jread_c_string(j, &im->model->memory, "a string");
        else
            s.position = read_expression(im);
        array_push(im->scratch, out->list, out->count, out->capacity, s);
    }
}

static void read_positions(importer *im) { read_channels(im, &im->set.positions, false); }
static void read_labels(importer *im) { read_channels(im, &im->set.labels, true); }

/* ---- the answer ---- */

static void read_answer(importer *im) {
    static const char *const names[] = {"accept", "reject", "column", "channel", "threshold", NULL};
    enum { ACCEPT = 1, REJECT = 2, COLUMN = 4, CHANNEL = 8, THRESHOLD = 16 };
    json_reader *j = &im->set.json;
    import_settings *set = &im->set;
    uint32_t seen = 0;
    set->answer_at = place_of(j);
    jread_object(j);
    for (int k; (k = jread_field(j, names, &seen)) >= 0;) {
        if (k == 0 || k == 2) set->column = read_number(im, "a column of the unembedding");
        if (k == 1) set->other = read_number(im, "a column of the unembedding");
        if (k == 3) set->column = read_number(im, "the number of a channel");
        if (k == 4) set->threshold = jread_number(j, "a number");
    }
    if (seen == (ACCEPT | REJECT))
        set->answer = ANSWER_DIFFERENCE;
    else if (seen == (COLUMN | THRESHOLD))
        set->answer = ANSWER_COLUMN;
    else if (seen == (CHANNEL | THRESHOLD))
        set->answer = ANSWER_CHANNEL;
    else
        jread_fail(j, set->answer_at,
                   "it has \"accept\" and \"reject\", \"column\" and \"threshold\", or "
                   "\"channel\" and \"threshold\"");
}

/* ---- all of it ---- */

void settings_read(importer *im, const char *bytes, size_t length) {
    enum { TOKENS, ALPHABET, START, ANSWER, NORMALIZATION, KEY_COUNT = 15 };
    enum { REQUIRED = 1u << ALPHABET | 1u << START | 1u << ANSWER | 1u << NORMALIZATION };
    /* read in this order, for they depend on each other */
    static const char *const names[] = {"tokens",    "alphabet", "start",  "answer",     "normalization", "vocab",
                                        "end",       "at",       "empty",  "activation", "head",          "heads",
                                        "positions", "labels",   "n_head", NULL};
    static void (*const readers[KEY_COUNT])(importer *) = {
        read_tokens, read_alphabet, read_start,     read_answer, read_normalization,
        read_vocab,  read_end,      read_at,        read_empty,  read_activation,
        read_head,   read_heads,    read_positions, read_labels, read_head_count};
    json_reader *j = &im->set.json, values[KEY_COUNT];
    uint32_t seen = 0;
    im->about = im->settings_name;
    jread_begin(j, bytes, length, im->scratch, im->trap);
    im->set.begin = place_of(j);
    jread_object(j);
    for (int k; (k = jread_field(j, names, &seen)) >= 0;) {
        values[k] = *j;
        jread_skip(j, NULL);
    }
    jread_end(j);
    jread_require(j, im->set.begin, names, seen, REQUIRED);
    alphabet_init(&im->model->letters, &im->model->memory, false);
    im->model->at = TEMPER_AT_LAST;
    im->set.head = no_setting(im->set.begin);
    for (int k = 0; k < KEY_COUNT; k++) {
        if (!(seen >> k & 1)) continue;
        *j = values[k];
        j->where = names[k];
        j->field = NULL;
        readers[k](im);
        if (k == ALPHABET) number_rows(im);
    }
    j->where = "";
    j->field = NULL;
}
