/* Reads the text form of a model, line by line; doc/model.md describes it. The first word of a line says what it is,
   and the lines come in the order of model_print:

       temper-model 1                                         or 2, if a scale reads the position i or there is a kind
       kind next | transducer                                 of models with several outputs
       method ..., syntax ..., source "...", alphabet "a" "b" ..., other "b", tokens ..., at ..., empty ..., end ..., safe N
       "...", bound ...
       channel K "label" [position "expr" | soft "expr"]      all channels, numbered from 0
       embed "a" | start | end  channel:weight ...            one line per letter, then the sentinels
       layer K, then its heads (head, query, key, value, output) and units
       read channel:weight ...                                or, with a kind, one line for each output:
       read "name" channel:weight ...
       logit "name" channel:weight ...                        none, or one for each output in the same order
       part "formula" layer L [head H] [channel C]
       digest HEX                                             without it the record is ignored

   Of the settings only the alphabet must be given. `--` begins a comment at the start of a line. */
#include <string.h>

#include "model/model_read.h"

static const char *const choice_words[] = {"leftmost", "rightmost", "average", "softmax", NULL};
static const char any_choice[] = "leftmost, rightmost, average or softmax";

/* ---- pieces of lines ---- */

static const expression *read_expression(model_reader *r) {
    const char *bytes = scan_quoted(&r->scan, r->scratch, "an expression in quotes");
    size_t column = scan_column(&r->scan, r->scan.word_at + 1);
    return expression_parse(&r->model->memory, bytes, strlen(bytes), r->scan.line, column);
}

static void require_channel(const model_reader *r, uint64_t channel) {
    uint32_t count = r->model->channel_count;
    if (channel >= count)
        scan_fail(&r->scan, r->scan.word_at, "there is no channel %llu; the file has %u, numbered from 0",
                  (unsigned long long)channel, count);
}

static void read_term(model_reader *r, rows_builder *b, size_t first, const char *word, size_t length) {
    size_t at = r->scan.word_at, k = 0;
    uint64_t channel = 0;
    for (; k < length && word[k] >= '0' && word[k] <= '9' && k < 10; k++)
        channel = channel * 10 + (unsigned)(word[k] - '0');
    if (k == 0 || k == length || word[k] != ':') scan_expected(&r->scan, at, "CHANNEL:WEIGHT");
    require_channel(r, channel);
    double weight = scan_double(&r->scan, word + k + 1, length - k - 1, at + k + 1);
    if (weight == 0) scan_fail(&r->scan, at + k + 1, "a weight that is zero: leave the channel out");
    if (b->term_count > first && b->terms[b->term_count - 1].channel >= channel)
        scan_fail(&r->scan, at, "the channels of a row must ascend, but %llu follows %u", (unsigned long long)channel,
                  b->terms[b->term_count - 1].channel);
    rows_term(b, (uint32_t)channel, weight);
}

/* channel:weight terms up to the end of the line or the word `stop`. */
static void read_row(model_reader *r, rows_builder *b, const char *stop) {
    size_t first = b->term_count;
    for (;;) {
        const char *word;
        size_t length = scan_word(&r->scan, &word);
        if (stop && scan_word_is(word, length, stop)) break;
        if (length == 0 && stop) scan_expected(&r->scan, r->scan.word_at, stop);
        if (length == 0) break;
        read_term(r, b, first, word, length);
    }
    rows_end_row(b);
}

/* ---- channels and embedding ---- */

static void read_channel(model_reader *r) {
    temper_model *m = r->model;
    uint64_t number = scan_integer(&r->scan, 0, UINT32_MAX - 1, "a channel number");
    if (number != m->channel_count)
        scan_fail(&r->scan, r->scan.word_at, "channels are numbered from 0 in order; this one must be %u",
                  m->channel_count);
    model_channel c = {.label = scan_quoted(&r->scan, &m->memory, "a label in quotes")};
    if (scan_accept(&r->scan, "position"))
        c.position = read_expression(r);
    else if (scan_accept(&r->scan, "soft")) {
        if (m->method == TEMPER_METHOD_HARD)
            scan_fail(&r->scan, r->scan.word_at,
                      "a soft channel in a hard model: the method must be temperature, positions or digits");
        c.position = read_expression(r);
        c.soft_only = true;
    }
    size_t count = m->channel_count;
    array_push(&m->memory, m->channels, count, r->channel_capacity, c);
    m->channel_count = (uint32_t)count;
}

