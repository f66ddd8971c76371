/* temper_model_import: the model from settings and tensors.

   Biases have no place in temper's matrices. Channel `width`, which is 1 everywhere, carries those of queries, keys
   and values; that of the attention's output is a head of its own which attends to everything alike; that of the
   net's output is a unit that is always 1. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "import/import.h"
#include "ordinary/lift/lift_model.h"

/* ---- matrices ---- */

double *import_block(importer *im, const tensor *t, uint64_t first, size_t rows, size_t columns, uint64_t stride) {
    double *out = arena_alloc(im->work, rows, columns * sizeof *out);
    if (stride == columns)
        tensor_read(out, &im->file, t, first, rows * columns);
    else
        for (size_t r = 0; r < rows; r++) tensor_read(out + r * columns, &im->file, t, first + r * stride, columns);
    return out;
}

/* A matrix of temper, row r over channels c, in an array that may be transposed: w[r*row_step + c*column_step]. */
typedef struct dense {
    const double *w;
    size_t rows, row_step, column_step;
    const double *bias; /* [rows] of the channel that is 1, or NULL */
} dense;

static size_t row_terms(const importer *im, const dense *d, size_t row) {
    size_t count = d->bias && d->bias[row] != 0;
    for (size_t c = 0; c < im->width; c++) count += d->w[row * d->row_step + c * d->column_step] != 0;
    return count;
}

/* The rows r with keep[r] (NULL: all), then `empty` empty ones. */
static model_rows make_rows(importer *im, const dense *d, const unsigned char *keep, size_t empty) {
    arena *a = &im->model->memory;
    size_t rows = empty, terms = 0, used = 0, row = 0;
    for (size_t r = 0; r < d->rows; r++) {
        if (keep && !keep[r]) continue;
        rows++;
        terms += row_terms(im, d, r);
    }
    model_rows m = {.count = (uint32_t)rows}; /* names_read limits both numbers */
    m.start = arena_zalloc(a, rows + 1, sizeof *m.start);
    m.terms = arena_alloc(a, terms, sizeof *m.terms);
    for (size_t r = 0; r < d->rows; r++) {
        if (keep && !keep[r]) continue;
        for (uint32_t c = 0; c < im->width; c++) {
            double x = d->w[r * d->row_step + c * d->column_step];
            if (x != 0) m.terms[used++] = (model_term){c, x};
        }
        if (d->bias && d->bias[r] != 0) {
            m.terms[used++] = (model_term){im->width, d->bias[r]};
            im->uses_one = true;
        }
        m.start[++row] = (uint32_t)used;
    }
    for (; row < rows; row++) m.start[row + 1] = (uint32_t)used;
    return m;
}

/* Two matrices of which the k-th rows belong together: pairs of which one row is empty have no effect and are left
   out. */
static void make_pair(importer *im, model_rows *x, model_rows *y, const dense *p, const dense *q) {
    unsigned char *keep = arena_alloc(im->work, p->rows, 1);
    for (size_t r = 0; r < p->rows; r++) keep[r] = row_terms(im, p, r) && row_terms(im, q, r);
    *x = make_rows(im, p, keep, 0);
    *y = make_rows(im, q, keep, 0);
}

/* ---- attention ---- */

/* Queries, keys or values (which: 0, 1, 2) of a head: row k over channels c is w[c][k]. */
static dense head_input(importer *im, const layer_tensors *l, size_t head, int which) {
    size_t e = l->dimensions, d = im->width;
    dense m = {.rows = e, .row_step = 1, .column_step = e};
    const tensor *bias;
    uint64_t first = head * e;
    if (im->style == STYLE_LENS) {
        m.w = import_block(im, l->parts[PART_Q + which], head * d * e, d, e, e);
        bias = l->parts[PART_B_Q + which];
    } else {
        uint64_t all = (uint64_t)l->heads * e;
        first += (uint64_t)which * all;
        m.w = import_block(im, l->parts[PART_QKV], first, d, e, 3 * all);
        bias = l->parts[PART_B_QKV];
    }
    if (bias) m.bias = import_block(im, bias, first, 1, e, e);
    return m;
}

