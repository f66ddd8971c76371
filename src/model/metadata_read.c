/* Reads the JSON of metadata_print.c. Keys may stand in any order: a first pass finds the value of each, then they
   are read in the order in which they depend on each other. Arrays are counted before they are allocated. */
#include <math.h>
#include <string.h>

#include "logic/formula.h"

#include "model/model_metadata.h"

typedef struct reader {
    json_reader json;
    temper_model *model;
    memory_budget *budget;
    uint64_t version;
} reader;

enum { BLOCK = 16 }; /* what an arena rounds up to */

void budget_spend(memory_budget *b, uint64_t count, uint64_t size) {
    uint64_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || __builtin_add_overflow(b->spent, bytes, &b->spent) ||
        b->spent > b->most)
        trap_raise(b->trap, TEMPER_LIMIT, 0, 0,
                   "loading the model would take more than the %llu bytes that a file of its size may",
                   (unsigned long long)b->most);
}

static void *take(reader *r, size_t count, size_t size) {
    budget_spend(r->budget, count, size);
    return arena_zalloc(&r->model->memory, count, size);
}

/* ---- values ---- */

static const char *read_text(reader *r, const char *what) {
    json_reader ahead = r->json;
    budget_spend(r->budget, jread_string(&ahead, what).length + BLOCK, 1);
    return jread_c_string(&r->json, &r->model->memory, what);
}

static const expression *read_expression(reader *r, const char *what) {
    json_reader *j = &r->json;
    size_t at = (jread_peek(j), j->at);
    json_reader ahead = *j;
    budget_spend(r->budget, jread_string(&ahead, what).length + 1, METADATA_NODE_BYTES);
    const char *bytes = jread_c_string(j, j->scratch, what);
    temper_error error;
    const expression *e = expression_try(&r->model->memory, bytes, &error);
    if (!e) jread_fail(j, at, "%s", error.text);
    return e;
}

/* The number in a string, as text_double writes it. */
static double read_double(reader *r, const char *what) {
    json_reader *j = &r->json;
    double x;
    size_t at = (jread_peek(j), j->at);
    json_text t = jread_string(j, what);
    if (!text_to_double(&x, t.bytes, t.length) || !isfinite(x) || x < 0) jread_expected(j, at, what);
    return x;
}

/* From here on messages are about the members of this key. */
static void enter(reader *r, const char *where) {
    r->json.where = where;
    r->json.field = NULL;
}

/* ---- settings ---- */

enum key {
    VERSION,
    METHOD,
    SYNTAX,
    SOURCE,
    ALPHABET,
    TOKENS,
    AT,
    EMPTY,
    END,
    SAFE,
    REASON,
    BOUND,
    CHANNELS,
    LAYERS,
    PARTS,
    KIND,
    OUTPUTS,
    LOGITS,
    OTHER,
    KEY_COUNT
};

static const char *const keys[] = {"version", "method", "syntax",  "source", "alphabet", "tokens",   "at",
                                   "empty",   "end",    "safe",    "reason", "bound",    "channels", "layers",
                                   "parts",   "kind",   "outputs", "logits", "other",    NULL};

static void read_version(reader *r) {
    size_t at = (jread_peek(&r->json), r->json.at);
    r->version = jread_integer(&r->json, UINT64_MAX, "a number");
    if (r->version < 1 || r->version > 2)
        jread_fail(&r->json, at, "a model of another version; this temper reads versions 1 and 2");
}

static void read_method(reader *r) {
    static const char *const methods[] = {"hard",        "temperature", "positions",  "digits bf16", "digits f16",
                                          "digits e4m3", "digits e5m2", "digits f32", NULL};
    unsigned choice =
        jread_choice(&r->json, methods,
                     "\"hard\", \"temperature\", \"positions\" or \"digits\" with bf16, f16, e4m3, e5m2 or f32");
    r->model->method = choice < TEMPER_METHOD_DIGITS ? (temper_method)choice : TEMPER_METHOD_DIGITS;
    if (choice >= TEMPER_METHOD_DIGITS) r->model->digits = digit_format_at(choice - TEMPER_METHOD_DIGITS);
}

