/* Reads the text form of a model, line by line. Order of lines as model_print writes them:

       temper-model 1
       method ..., syntax ..., source "...", alphabet "a" "b" ..., tokens ..., at ..., empty ..., end ..., safe N "..."
       channel K "label" [position "expr" | soft "expr"]      all channels, numbered from 0
       embed "a" | start | end  channel:weight ...
       layer K, then its heads (head, query, key, value, output) and units
       read channel:weight ...
       part "formula" layer L [head H] [channel C]
       digest HEX                                             optional: without it no length is taken as proved

   Lines method, syntax, source, tokens, empty, end and safe may be left out. `--` begins a comment at the start of a line. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

typedef struct reader {
    arena *scratch; /* freed after reading */
    trap *trap;
    temper_model *model;
    const char *bytes;
    size_t length, at; /* at: next byte */
    size_t line, line_start;
    size_t word_at; /* where the last word began, for messages */
    /* arrays under construction, in the model's arena */
    size_t channel_capacity, layer_capacity, head_capacity, part_capacity;
    rows_builder embedding, query, key, value, output, in, out;
    double *bias;
    size_t bias_count, bias_capacity;
    size_t embedded;
    bool in_layer, in_head;
} reader;

static size_t column_of(const reader *r, size_t at) { return at - r->line_start + 1; }

static _Noreturn void fail_at(const reader *r, size_t at, const char *what) {
    trap_raise(r->trap, TEMPER_FORMAT, r->line, column_of(r, at), "%s", what);
}

static bool at_line_end(const reader *r) { return r->at >= r->length || r->bytes[r->at] == '\n'; }

static void skip_blanks(reader *r) {
    while (!at_line_end(r) && (r->bytes[r->at] == ' ' || r->bytes[r->at] == '\t' || r->bytes[r->at] == '\r')) r->at++;
}

/* The next blank-separated word of the line, not NUL-terminated; length 0 at the end of the line. */
static size_t read_word(reader *r, const char **word) {
    skip_blanks(r);
    r->word_at = r->at;
    *word = r->bytes + r->at;
    while (!at_line_end(r) && !isspace((unsigned char)r->bytes[r->at])) r->at++;
    return r->at - r->word_at;
}

static bool word_is(const char *word, size_t length, const char *expected) {
    return strlen(expected) == length && memcmp(word, expected, length) == 0;
}

static bool accept_word(reader *r, const char *expected) {
    size_t before = r->at;
    const char *word;
    size_t length = read_word(r, &word);
    if (word_is(word, length, expected)) return true;
    r->at = before;
    return false;
}

static _Noreturn void expected_at(const reader *r, size_t at, const char *what) {
    size_t end = at;
    while (end < r->length && r->bytes[end] != '\n' && end < at + 40) end++;
    trap_raise(r->trap, TEMPER_FORMAT, r->line, column_of(r, at), "expected %s, found '%s'", what,
               end > at ? text_escaped(r->scratch, r->bytes + at, end - at, 24) : "end of line");
}

/* One of the words of a NULL-terminated list: its index. */
static unsigned read_choice(reader *r, const char *const *words, const char *what) {
    const char *word;
    size_t length = read_word(r, &word);
    for (unsigned k = 0; words[k]; k++)
        if (word_is(word, length, words[k])) return k;
    expected_at(r, r->word_at, what);
}

static bool read_yes_no(reader *r, const char *yes, const char *no, const char *what) {
    const char *const words[] = {yes, no, NULL};
    return read_choice(r, words, what) == 0;
}

static double number_of(reader *r, const char *word, size_t length, size_t at) {
    char digits[80];
    if (length == 0 || length >= sizeof digits) expected_at(r, at, "a number");
    memcpy(digits, word, length);
    digits[length] = 0;
    char *end;
    double x = strtod(digits, &end);
    if (*end || isspace((unsigned char)digits[0])) expected_at(r, at, "a number");
    if (!isfinite(x)) fail_at(r, at, "a number that is not finite");
    return x;
}