/* The token whose embedding comes next, as the file writes it. */
static const char *next_token(const model_reader *r) {
    const temper_model *m = r->model;
    if (r->embedded >= model_end_token(m)) return "end";
    if (r->embedded == model_start_token(m)) return "start";
    const char *letter = m->letters.letters[r->embedded];
    return text_escaped(r->scratch, letter, strlen(letter), 24);
}

static void read_embed(model_reader *r) {
    temper_model *m = r->model;
    bool start = scan_accept(&r->scan, "start"), end = !start && scan_accept(&r->scan, "end");
    size_t row = start ? model_start_token(m) : model_end_token(m);
    if (!start && !end) {
        const char *letter = scan_quoted(&r->scan, r->scratch, "a letter in quotes, start or end");
        row = alphabet_find(&m->letters, letter, strlen(letter));
        if (row == UINT32_MAX) scan_fail(&r->scan, r->scan.word_at, "a letter that is not in the alphabet");
        if (!alphabet_can_read(&m->letters, letter))
            scan_fail(&r->scan, r->scan.word_at,
                      m->letters.tokens ? "a token with a blank, at which strings are split"
                                        : "a letter of several characters needs a line 'tokens yes'");
    }
    if (row != r->embedded)
        scan_fail(&r->scan, r->scan.word_at, "embeddings follow the alphabet, then start and end; next is %s",
                  r->embedded > model_end_token(m) ? "a layer" : next_token(r));
    read_row(r, &r->embedding, NULL);
    r->embedded++;
}

/* ---- layers ---- */

static void finish_head(model_reader *r) {
    if (!r->in_head) return;
    temper_model *m = r->model;
    model_layer *l = &m->layers[m->layer_count - 1];
    model_head *h = &l->heads[l->head_count - 1];
    h->query = rows_finish(&r->query);
    h->key = rows_finish(&r->key);
    h->value = rows_finish(&r->value);
    h->output = rows_finish(&r->output);
    if (h->query.count != h->key.count)
        trap_raise(r->scan.trap, TEMPER_FORMAT, r->head_line, 1, "head %u.%u has %u query rows but %u key rows",
                   m->layer_count, l->head_count, h->query.count, h->key.count);
    if (h->value.count != h->output.count)
        trap_raise(r->scan.trap, TEMPER_FORMAT, r->head_line, 1, "head %u.%u has %u value rows but %u output rows",
                   m->layer_count, l->head_count, h->value.count, h->output.count);
    r->in_head = false;
}

static void finish_layer(model_reader *r) {
    finish_head(r);
    if (!r->in_layer) return;
    model_layer *l = &r->model->layers[r->model->layer_count - 1];
    l->in = rows_finish(&r->in);
    l->out = rows_finish(&r->out);
    l->bias = r->bias;
    r->in_layer = false;
}