static void read_syntax(reader *r) { r->model->syntax = jread_choice(&r->json, syntax_names, syntax_choices_quoted); }

static void read_source(reader *r) { r->model->source = read_text(r, "a string"); }

static void read_tokens(reader *r) { r->model->letters.tokens = jread_bool(&r->json, "true or false"); }

static void read_at(reader *r) {
    static const char *const places[] = {"first", "last", NULL};
    r->model->at = jread_choice(&r->json, places, "\"first\" or \"last\"") ? TEMPER_AT_LAST : TEMPER_AT_FIRST;
}

static void read_empty(reader *r) {
    static const char *const answers[] = {"reject", "accept", NULL};
    r->model->accepts_empty = jread_choice(&r->json, answers, "\"accept\" or \"reject\"");
}

static void read_end(reader *r) { r->model->has_end = jread_bool(&r->json, "true or false"); }

static void read_safe(reader *r) {
    r->model->record.length = jread_integer(&r->json, SIZE_MAX, "a length, a whole number");
}

static void read_reason(reader *r) { r->model->record.reason = read_text(r, "a string"); }

static void read_bound(reader *r) {
    static const char *const names[] = {"error", "margin", "of", NULL}, *const ranges[] = {"positions", "verdict",
                                                                                           NULL};
    temper_model *m = r->model;
    uint32_t seen = 0;
    size_t at = (jread_peek(&r->json), r->json.at);
    jread_object(&r->json);
    enter(r, "__metadata__: bound");
    for (int k; (k = jread_field(&r->json, names, &seen)) >= 0;) {
        if (k == 0) m->record.error = read_double(r, "a number in quotes, not negative");
        if (k == 1) m->record.margin = read_double(r, "a number in quotes, not negative");
        if (k == 2) m->record.verdict_only = jread_choice(&r->json, ranges, "\"verdict\" or \"positions\"");
    }
    jread_require(&r->json, at, names, seen, 7);
    if (!(m->record.error < m->record.margin))
        jread_fail(&r->json, at, "an error that is not below the margin proves nothing");
}

void metadata_read_alphabet(alphabet *letters, json_reader *j, memory_budget *budget) {
    size_t begin = (jread_peek(j), j->at);
    for (jread_array(j); jread_element(j);) {
        size_t at = j->at;
        const char *letter = jread_c_string(j, j->scratch, "a letter in quotes");
        if (!*letter) jread_fail(j, at, "an empty letter");
        if (letters->count == ALPHABET_LIMIT) jread_fail(j, at, "more than %d letters", ALPHABET_LIMIT);
        if (alphabet_find(letters, letter, strlen(letter)) != UINT32_MAX)
            jread_fail(j, at, "a letter that is in it already");
        if (!alphabet_can_read(letters, letter))
            jread_fail(j, at,
                       letters->tokens ? "a token with a blank, at which strings are split"
                                       : "a letter of several characters needs \"tokens\": true");
        if (budget)
            budget_spend(budget, strlen(letter) + 8 * BLOCK, 2); /* twice: scratch and alphabet, with its table */
        alphabet_add(letters, letter, strlen(letter));
    }
    if (!letters->count) jread_fail(j, begin, "no letters");
}

static void read_other(reader *r) {
    alphabet *letters = &r->model->letters;
    size_t at = (jread_peek(&r->json), r->json.at);
    if (r->version < 2) jread_fail(&r->json, at, "in version 1 a model has no other letter");
    const char *letter = jread_c_string(&r->json, r->json.scratch, "a letter");
    letters->other = alphabet_find(letters, letter, strlen(letter));
    if (letters->other == UINT32_MAX) jread_fail(&r->json, at, "a letter that is not in the alphabet");
}