static uint64_t read_integer(reader *r, uint64_t most, const char *what) {
    const char *word;
    size_t length = read_word(r, &word);
    uint64_t x = 0;
    if (length == 0) expected_at(r, r->word_at, what);
    for (size_t k = 0; k < length; k++) {
        if (!isdigit((unsigned char)word[k])) expected_at(r, r->word_at, what);
        if (__builtin_mul_overflow(x, 10, &x) || __builtin_add_overflow(x, (uint64_t)(word[k] - '0'), &x) || x > most)
            expected_at(r, r->word_at, what);
    }
    return x;
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

/* A quoted string into arena a; *length_out may be NULL. */
static char *read_quoted(reader *r, arena *a, const char *what) {
    skip_blanks(r);
    r->word_at = r->at;
    if (at_line_end(r) || r->bytes[r->at] != '"') expected_at(r, r->at, what);
    size_t end = r->at + 1;
    while (end < r->length && r->bytes[end] != '"' && r->bytes[end] != '\n')
        end += r->bytes[end] == '\\' && end + 1 < r->length && r->bytes[end + 1] != '\n' ? 2 : 1;
    if (end >= r->length || r->bytes[end] != '"') fail_at(r, r->word_at, "a quoted text without its closing quote");
    char *out = arena_alloc(a, end - r->at, 1);
    size_t used = 0;
    for (size_t k = r->at + 1; k < end; k++) {
        char c = r->bytes[k];
        if (c == '\\') {
            c = r->bytes[++k];
            if (c == 'n')
                c = '\n';
            else if (c == 't')
                c = '\t';
            else if (c == 'x') {
                int high = k + 1 < end ? hex_digit(r->bytes[k + 1]) : -1,
                    low = k + 2 < end ? hex_digit(r->bytes[k + 2]) : -1;
                if (high < 0 || low < 0) fail_at(r, k - 1, "\\x needs two hexadecimal digits");
                c = (char)(high * 16 + low);
                k += 2;
            } else if (c != '"' && c != '\\')
                fail_at(r, k - 1, "an unknown escape; known are \\\" \\\\ \\n \\t \\xHH");
        }
        if (c == 0) fail_at(r, k, "a NUL byte in a text");
        out[used++] = c;
    }
    for (size_t k = 0; k < used;) {
        uint32_t code;
        size_t size = utf8_decode(&code, out + k, used - k);
        if (!size) fail_at(r, r->word_at, "a text that is not valid UTF-8");
        k += size;
    }
    out[used] = 0;
    r->at = end + 1;
    return out;
}

/* The expression inside a quoted string. */
static const expression *read_expression(reader *r) {
    const char *bytes = read_quoted(r, r->scratch, "an expression in quotes");
    return expression_parse(&r->model->memory, bytes, strlen(bytes), r->line, column_of(r, r->word_at + 1));
}

/* channel:weight terms up to the end of the line or the word `stop`. */
static void read_row(reader *r, rows_builder *b, const char *stop) {
    size_t first = b->term_count;
    for (;;) {
        if (stop && accept_word(r, stop)) break;
        const char *word;
        size_t length = read_word(r, &word);
        if (length == 0 && stop) expected_at(r, r->word_at, stop);
        if (length == 0) break;
        uint64_t channel = 0;
        size_t k = 0;
        for (; k < length && isdigit((unsigned char)word[k]) && k < 10; k++)
            channel = channel * 10 + (unsigned)(word[k] - '0');
        if (k == 0 || k == length || word[k] != ':') expected_at(r, r->word_at, "channel:weight");
        if (channel >= r->model->channel_count) fail_at(r, r->word_at, "a channel that does not exist");
        double weight = number_of(r, word + k + 1, length - k - 1, r->word_at + k + 1);
        if (weight == 0) fail_at(r, r->word_at, "a weight that is zero");
        if (b->term_count > first && b->terms[b->term_count - 1].channel >= channel)
            fail_at(r, r->word_at, "channels of a row must be in ascending order");
        rows_term(b, (uint32_t)channel, weight);
    }
    rows_end_row(b);
}

/* ---- lines ---- */

static void end_line(reader *r) {
    skip_blanks(r);
    if (!at_line_end(r)) expected_at(r, r->at, "end of line");
}

static void read_channel(reader *r) {
    temper_model *m = r->model;
    uint64_t number = read_integer(r, UINT32_MAX - 1, "a channel number");
    if (number != m->channel_count) fail_at(r, r->word_at, "channels must be numbered from 0 in order");
    model_channel c = {.label = read_quoted(r, &m->memory, "a label in quotes")};
    if (accept_word(r, "position"))
        c.position = read_expression(r);
    else if (accept_word(r, "soft")) {
        c.position = read_expression(r);
        c.soft_only = true;
    }
    size_t count = m->channel_count;
    array_push(&m->memory, m->channels, count, r->channel_capacity, c);
    m->channel_count = (uint32_t)count;
}

static void read_embed(reader *r) {
    temper_model *m = r->model;
    bool start = accept_word(r, "start"), end = !start && accept_word(r, "end");
    size_t row = start ? model_start_token(m) : end ? model_end_token(m) : 0;
    if (!start && !end) {
        const char *letter = read_quoted(r, r->scratch, "a letter in quotes, start or end");
        row = alphabet_find(&m->letters, letter, strlen(letter));
    }
    if (row != r->embedded) fail_at(r, r->word_at, "embeddings must follow the alphabet, then start, then end");
    read_row(r, &r->embedding, NULL);
    r->embedded++;
}

static void finish_head(reader *r) {
    if (!r->in_head) return;
    model_layer *l = &r->model->layers[r->model->layer_count - 1];
    model_head *h = &l->heads[l->head_count - 1];
    h->query = rows_finish(&r->query);
    h->key = rows_finish(&r->key);
    h->value = rows_finish(&r->value);
    h->output = rows_finish(&r->output);
    if (h->query.count != h->key.count) fail_at(r, r->line_start, "the head before has not as many keys as queries");
    if (h->value.count != h->output.count)
        fail_at(r, r->line_start, "the head before has not as many outputs as values");
    r->in_head = false;
}

static void finish_layer(reader *r) {
    finish_head(r);
    if (!r->in_layer) return;
    model_layer *l = &r->model->layers[r->model->layer_count - 1];
    l->in = rows_finish(&r->in);
    l->out = rows_finish(&r->out);
    l->bias = r->bias;
    r->in_layer = false;
}

static void read_layer(reader *r) {
    temper_model *m = r->model;
    finish_layer(r);
    uint64_t number = read_integer(r, UINT32_MAX - 1, "a layer number");
    if (number != (uint64_t)m->layer_count + 1) fail_at(r, r->word_at, "layers must be numbered from 1 in order");
    size_t count = m->layer_count;
    array_push(&m->memory, m->layers, count, r->layer_capacity, (model_layer){0});
    m->layer_count = (uint32_t)count;
    rows_begin(&r->in, &m->memory);
    rows_begin(&r->out, &m->memory);
    r->bias = NULL;
    r->bias_count = r->bias_capacity = 0;
    r->head_capacity = 0;
    r->in_layer = true;
}

static void read_head(reader *r) {
    static const char *const roles[] = {"none", "once", "nearest", "count", "compare", "balance", "lookup", NULL};
    static const char *const masks[] = {"all", "j<i", "j<=i", "j>i", "j>=i", NULL};
    static const char *const choices[] = {"leftmost", "rightmost", "average", "softmax", NULL};
    temper_model *m = r->model;
    finish_head(r);
    if (!r->in_layer) fail_at(r, r->word_at, "a head outside a layer");
    if (r->bias_count) fail_at(r, r->word_at, "a head after the units of its layer");
    model_head h = {.label = read_quoted(r, &m->memory, "a label in quotes")};
    if (accept_word(r, "role")) h.role = read_choice(r, roles, "a role");
    if (!accept_word(r, "mask")) expected_at(r, r->at, "mask");
    h.mask = read_choice(r, masks, "all, j<i, j<=i, j>i or j>=i");
    if (!accept_word(r, "choice")) expected_at(r, r->at, "choice");
    h.choice = h.hard_choice = read_choice(r, choices, "leftmost, rightmost, average or softmax");
    if (accept_word(r, "for")) h.hard_choice = read_choice(r, choices, "leftmost, rightmost, average or softmax");
    if (accept_word(r, "scale")) h.scale = read_expression(r);
    model_layer *l = &m->layers[m->layer_count - 1];
    size_t count = l->head_count;
    array_push(&m->memory, l->heads, count, r->head_capacity, h);
    l->head_count = (uint32_t)count;
    rows_begin(&r->query, &m->memory);
    rows_begin(&r->key, &m->memory);
    rows_begin(&r->value, &m->memory);
    rows_begin(&r->output, &m->memory);
    r->in_head = true;
}

static void read_unit(reader *r) {
    finish_head(r);
    if (!r->in_layer) fail_at(r, r->word_at, "a unit outside a layer");
    const char *word;
    size_t length = read_word(r, &word);
    double bias = number_of(r, word, length, r->word_at);
    array_push(&r->model->memory, r->bias, r->bias_count, r->bias_capacity, bias);
    read_row(r, &r->in, "->");
    read_row(r, &r->out, NULL);
}

static void read_part(reader *r) {
    temper_model *m = r->model;
    model_part p = {.formula = read_quoted(r, &m->memory, "a formula in quotes"), .head = -1, .channel = -1};
    if (!accept_word(r, "layer")) expected_at(r, r->at, "layer");
    p.layer = (uint32_t)read_integer(r, m->layer_count, "a layer number");
    if (accept_word(r, "head")) p.head = (int64_t)read_integer(r, UINT32_MAX, "a head number") - 1;
    if (accept_word(r, "channel")) p.channel = (int64_t)read_integer(r, UINT32_MAX, "a channel number");
    array_push(&m->memory, m->parts, m->part_count, r->part_capacity, p);
}

static void read_alphabet(reader *r) {
    temper_model *m = r->model;
    if (m->letters.count || m->channel_count) fail_at(r, r->word_at, "the alphabet comes once, before the channels");
    for (skip_blanks(r); !at_line_end(r); skip_blanks(r)) {
        const char *letter = read_quoted(r, r->scratch, "a letter in quotes");
        size_t before = m->letters.count;
        if (!*letter) fail_at(r, r->word_at, "an empty letter");
        alphabet_add(&m->letters, letter, strlen(letter));
        if (m->letters.count == before) fail_at(r, r->word_at, "a letter that is in the alphabet already");
    }
}

/* One line whose first word is read. Returns false after the digest line. */
static bool read_line(reader *r, const char *word, size_t length) {
    static const char *const methods[] = {"hard", "temperature", "positions", NULL};
    static const char *const syntaxes[] = {"spec", "crasp", "brasp", NULL};
    temper_model *m = r->model;
    size_t begin = r->word_at;
    bool of_head = word_is(word, length, "query") || word_is(word, length, "key") || word_is(word, length, "value") ||
                   word_is(word, length, "output");
    if (of_head && !r->in_head) fail_at(r, begin, "a line of a head outside a head");
    if (word_is(word, length, "query"))
        read_row(r, &r->query, NULL);
    else if (word_is(word, length, "key"))
        read_row(r, &r->key, NULL);
    else if (word_is(word, length, "value"))
        read_row(r, &r->value, NULL);
    else if (word_is(word, length, "output"))
        read_row(r, &r->output, NULL);
    else if (word_is(word, length, "unit"))
        read_unit(r);
    else if (word_is(word, length, "head"))
        read_head(r);
    else if (word_is(word, length, "layer"))
        read_layer(r);
    else if (word_is(word, length, "channel"))
        read_channel(r);
    else if (word_is(word, length, "embed"))
        read_embed(r);
    else if (word_is(word, length, "part"))
        read_part(r);
    else if (word_is(word, length, "read")) {
        finish_layer(r);
        if (m->read.start) fail_at(r, begin, "a second read line");
        rows_builder b;
        rows_begin(&b, &m->memory);
        read_row(r, &b, NULL);
        m->read = rows_finish(&b);
    } else if (word_is(word, length, "alphabet"))
        read_alphabet(r);
    else if (word_is(word, length, "method"))
        m->method = read_choice(r, methods, "hard, temperature or positions");
    else if (word_is(word, length, "syntax"))
        m->syntax = read_choice(r, syntaxes, "spec, crasp or brasp");
    else if (word_is(word, length, "source"))
        m->source = read_quoted(r, &m->memory, "the specification in quotes");
    else if (word_is(word, length, "tokens"))
        m->letters.tokens = read_yes_no(r, "yes", "no", "yes or no");
    else if (word_is(word, length, "at"))
        m->at = read_yes_no(r, "first", "last", "first or last") ? TEMPER_AT_FIRST : TEMPER_AT_LAST;
    else if (word_is(word, length, "empty"))
        m->accepts_empty = read_yes_no(r, "accept", "reject", "accept or reject");
    else if (word_is(word, length, "end"))
        m->has_end = read_yes_no(r, "yes", "no", "yes or no");
    else if (word_is(word, length, "safe")) {
        m->safe_length = read_integer(r, SIZE_MAX, "a length");
        m->safe_reason = read_quoted(r, &m->memory, "a reason in quotes");
    } else if (word_is(word, length, "digest"))
        return false;
    else
        expected_at(r, begin,
                    "a line of a model (channel, embed, layer, head, query, key, value, output, unit, read, ...)");
    return true;
}

/* The digest line closes the file; a wrong one means that the file was edited, so its proved length no longer counts. */
static void read_digest(reader *r) {
    uint64_t said = 0;
    const char *word;
    size_t length = read_word(r, &word);
    if (length != 16) expected_at(r, r->word_at, "16 hexadecimal digits");
    for (size_t k = 0; k < length; k++) {
        if (hex_digit(word[k]) < 0) expected_at(r, r->word_at, "16 hexadecimal digits");
        said = said << 4 | (unsigned)hex_digit(word[k]);
    }
    if (said != model_digest(r->bytes, r->line_start)) {
        r->model->safe_length = 0;
        r->model->safe_reason = "the file was changed after temper wrote it";
    }
}

static void read_all(reader *r) {
    bool digest = false;
    temper_model *m = r->model;
    if (r->length >= 3 && memcmp(r->bytes, "\xEF\xBB\xBF", 3) == 0)
        fail_at(r, 0, "a byte-order mark before temper-model");
    for (; r->at < r->length; r->line++) {
        r->line_start = r->at;
        const char *word;
        size_t length = read_word(r, &word);
        bool comment = length >= 2 && word[0] == '-' && word[1] == '-';
        if (digest && length) fail_at(r, r->word_at, "text after the digest");
        if (r->line == 1) {
            if (!word_is(word, length, "temper-model"))
                fail_at(r, 0, "not a temper model: it does not begin with 'temper-model 1'");
            if (read_integer(r, UINT32_MAX, "a version number") != 1)
                fail_at(r, r->word_at, "a model of another version; this temper reads version 1");
        } else if (length && !comment) {
            digest = !read_line(r, word, length);
            if (digest) read_digest(r);
        }
        if (!comment) end_line(r);
        while (!at_line_end(r)) r->at++;
        if (r->at < r->length) r->at++;
    }
    finish_layer(r);
    m->embedding = rows_finish(&r->embedding);
    r->line_start = r->at;
    if (r->line == 1) fail_at(r, 0, "not a temper model: the file is empty");
    if (!m->read.start) fail_at(r, r->at, "the file ends without a read line");
    if (m->at == TEMPER_AT_DEFAULT) m->at = TEMPER_AT_LAST;
    if (!digest) {
        m->safe_length = 0;
        m->safe_reason = "the file has no digest, so it was written by hand";
    }
}

temper_model *model_read(const char *bytes, size_t length, trap *t) {
    trap inner;
    arena scratch;
    temper_model *m = model_new(t);
    arena_init(&scratch, &inner);
    m->memory.trap = &inner;
    if (trap_set(&inner, NULL)) {
        temper_error error = inner.error;
        arena_free(&scratch);
        temper_model_free(m);
        trap_reraise(t, &error);
    }
    reader r = {.scratch = &scratch, .trap = &inner, .model = m, .bytes = bytes, .length = length, .line = 1};
    const void *nul = memchr(bytes, 0, length);
    if (nul)
        trap_raise(&inner, TEMPER_FORMAT, 0, 0, "not a text file: it has a NUL byte at offset %zu",
                   (size_t)((const char *)nul - bytes));
    alphabet_init(&m->letters, &m->memory, false);
    rows_begin(&r.embedding, &m->memory);
    read_all(&r);
    model_check(m, &inner);
    model_seal(m);
    arena_free(&scratch);
    return m;
}