static void make_head(importer *im, model_head *h, const layer_tensors *l, size_t layer, size_t head) {
    size_t e = l->dimensions, d = im->width;
    head_settle(im, h, layer, head, l->dimensions);
    arena_reset(im->work);
    dense query = head_input(im, l, head, 0), key = head_input(im, l, head, 1), value = head_input(im, l, head, 2);
    dense output = {.rows = e, .row_step = d, .column_step = 1};
    output.w = import_block(im, l->parts[PART_O], head * e * d, e, d, d); /* the same place in both styles */
    make_pair(im, &h->query, &h->key, &query, &key);
    make_pair(im, &h->value, &h->output, &value, &output);
}

static bool is_zero(const double *x, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (x[k] != 0) return false;
    return true;
}

/* The bias of the attention's output: the average of 1 over all positions, sent where it goes. */
static void make_bias_head(importer *im, model_head *h, const double *bias, size_t layer) {
    arena *a = &im->model->memory;
    dense output = {.w = bias, .rows = 1, .row_step = im->width, .column_step = 1}, none = {0};
    char label[40];
    int length = snprintf(label, sizeof label, "bias of L%zu", layer);
    rows_builder one;
    rows_begin(&one, a);
    rows_term(&one, im->width, 1);
    rows_end_row(&one);
    im->uses_one = true;
    *h = (model_head){.mask = TEMPER_MASK_ALL,
                      .choice = TEMPER_CHOICE_AVERAGE,
                      .hard_choice = TEMPER_CHOICE_AVERAGE,
                      .label = arena_copy(a, label, (size_t)length),
                      .query = make_rows(im, &none, NULL, 0),
                      .key = make_rows(im, &none, NULL, 0),
                      .value = rows_finish(&one),
                      .output = make_rows(im, &output, NULL, 0)};
}

static void make_attention(importer *im, model_layer *out, const layer_tensors *l, size_t layer) {
    const tensor *bias = l->parts[PART_B_O];
    out->heads = arena_zalloc(&im->model->memory, (size_t)l->heads + 1, sizeof *out->heads);
    for (; out->head_count < l->heads; out->head_count++)
        make_head(im, &out->heads[out->head_count], l, layer, out->head_count);
    if (!bias) return;
    arena_reset(im->work);
    const double *b = import_block(im, bias, 0, 1, im->width, im->width);
    if (!is_zero(b, im->width)) make_bias_head(im, &out->heads[out->head_count++], b, layer);
}

/* ---- the net ---- */

static void make_net(importer *im, model_layer *out, const layer_tensors *l) {
    size_t d = im->width, m = l->units;
    const tensor *bias_in = l->parts[PART_B_IN], *bias_out = l->parts[PART_B_OUT];
    dense in = {.rows = m, .row_step = 1, .column_step = m}, to = {.rows = m, .row_step = d, .column_step = 1};
    arena_reset(im->work);
    double *last = bias_out ? import_block(im, bias_out, 0, 1, d, d) : NULL;
    bool constant = last && !is_zero(last, d);
    out->bias = arena_zalloc(&im->model->memory, m + constant, sizeof *out->bias);
    if (bias_in) tensor_read(out->bias, &im->file, bias_in, 0, m);
    if (constant) out->bias[m] = 1;
    if (m) {
        double *w = arena_alloc(im->work, m + 1, d * sizeof *w);
        tensor_read(w, &im->file, l->parts[PART_OUT], 0, m * d);
        if (constant) memcpy(w + m * d, last, d * sizeof *w);
        to.w = w;
        in.w = import_block(im, l->parts[PART_IN], 0, d, m, m);
    }
    to.rows = m + constant;
    out->in = make_rows(im, &in, NULL, constant);
    out->out = make_rows(im, &to, NULL, 0);
}

/* ---- embedding ---- */