static void read_alphabet(reader *r) { metadata_read_alphabet(&r->model->letters, &r->json, r->budget); }

static uint32_t count_array(reader *r, const char *what) {
    json_reader *j = &r->json;
    if (jread_peek(j) != JSON_ARRAY) jread_expected(j, j->at, what);
    size_t count = jread_count(j); /* each element has a byte of the header, so it fits */
    jread_array(j);
    return (uint32_t)count;
}

/* ---- outputs ---- */

static void read_kind(reader *r) {
    static const char *const kinds[] = {"next", "transducer", NULL};
    size_t at = (jread_peek(&r->json), r->json.at);
    if (r->version < 2) jread_fail(&r->json, at, "in version 1 a model has one output and no kind");
    r->model->kind = TEMPER_KIND_NEXT + jread_choice(&r->json, kinds, "\"next\" or \"transducer\"");
}

static void read_outputs(reader *r) {
    temper_model *m = r->model;
    json_reader *j = &r->json;
    table known;
    size_t begin = (jread_peek(j), j->at);
    if (m->kind == TEMPER_KIND_ACCEPTOR) jread_fail(j, begin, "the model has no kind");
    m->read.count = count_array(r, "an array");
    if (!m->read.count) jread_fail(j, begin, "there are none");
    budget_spend(r->budget, m->read.count, 4 * sizeof(table_entry)); /* a table that grows */
    table_init(&known, j->scratch);
    m->output_names = take(r, m->read.count, sizeof *m->output_names);
    enter(r, "__metadata__: outputs");
    for (uint32_t k = 0; jread_element(j); k++) {
        size_t at = j->at;
        bool fresh;
        const char *name = m->output_names[k] = read_text(r, "a name in quotes");
        table_put(&known, name, strlen(name), k, &fresh);
        if (!fresh) jread_fail(j, at, "a name that is there already");
    }
}

static void read_logits(reader *r) {
    temper_model *m = r->model;
    size_t at = (jread_peek(&r->json), r->json.at);
    bool has = jread_bool(&r->json, "true or false");
    if (has && m->kind != TEMPER_KIND_NEXT) jread_fail(&r->json, at, "a model that is not of kind next has none");
    m->logits.count = has ? m->read.count : 0;
}

/* ---- channels, layers, parts ---- */

static void read_channel(reader *r, model_channel *c) {
    static const char *const names[] = {"label", "position", "soft", NULL};
    json_reader *j = &r->json;
    uint32_t seen = 0;
    size_t at = (jread_peek(j), j->at);
    jread_object(j);
    for (int k; (k = jread_field(j, names, &seen)) >= 0;) {
        if (k == 0) c->label = read_text(r, "a string");
        if (k == 1) c->position = read_expression(r, "an expression in quotes");
        if (k == 2) c->position = read_expression(r, "an expression in quotes");
    }
    jread_require(j, at, names, seen, 1);
    if ((seen & 6) == 6) jread_fail(j, at, "a channel has a position or a soft expression, not both");
    c->soft_only = seen & 4;
    if (c->soft_only && r->model->method == TEMPER_METHOD_HARD)
        jread_fail(j, at, "a soft channel in a hard model: the method must be temperature, positions or digits");
}

static void read_channels(reader *r) {
    temper_model *m = r->model;
    m->channel_count = count_array(r, "an array");
    m->channels = take(r, m->channel_count, sizeof *m->channels);
    enter(r, "__metadata__: channels");
    for (uint32_t k = 0; jread_element(&r->json); k++) read_channel(r, &m->channels[k]);
}