static void read_layer(model_reader *r) {
    temper_model *m = r->model;
    finish_layer(r);
    uint64_t number = scan_integer(&r->scan, 0, UINT32_MAX - 1, "a layer number");
    if (number != (uint64_t)m->layer_count + 1)
        scan_fail(&r->scan, r->scan.word_at, "layers are numbered from 1 in order; this one must be %u",
                  m->layer_count + 1);
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

static const expression *read_scale(model_reader *r) {
    const expression *scale = read_expression(r);
    if (r->version < 2 && expression_uses(scale, EXPR_I))
        scan_fail(&r->scan, r->scan.word_at,
                  "a scale of version 1 may depend on n and N, not on the position i: that takes 'temper-model 2'");
    return scale;
}

static void read_head_choice(model_reader *r, model_head *h) {
    scan_require(&r->scan, "choice");
    h->choice = h->hard_choice = scan_choice(&r->scan, choice_words, any_choice);
    bool soft = h->choice == TEMPER_CHOICE_SOFTMAX;
    if (soft && r->model->method == TEMPER_METHOD_HARD)
        scan_fail(&r->scan, r->scan.word_at,
                  "a softmax head in a hard model: the method must be temperature, positions or digits");
    if (scan_accept(&r->scan, "for")) {
        if (!soft) scan_fail(&r->scan, r->scan.word_at, "only a softmax head stands for another choice");
        h->hard_choice = scan_choice(&r->scan, choice_words, any_choice);
    }
    if (scan_accept(&r->scan, "scale")) {
        if (!soft) scan_fail(&r->scan, r->scan.word_at, "only a softmax head has a scale");
        h->scale = read_scale(r);
    } else if (scan_accept(&r->scan, "adaptive")) {
        if (h->hard_choice == TEMPER_CHOICE_SOFTMAX)
            scan_fail(&r->scan, r->scan.word_at, "only a softmax head that stands for a hard choice is adaptive");
        h->adaptive = true;
        h->scale = read_scale(r);
    }
}

static void read_head(model_reader *r) {
    static const char *const roles[] = {"none",    "once",   "nearest", "count", "compare",
                                        "balance", "lookup", "match",   NULL};
    static const char *const masks[] = {"all", "j<i", "j<=i", "j>i", "j>=i", NULL};
    temper_model *m = r->model;
    finish_head(r);
    if (!r->in_layer) scan_fail(&r->scan, r->scan.line_start, "a head before the first layer line");
    if (r->bias_count) scan_fail(&r->scan, r->scan.line_start, "the heads of a layer come before its units");
    model_head h = {.label = scan_quoted(&r->scan, &m->memory, "a label in quotes")};
    if (scan_accept(&r->scan, "role"))
        h.role = scan_choice(&r->scan, roles, "none, once, nearest, count, compare, balance, lookup or match");
    scan_require(&r->scan, "mask");
    h.mask = scan_choice(&r->scan, masks, "all, j<i, j<=i, j>i or j>=i");
    read_head_choice(r, &h);
    model_layer *l = &m->layers[m->layer_count - 1];
    size_t count = l->head_count;
    array_push(&m->memory, l->heads, count, r->head_capacity, h);
    l->head_count = (uint32_t)count;
    rows_begin(&r->query, &m->memory);
    rows_begin(&r->key, &m->memory);
    rows_begin(&r->value, &m->memory);
    rows_begin(&r->output, &m->memory);
    r->head_line = r->scan.line;
    r->in_head = true;
}

static void read_head_row(model_reader *r, rows_builder *b) {
    if (!r->in_head)
        scan_fail(&r->scan, r->scan.word_at, "a row of a head, but no head line before it in this layer");
    read_row(r, b, NULL);
}

static void read_query(model_reader *r) { read_head_row(r, &r->query); }
static void read_key(model_reader *r) { read_head_row(r, &r->key); }
static void read_value(model_reader *r) { read_head_row(r, &r->value); }
static void read_output(model_reader *r) { read_head_row(r, &r->output); }

static void read_unit(model_reader *r) {
    finish_head(r);
    if (!r->in_layer) scan_fail(&r->scan, r->scan.line_start, "a unit before the first layer line");
    const char *word;
    size_t length = scan_word(&r->scan, &word);
    double bias = scan_double(&r->scan, word, length, r->scan.word_at);
    array_push(&r->model->memory, r->bias, r->bias_count, r->bias_capacity, bias);
    read_row(r, &r->in, "->");
    read_row(r, &r->out, NULL);
}

/* ---- the end of the file ---- */

static void read_name(model_reader *r) {
    temper_model *m = r->model;
    size_t count = r->read.count;
    bool fresh;
    const char *name = scan_quoted(&r->scan, &m->memory, "the output's name in quotes");
    table_put(&r->names, name, strlen(name), 1, &fresh);
    if (!fresh) scan_fail(&r->scan, r->scan.word_at, "a second line 'read' of this output");
    if (!count) m->output_names = NULL; /* what a new model has is not ours to grow */
    array_push(&m->memory, m->output_names, count, r->name_capacity, name);
}

static void read_read(model_reader *r) {
    finish_layer(r);
    if (r->logits.count) scan_fail(&r->scan, r->scan.line_start, "a line 'read' after a line 'logit'");
    if (r->model->kind != TEMPER_KIND_ACCEPTOR)
        read_name(r);
    else if (r->read.count)
        scan_fail(&r->scan, r->scan.word_at, "a second line 'read'");
    read_row(r, &r->read, NULL);
}

static void read_logit(model_reader *r) {
    const temper_model *m = r->model;
    finish_layer(r);
    if (m->kind != TEMPER_KIND_NEXT)
        scan_fail(&r->scan, r->scan.line_start, "a line 'logit' in a model that is not of kind next");
    if (r->logits.count == r->read.count)
        scan_fail(&r->scan, r->scan.line_start, "a line 'logit' more than there are lines 'read'");
    const char *name = scan_quoted(&r->scan, r->scratch, "the output's name in quotes");
    if (strcmp(name, m->output_names[r->logits.count]) != 0)
        scan_fail(&r->scan, r->scan.word_at, "lines 'logit' have the names of the lines 'read', in their order");
    read_row(r, &r->logits, NULL);
}

static void read_part(model_reader *r) {
    temper_model *m = r->model;
    model_part p = {.formula = scan_quoted(&r->scan, &m->memory, "a formula in quotes"), .head = -1, .channel = -1};
    scan_require(&r->scan, "layer");
    p.layer = (uint32_t)scan_integer(&r->scan, 0, m->layer_count, "the number of a layer of this model");
    uint32_t heads = p.layer ? m->layers[p.layer - 1].head_count : 0;
    if (scan_accept(&r->scan, "head"))
        p.head = (int64_t)scan_integer(&r->scan, 1, heads, "the number of a head of that layer") - 1;
    if (scan_accept(&r->scan, "channel")) {
        p.channel = (int64_t)scan_integer(&r->scan, 0, UINT32_MAX, "the number of a channel");
        require_channel(r, (uint64_t)p.channel);
    }
    array_push(&m->memory, m->parts, m->part_count, r->part_capacity, p);
}

/* A wrong digest means that the file was edited, so its record no longer counts. */
static void read_digest(model_reader *r) {
    if (scan_hex64(&r->scan) == model_digest(r->scan.bytes, r->scan.line_start)) return;
    r->model->record = MODEL_NO_RECORD;
}

/* ---- lines ---- */

typedef struct line_kind {
    const char *word;
    enum stage stage;
    bool once;
    void (*read)(model_reader *);
} line_kind;

static const line_kind kinds[] = {
    {"query", LAYERS, false, read_query},
    {"key", LAYERS, false, read_key},
    {"value", LAYERS, false, read_value},
    {"output", LAYERS, false, read_output},
    {"unit", LAYERS, false, read_unit},
    {"head", LAYERS, false, read_head},
    {"layer", LAYERS, false, read_layer},
    {"channel", CHANNELS, false, read_channel},
    {"embed", EMBEDDING, false, read_embed},
    {"part", PARTS, false, read_part},
    {"read", READ_OUT, false, read_read},
    {"digest", END, true, read_digest},
    {"logit", READ_OUT, false, read_logit},
    {"kind", SETTINGS, true, model_read_kind},
    {"alphabet", SETTINGS, true, model_read_alphabet},
    {"method", SETTINGS, true, model_read_method},
    {"syntax", SETTINGS, true, model_read_syntax},
    {"source", SETTINGS, true, model_read_source},
    {"tokens", SETTINGS, true, model_read_tokens},
    {"at", SETTINGS, true, model_read_at},
    {"empty", SETTINGS, true, model_read_empty},
    {"end", SETTINGS, true, model_read_end},
    {"safe", SETTINGS, true, model_read_safe},
    {"bound", SETTINGS, true, model_read_bound},
    {"other", SETTINGS, true, model_read_other},
};

/* Lines of an earlier stage are over; what they had to give must be there. */
static void enter_stage(model_reader *r, enum stage next, const char *word) {
    static const char *const stages[] = {"settings", "channel", "embed", "layer", "read", "part", "digest"};
    const temper_model *m = r->model;
    size_t at = r->scan.word_at;
    if (next < r->stage)
        scan_fail(&r->scan, at, "a line '%s' after a line '%s'; it belongs before", word, stages[r->stage]);
    if (next > SETTINGS && m->letters.count == 0) scan_fail(&r->scan, at, "no line 'alphabet' before this");
    if (next > EMBEDDING && r->embedded < m->letters.count + 2)
        scan_fail(&r->scan, at, "no line 'embed' for %s before this", next_token(r));
    if (next > READ_OUT && !r->read.count) scan_fail(&r->scan, at, "no line 'read' before this");
    r->stage = next;
}

static void read_line(model_reader *r, const char *word, size_t length) {
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (!scan_word_is(word, length, kinds[k].word)) continue;
        enter_stage(r, kinds[k].stage, kinds[k].word);
        if (kinds[k].once && (r->seen >> k & 1))
            scan_fail(&r->scan, r->scan.word_at, "a second line '%s'", kinds[k].word);
        r->seen |= 1ul << k;
        kinds[k].read(r);
        return;
    }
    scan_expected(
        &r->scan, r->scan.word_at,
        "the first word of a line (channel, embed, layer, head, query, key, value, output, unit, read, ...)");
}