static void make_embedding(importer *im) {
    const tensor *t = im->parts[PART_EMBED];
    size_t count = im->model->letters.count + 2;
    rows_builder b;
    rows_begin(&b, &im->model->memory);
    arena_reset(im->work);
    double *row = arena_alloc(im->work, im->width, sizeof *row);
    for (size_t k = 0; k < count; k++) {
        uint64_t r = im->set.rows[k];
        if (r != NO_ROW) {
            if (r >= t->shape[0])
                settings_fail(im, im->set.row_at[k], "row %llu of the embedding: '%s' has %llu",
                              (unsigned long long)r, t->name, (unsigned long long)t->shape[0]);
            tensor_read(row, &im->file, t, r * im->width, im->width);
            for (uint32_t c = 0; c < im->width; c++)
                if (row[c] != 0) rows_term(&b, c, row[c]);
        }
        rows_end_row(&b);
    }
    im->model->embedding = rows_finish(&b);
}

/* ---- the answer ---- */

typedef struct answer {
    double *w;        /* [width] */
    double shifts[4]; /* the answer is w.x + their sum > 1/2 */
} answer;

/* Whether a + b is a double, which is then *sum (two-sum: the error of the addition is itself a double). */
static bool add_exactly(double *sum, double a, double b) {
    volatile double s = a + b, part = s - a, rest = s - part, lost = (a - rest) + (b - part);
    *sum = s;
    return lost == 0;
}

/* A column of the unembedding, [width] in im->work, and its bias. */
static double *read_column(importer *im, uint64_t column, double *bias) {
    const tensor *t = im->parts[PART_UNEMBED], *b = im->parts[PART_B_U];
    if (!t && im->style == STYLE_GPT2) t = im->parts[PART_EMBED]; /* tied */
    if (!t) settings_fail(im, im->set.answer_at, "answer: a column, but there is no tensor 'unembed.W_U'");
    bool lens = im->style == STYLE_LENS;
    if (column >= t->shape[lens])
        settings_fail(im, im->set.answer_at, "answer: no column %llu: '%s' has %llu", (unsigned long long)column,
                      t->name, (unsigned long long)t->shape[lens]);
    *bias = 0;
    if (b) tensor_read(bias, &im->file, b, column, 1);
    return lens ? import_block(im, t, column, im->width, 1, t->shape[1])
                : import_block(im, t, column * im->width, 1, im->width, im->width);
}

static void read_answer(importer *im, answer *out) {
    const import_settings *set = &im->set;
    arena_reset(im->work);
    *out = (answer){.shifts = {0, 0, -set->threshold, 0.5}};
    if (set->answer == ANSWER_CHANNEL) {
        if (set->column >= im->width)
            settings_fail(im, set->answer_at, "answer: no channel %llu: the embedding has %u",
                          (unsigned long long)set->column, im->width);
        out->w = arena_zalloc(im->work, im->width, sizeof *out->w);
        out->w[set->column] = 1;
        return;
    }
    out->w = read_column(im, set->column, &out->shifts[0]);
    if (set->answer == ANSWER_COLUMN) return;
    double *other = read_column(im, set->other, &out->shifts[1]);
    out->shifts[1] = -out->shifts[1];
    for (uint32_t c = 0; c < im->width; c++)
        if (!add_exactly(&out->w[c], out->w[c], -other[c]))
            settings_refuse(
                im, set->answer_at,
                "make the difference a column of its own, and name it with \"column\" and \"threshold\"",
                "answer: columns %llu and %llu: the difference of their weights in channel %u is no double",
                (unsigned long long)set->column, (unsigned long long)set->other, c);
}

/* The sum of the shifts, exactly: one constant if it is a double, else an expression that exact runs evaluate
   exactly. */