/* What must agree between the fields of a head. */
static void check_head(const reader *r, const model_head *h, size_t at, bool stands, bool scaled) {
    const json_reader *j = &r->json;
    bool soft = h->choice == TEMPER_CHOICE_SOFTMAX;
    if (soft && r->model->method == TEMPER_METHOD_HARD)
        jread_fail(j, at, "a softmax head in a hard model: the method must be temperature, positions or digits");
    if (!soft && stands) jread_fail(j, at, "for: only a softmax head stands for another choice");
    if (!soft && scaled) jread_fail(j, at, "scale: only a softmax head has a scale");
    if (h->adaptive && h->hard_choice == TEMPER_CHOICE_SOFTMAX)
        jread_fail(j, at, "adaptive: only a softmax head that stands for a hard choice is adaptive");
    if (r->version < 2 && head_reads_position(h))
        jread_fail(j, at, "scale: in version 1 it may depend on n and N, not on the position i");
}

static void read_head(reader *r, model_head *h) {
    static const char *const names[] = {"label", "role",  "mask",  "choice",   "for",
                                        "scale", "query", "value", "adaptive", NULL};
    static const char *const roles[] = {"none",    "once",   "nearest", "count", "compare",
                                        "balance", "lookup", "match",   NULL};
    static const char *const masks[] = {"all", "j<i", "j<=i", "j>i", "j>=i", NULL};
    static const char *const choices[] = {"leftmost", "rightmost", "average", "softmax", NULL};
    json_reader *j = &r->json;
    uint32_t seen = 0;
    size_t at = (jread_peek(j), j->at);
    jread_object(j);
    for (int k; (k = jread_field(j, names, &seen)) >= 0;) {
        if (k == 0) h->label = read_text(r, "a string");
        if (k == 1) h->role = jread_choice(j, roles, "none, once, nearest, count, compare, balance, lookup or match");
        if (k == 2) h->mask = jread_choice(j, masks, "\"all\", \"j<i\", \"j<=i\", \"j>i\" or \"j>=i\"");
        if (k == 3) h->choice = jread_choice(j, choices, "leftmost, rightmost, average or softmax");
        if (k == 4) h->hard_choice = jread_choice(j, choices, "leftmost, rightmost, average or softmax");
        if (k == 5 || k == 8) h->scale = read_expression(r, "an expression in quotes");
        if (k == 6) h->query.count = h->key.count = (uint32_t)jread_integer(j, UINT32_MAX - 1, "a number of rows");
        if (k == 7) h->value.count = h->output.count = (uint32_t)jread_integer(j, UINT32_MAX - 1, "a number of rows");
    }
    jread_require(j, at, names, seen, 1 << 0 | 1 << 2 | 1 << 3 | 1 << 6 | 1 << 7);
    if (!(seen >> 4 & 1)) h->hard_choice = h->choice;
    h->adaptive = seen >> 8 & 1;
    if (h->adaptive && (seen >> 5 & 1)) jread_fail(j, at, "a head has a scale or is adaptive, not both");
    check_head(r, h, at, seen >> 4 & 1, h->scale != NULL);
}

static void read_layer(reader *r, model_layer *l) {
    static const char *const names[] = {"heads", "units", NULL};
    json_reader *j = &r->json;
    uint32_t seen = 0;
    size_t at = (jread_peek(j), j->at);
    jread_object(j);
    for (int k; (k = jread_field(j, names, &seen)) >= 0;) {
        if (k == 1) {
            l->in.count = l->out.count = (uint32_t)jread_integer(j, UINT32_MAX - 1, "a number of units");
            continue;
        }
        l->head_count = count_array(r, "an array");
        l->heads = take(r, l->head_count, sizeof *l->heads);
        for (uint32_t h = 0; jread_element(j); h++) read_head(r, &l->heads[h]);
    }
    jread_require(j, at, names, seen, 3);
}

static void read_layers(reader *r) {
    temper_model *m = r->model;
    m->layer_count = count_array(r, "an array");
    m->layers = take(r, m->layer_count, sizeof *m->layers);
    enter(r, "__metadata__: layers");
    for (uint32_t k = 0; jread_element(&r->json); k++) read_layer(r, &m->layers[k]);
}