static void read_first_line(model_reader *r) {
    scanner *s = &r->scan;
    const char *nul = s->length ? memchr(s->bytes, 0, s->length) : NULL;
    if (nul) {
        for (const char *end; (end = memchr(s->bytes + s->at, '\n', (size_t)(nul - s->bytes) - s->at));) {
            s->at = s->line_start = (size_t)(end - s->bytes) + 1;
            s->line++;
        }
        scan_fail(s, (size_t)(nul - s->bytes), "a NUL byte: this is not a text file");
    }
    if (s->length >= 3 && memcmp(s->bytes, "\xEF\xBB\xBF", 3) == 0)
        scan_fail(s, 0, "a byte-order mark; a model begins with 'temper-model 1'");
    if (!scan_accept(s, "temper-model"))
        scan_fail(s, 0, "not a temper model: it does not begin with 'temper-model 1'");
    r->version = (unsigned)scan_integer(s, 0, UINT32_MAX, "a version number");
    if (r->version < 1 || r->version > 2)
        scan_fail(s, s->word_at, "a model of another version; this temper reads versions 1 and 2");
    scan_end_line(s);
    scan_next_line(s);
}

static void read_all(model_reader *r) {
    scanner *s = &r->scan;
    temper_model *m = r->model;
    read_first_line(r);
    for (; s->at < s->length; scan_next_line(s)) {
        const char *word;
        size_t length = scan_word(s, &word);
        if (length && r->stage == END) scan_fail(s, s->word_at, "text after the digest, which ends the file");
        if (length == 0 || (length >= 2 && word[0] == '-' && word[1] == '-')) continue;
        read_line(r, word, length);
        scan_end_line(s);
    }
    finish_layer(r);
    m->embedding = rows_finish(&r->embedding);
    if (!r->read.count) scan_fail(s, s->at, "the file ends without a line 'read'");
    if (r->logits.count && r->logits.count < r->read.count)
        scan_fail(s, s->at, "the file has a line 'logit' for some outputs, but not for all");
    m->read = rows_finish(&r->read);
    if (r->logits.count) m->logits = rows_finish(&r->logits);
    if (m->at == TEMPER_AT_DEFAULT) m->at = TEMPER_AT_LAST;
    if (r->stage != END) m->record = MODEL_NO_RECORD;
}

void model_read(temper_model *m, const char *bytes, size_t length, arena *scratch) {
    model_reader r = {
        .scan = {.scratch = scratch, .trap = scratch->trap, .bytes = bytes, .length = length, .line = 1},
        .scratch = scratch,
        .model = m};
    alphabet_init(&m->letters, &m->memory, false);
    rows_begin(&r.embedding, &m->memory);
    rows_begin(&r.read, &m->memory);
    rows_begin(&r.logits, &m->memory);
    table_init(&r.names, scratch);
    read_all(&r);
    model_check(m, scratch->trap);
    model_seal(m);
}