static const expression *shift_sum(importer *im, const double shifts[4]) {
    text sum;
    double total = 0;
    bool exact = true;
    text_init(&sum, im->scratch);
    for (int k = 0; k < 4; k++) exact = add_exactly(&total, total, shifts[k]) && exact;
    if (exact && total == 0) return NULL;
    if (exact) {
        text_double(&sum, total);
    } else {
        for (int k = 0; k < 4; k++) {
            if (shifts[k] == 0) continue;
            if (sum.length) text_puts(&sum, " + ");
            text_double(&sum, shifts[k]);
        }
    }
    return expression_parse(&im->model->memory, sum.data, sum.length, 0, 0);
}

/* ---- channels and read-out ---- */

static uint32_t add_channel(temper_model *m, const char *label, const expression *position) {
    m->channels[m->channel_count] = (model_channel){.label = label, .position = position};
    return m->channel_count++;
}

/* The channels of the embedding, and those that import needs: 1, the threshold, and one that is not a number at
   positions beyond the table, so that longer strings are refused and not answered. */
static void make_channels(importer *im) {
    enum { EXTRA = 3 };
    temper_model *m = im->model;
    arena *a = &m->memory;
    answer read;
    rows_builder b;
    m->channels = arena_zalloc(a, (size_t)im->width + EXTRA, sizeof *m->channels);
    m->channel_count = im->width;
    channels_settle(im, m->channels);
    if (im->uses_one) add_channel(m, "one", expression_make(a, "1"));
    read_answer(im, &read);
    rows_begin(&b, a);
    for (uint32_t c = 0; c < im->width; c++)
        if (read.w[c] != 0) rows_term(&b, c, read.w[c]);
    const expression *shift = shift_sum(im, read.shifts);
    if (shift) rows_term(&b, add_channel(m, "threshold", shift), 1);
    if (im->contexts) {
        char label[64];
        unsigned long long last = im->contexts;
        int length = snprintf(label, sizeof label, "positions end at %llu", last);
        const expression *end = expression_make(a, "1/[i < %llu] - 1", last);
        rows_term(&b, add_channel(m, arena_copy(a, label, (size_t)length), end), 1);
    }
    rows_end_row(&b);
    m->read = rows_finish(&b);
}

static void make_layers(importer *im) {
    temper_model *m = im->model;
    m->layer_count = (uint32_t)im->layer_count;
    m->layers = arena_zalloc(&m->memory, im->layer_count, sizeof *m->layers);
    for (size_t k = 0; k < im->layer_count; k++) {
        make_attention(im, &m->layers[k], &im->layers[k], k);
        make_net(im, &m->layers[k], &im->layers[k]);
        for (uint32_t h = 0; h < m->layers[k].head_count; h++)
            if (m->layers[k].heads[h].choice == TEMPER_CHOICE_SOFTMAX) m->method = TEMPER_METHOD_TEMPERATURE;
    }
}

/* ---- the whole ---- */

static void import_model(importer *im, tensor_source source, const char *settings, size_t length) {
    temper_model *m = im->model;
    settings_read(im, settings, length);
    im->about = im->weights_name;
    tensor_file_open(&im->file, source, im->scratch, im->trap);
    names_read(im);
    make_embedding(im);
    make_layers(im);
    make_channels(im);
    model_check(m, im->trap);
    model_seal(m);
}

/* Puts the name of the file, and the place in it, before a message. Those about reading have it already. */
static void name_file(temper_error *e, const char *file) {
    const temper_error old = *e;
    if (old.code == TEMPER_IO || old.code == TEMPER_NO_MEMORY) return;
    if (old.line)
        error_write(e, old.code, old.line, old.column, old.hint, "%s:%zu:%zu: %s", file, old.line, old.column,
                    old.text);
    else
        error_write(e, old.code, 0, 0, old.hint, "%s: %s", file, old.text);
    e->remedy = old.remedy;
}

typedef struct import_call {
    temper_model **out;
    const char *weights_path, *config_path;
    temper_error *err;
} import_call;

static void free_bytes(void *bytes) { temper_free(bytes); }

static char *read_file(entry *e, size_t *length, file_in *file) {
    char *bytes = file_read_all(length, file);
    entry_on_leaving(e, free_bytes, bytes);
    return bytes;
}