static void read_part(reader *r, model_part *p) {
    static const char *const names[] = {"formula", "layer", "head", "channel", NULL};
    const temper_model *m = r->model;
    json_reader *j = &r->json;
    uint32_t seen = 0;
    size_t at = (jread_peek(j), j->at);
    *p = (model_part){.head = -1, .channel = -1};
    jread_object(j);
    for (int k; (k = jread_field(j, names, &seen)) >= 0;) {
        if (k == 0) p->formula = read_text(r, "a string");
        if (k == 1) p->layer = (uint32_t)jread_integer(j, m->layer_count, "the number of a layer of this model");
        if (k == 2) p->head = (int64_t)jread_integer(j, UINT32_MAX, "the number of a head") - 1;
        if (k == 3) p->channel = (int64_t)jread_integer(j, UINT32_MAX, "the number of a channel");
    }
    jread_require(j, at, names, seen, 3);
    uint32_t heads = p->layer ? m->layers[p->layer - 1].head_count : 0;
    if ((seen & 4) && (p->head < 0 || p->head >= heads))
        jread_fail(j, at, "head: there is no such head in that layer");
    if ((seen & 8) && p->channel >= m->channel_count) jread_fail(j, at, "channel: there is no such channel");
}

static void read_parts(reader *r) {
    temper_model *m = r->model;
    m->part_count = count_array(r, "an array");
    m->parts = take(r, m->part_count, sizeof *m->parts);
    enter(r, "__metadata__: parts");
    for (uint32_t k = 0; jread_element(&r->json); k++) read_part(r, &m->parts[k]);
}

/* ---- all of it ---- */

void metadata_read(temper_model *m, json_reader *json, memory_budget *budget) {
    static void (*const readers[KEY_COUNT])(reader *) = {
        [VERSION] = read_version,   [METHOD] = read_method, [SYNTAX] = read_syntax, [SOURCE] = read_source,
        [ALPHABET] = read_alphabet, [TOKENS] = read_tokens, [AT] = read_at,         [EMPTY] = read_empty,
        [END] = read_end,           [SAFE] = read_safe,     [REASON] = read_reason, [BOUND] = read_bound,
        [CHANNELS] = read_channels, [LAYERS] = read_layers, [PARTS] = read_parts,   [KIND] = read_kind,
        [OUTPUTS] = read_outputs,   [LOGITS] = read_logits, [OTHER] = read_other};
    static const unsigned char order[KEY_COUNT] = {VERSION, KIND,     OUTPUTS,  LOGITS, METHOD, SYNTAX, SOURCE,
                                                   TOKENS,  ALPHABET, OTHER,    AT,     EMPTY,  END,    SAFE,
                                                   REASON,  BOUND,    CHANNELS, LAYERS, PARTS};
    reader r = {.json = *json, .model = m, .budget = budget};
    json_reader values[KEY_COUNT];
    uint32_t seen = 0;
    size_t begin = (jread_peek(&r.json), r.json.at);
    jread_object(&r.json);
    for (int k; (k = jread_field(&r.json, keys, &seen)) >= 0;) {
        values[k] = r.json;
        jread_skip(&r.json, NULL);
    }
    jread_end(&r.json);
    jread_require(&r.json, begin, keys, seen, 1u << VERSION | 1u << ALPHABET | 1u << CHANNELS | 1u << LAYERS);
    if ((seen >> KIND & 1) && !(seen >> OUTPUTS & 1)) jread_fail(&r.json, begin, "a kind, but no outputs");
    m->at = TEMPER_AT_LAST;
    m->read.count = 1;
    for (size_t k = 0; k < KEY_COUNT; k++) {
        if (!(seen >> order[k] & 1)) continue;
        r.json = values[order[k]];
        readers[order[k]](&r);
    }
    *json = r.json;
}