typedef struct blame {
    temper_error *err;
    const importer *importer;
} blame;

static void add_name(void *context) {
    const blame *b = context;
    if (b->err && b->importer->about) name_file(b->err, b->importer->about);
}

/* ---- ordinary transformers that temper wrote ---- */

static bool is_there(const char *path) { return access(path, F_OK) == 0; }

static temper_model *import_gguf(entry *e, const char *path) {
    size_t length;
    gguf_file f;
    struct ordinary_file s;
    char *bytes = read_file(e, &length, entry_open(e, path));
    gguf_open(&f, bytes, length, &e->memory);
    ordinary_read(&s, &f, &e->memory);
    temper_model *m = entry_model(e);
    model_from_lift(m, lift_file(&s, ORDINARY_GGUF, &e->memory), &e->memory);
    return m;
}

static temper_model *import_folder(entry *e, const char *folder) {
    ordinary_texts x;
    struct ordinary_file s;
    tensor_file f;
    file_in *weights = entry_open(e, entry_path(e, folder, "model.safetensors"));
    x.config = read_file(e, &x.config_length, entry_open(e, entry_path(e, folder, "config.json")));
    x.tokenizer = read_file(e, &x.tokenizer_length, entry_open(e, entry_path(e, folder, "tokenizer.json")));
    tensor_file_open(&f, (tensor_source){.file = weights, .size = weights->size}, &e->memory, e->trap);
    ordinary_read_folder(&s, &x, &f, &e->memory);
    temper_model *m = entry_model(e);
    model_from_lift(m, lift_file(&s, ORDINARY_HUGGING_FACE, &e->memory), &e->memory);
    return m;
}

/* A folder has the same model in two files; one with frequencies of its own has only the GGUF file. */
static void import_ordinary(entry *e, void *context) {
    const import_call *c = context;
    struct stat about;
    bool folder = stat(c->weights_path, &about) == 0 && S_ISDIR(about.st_mode);
    importer *im = arena_zalloc(&e->memory, 1, sizeof *im);
    blame *b = arena_alloc(&e->memory, 1, sizeof *b);
    const char *path = c->weights_path;
    *b = (blame){c->err, im};
    entry_on_failure(e, add_name, b);
    if (folder && !is_there(entry_path(e, path, "model.safetensors"))) {
        path = entry_path(e, path, "model.gguf");
        folder = false;
    }
    im->about = text_escaped(&e->memory, path, strlen(path), 80);
    *c->out = folder ? import_folder(e, path) : import_gguf(e, path);
}

static void import(entry *e, void *context) {
    const import_call *c = context;
    size_t length, size = 0;
    importer *im = arena_zalloc(&e->memory, 1, sizeof *im);
    blame *b = arena_alloc(&e->memory, 1, sizeof *b);
    *b = (blame){c->err, im};
    entry_on_failure(e, add_name, b);
    file_in *config = entry_open(e, c->config_path);
    char *settings = read_file(e, &length, config);
    file_in *weights = entry_open(e, c->weights_path);
    tensor_source source = {.file = weights, .size = weights->size};
    if (!weights->seekable) { /* a pipe */
        const char *bytes = read_file(e, &size, weights);
        source = (tensor_source){.bytes = bytes, .size = size};
    }
    im->model = entry_model(e);
    im->scratch = &e->memory;
    im->work = &e->scratch;
    im->trap = e->trap;
    im->weights_name = text_escaped(&e->memory, c->weights_path, strlen(c->weights_path), 80);
    im->settings_name = text_escaped(&e->memory, c->config_path, strlen(c->config_path), 80);
    import_model(im, source, settings, length);
    *c->out = im->model;
}

temper_status temper_model_import(temper_model **out, const char *weights_path, const char *config_path,
                                  temper_error *err) {
    import_call call = {out, weights_path, config_path, err};
    *out = NULL;
    return entry_run(err, config_path ? import : import_ordinary, &call);
}
