/* Models in safetensors files.

   Reading goes over the weights twice, first counting, then storing, so that every array is allocated once at its
   size and the file is never in memory. Writing makes the dense numbers on the way out, first for the digest, then
   for the file. */
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "model/model_metadata.h"
#include "model/safetensors.h"
#include "model/tensor_list.h"

enum { PIECE = 4096 }; /* numbers read at once */

static const uint64_t LARGEST_FILE = (uint64_t)4 << 30;

typedef struct loader {
    temper_model *model;
    tensor_file file;
    arena *scratch;
    trap *trap;
    memory_budget budget;
    weight_list list;
    const tensor **tensors; /* [list.count] */
    uint64_t digest;
    const model_term *term_end; /* of all matrices */
} loader;

/* Where a number of a tensor belongs. */
typedef struct place {
    uint32_t block, row, column;
} place;

static void step(place *p, const weight_tensor *w) {
    uint32_t *minor = w->transposed ? &p->row : &p->column, *major = w->transposed ? &p->column : &p->row;
    if (++*minor < (w->transposed ? w->rows : w->columns)) return;
    *minor = 0;
    if (++*major < (w->transposed ? w->columns : w->rows)) return;
    *major = 0;
    p->block++;
}

/* Calls use on every number of a tensor that is not zero, and on every bias; adds the bytes to the digest. */
static void each_weight(loader *l, size_t k, void (*use)(loader *, size_t, place, double)) {
    const weight_tensor *w = &l->list.weights[k];
    const tensor *t = l->tensors[k];
    double piece[PIECE];
    unsigned char bytes[8];
    place p = {0};
    uint64_t count = tensor_elements(t);
    for (uint64_t first = 0; first < count; first += PIECE) {
        size_t now = count - first < PIECE ? (size_t)(count - first) : PIECE;
        tensor_read(piece, &l->file, t, first, now);
        for (size_t i = 0; i < now; i++, step(&p, w)) {
            uint64_t bits;
            memcpy(&bits, &piece[i], sizeof bits);
            for (int b = 0; b < 8; b++) bytes[b] = (unsigned char)(bits >> (8 * b));
            l->digest = digest_bytes(l->digest, bytes, sizeof bytes);
            if (piece[i] != 0 || w->kind == WEIGHT_BIAS) use(l, k, p, piece[i]);
        }
    }
}

/* ---- reading: the tensors are those of the metadata ---- */

static void print_shape(char *out, size_t size, unsigned rank, const uint64_t *shape) {
    size_t used = (size_t)snprintf(out, size, "[");
    for (unsigned k = 0; k < rank && used < size; k++)
        used += (size_t)snprintf(out + used, size - used, "%s%llu", k ? ", " : "", (unsigned long long)shape[k]);
    if (used < size) snprintf(out + used, size - used, "]");
}

static void match_tensor(loader *l, size_t k) {
    const tensor_plan *p = &l->list.plans[k];
    const tensor *t = tensor_find(&l->file, p->name);
    if (!t)
        trap_raise(l->trap, TEMPER_FORMAT, 0, 0, "byte 8: header: no tensor '%s', which the metadata call for",
                   p->name);
    if (t->type != TENSOR_F64)
        trap_raise_remedy(l->trap, TEMPER_FORMAT, 0, 0, TEMPER_REMEDY_IMPORT_TYPES,
                          "byte %u: tensor '%s': dtype %s; the weights of a model are F64", t->at, p->name,
                          tensor_type_name((tensor_type)t->type));
    if (t->rank != p->rank || memcmp(t->shape, p->shape, p->rank * sizeof *p->shape) != 0) {
        char found[80], wanted[80];
        print_shape(found, sizeof found, t->rank, t->shape);
        print_shape(wanted, sizeof wanted, p->rank, p->shape);
        tensor_fail(&l->file, t, "shape %s, but by the metadata it is %s", found, wanted);
    }
    l->tensors[k] = t;
}

/* Every tensor of the file is one of the list; names are unique on both sides. */
static void refuse_extra(const loader *l) {
    if (l->file.count == l->list.count) return;
    unsigned char *known = arena_zalloc(l->scratch, l->file.count, 1);
    for (size_t k = 0; k < l->list.count; k++) known[l->tensors[k] - l->file.tensors] = 1;
    for (size_t k = 0; k < l->file.count; k++)
        if (!known[k])
            tensor_fail(&l->file, &l->file.tensors[k], "not a tensor of the model that the metadata describe");
}

/* ---- reading: two passes ---- */

static void count_weight(loader *l, size_t k, place p, double x) {
    const weight_tensor *w = &l->list.weights[k];
    (void)x;
    if (w->kind == WEIGHT_BIAS) return;
    model_rows *m = weight_matrix(l->model, w, p.block);
    if (p.row >= m->count)
        tensor_fail(&l->file, l->tensors[k], "head %u: row %u is beyond its size, but not zero", p.block + 1,
                    p.row + 1);
    m->start[p.row + 1]++;
}

static _Noreturn void was_changed(const loader *l) {
    trap_raise(l->trap, TEMPER_IO, 0, 0, "the file was changed while it was read");
}

static void store_weight(loader *l, size_t k, place p, double x) {
    const weight_tensor *w = &l->list.weights[k];
    if (w->kind == WEIGHT_BIAS) {
        l->model->layers[w->layer].bias[p.row] = x;
        return;
    }
    model_rows *m = weight_matrix(l->model, w, p.block);
    if (p.row >= m->count || m->terms + m->start[p.row + 1] >= l->term_end) was_changed(l);
    m->terms[m->start[p.row + 1]++] = (model_term){p.column, x};
}

/* All matrices in turn. */
static void each_matrix(loader *l, void (*visit)(loader *, model_rows *, void *), void *context) {
    for (size_t k = 0; k < l->list.count; k++) {
        const weight_tensor *w = &l->list.weights[k];
        for (uint32_t b = 0; b < w->blocks; b++)
            if (w->kind != WEIGHT_BIAS) visit(l, weight_matrix(l->model, w, b), context);
    }
}

static void count_starts(loader *l, model_rows *m, void *total) {
    (void)l;
    *(uint64_t *)total += (uint64_t)m->count + 1;
}

static void place_starts(loader *l, model_rows *m, void *next) {
    (void)l;
    m->start = *(uint32_t **)next;
    *(uint32_t **)next += (size_t)m->count + 1;
}

/* From counts at start[r + 1] to the first term of row r there, which storing moves on to the first of row r + 1. */
static void count_terms(loader *l, model_rows *m, void *total) {
    uint32_t first = 0;
    (void)l;
    for (uint32_t r = 0; r < m->count; r++) {
        uint32_t size = m->start[r + 1];
        m->start[r + 1] = first;
        first += size;
    }
    m->start[0] = first; /* the number of terms, until they are placed */
    *(uint64_t *)total += first;
}

static void place_terms(loader *l, model_rows *m, void *next) {
    (void)l;
    m->terms = *(model_term **)next;
    *(model_term **)next += m->start[0];
    m->start[0] = 0;
}

/* Counts the starts of rows and the units, and spends what their arrays take. */
static uint64_t spend_rows(loader *l, uint64_t *units) {
    uint64_t starts = 0;
    *units = 0;
    each_matrix(l, count_starts, &starts);
    for (uint32_t k = 0; k < l->model->layer_count; k++) *units += l->model->layers[k].in.count;
    budget_spend(&l->budget, starts, sizeof(uint32_t));
    budget_spend(&l->budget, *units, sizeof(double));
    return starts;
}

static void read_weights(loader *l) {
    temper_model *m = l->model;
    uint64_t terms = 0, before = l->digest, units, starts = spend_rows(l, &units);
    uint32_t *next_start = arena_zalloc(&m->memory, (size_t)starts, sizeof *next_start);
    uint32_t *none = arena_zalloc(&m->memory, 1, sizeof *none); /* for layers without units, which have no tensors */
    model_term *nothing = arena_alloc(&m->memory, 0, sizeof *nothing);
    double *bias = arena_zalloc(&m->memory, (size_t)units, sizeof *bias);
    each_matrix(l, place_starts, &next_start);
    for (uint32_t k = 0; k < m->layer_count; bias += m->layers[k].in.count, k++) {
        model_layer *layer = &m->layers[k];
        layer->bias = bias;
        if (layer->in.count) continue;
        layer->in.start = layer->out.start = none;
        layer->in.terms = layer->out.terms = nothing;
    }
    for (size_t k = 0; k < l->list.count; k++) each_weight(l, k, count_weight);
    each_matrix(l, count_terms, &terms);
    budget_spend(&l->budget, terms, sizeof(model_term));
    model_term *next_term = arena_alloc(&m->memory, (size_t)terms, sizeof *next_term);
    l->term_end = next_term + terms;
    each_matrix(l, place_terms, &next_term);
    uint64_t counted = l->digest;
    l->digest = before;
    for (size_t k = 0; k < l->list.count; k++) each_weight(l, k, store_weight);
    if (l->digest != counted) was_changed(l);
}

/* ---- reading: the whole ---- */

/* The metadata of the file; leaves the digest at the end of their text. */
static void read_metadata(loader *l) {
    static const char *const keys[] = {"format", "temper", "digest", NULL};
    const tensor_file *f = &l->file;
    for (size_t k = 0; k < f->metadata_count; k++) {
        json_text key = f->metadata[k].key;
        size_t at = (size_t)(key.bytes - f->header.bytes) - 1, n = 0;
        while (keys[n] && !jread_is(key, keys[n])) n++;
        if (!keys[n])
            jread_fail(&f->header, at, "__metadata__: unknown key '%s'",
                       text_escaped(l->scratch, key.bytes, key.length, 40));
        if (n == 0 && !jread_is(f->metadata[k].value, "temper") && !jread_is(f->metadata[k].value, "pt"))
            jread_fail(&f->header, at, "__metadata__: format: it is neither \"temper\" nor \"pt\"");
    }
    ptrdiff_t k = tensor_metadata_find(f, "temper");
    if (k < 0)
        trap_raise_remedy(l->trap, TEMPER_FORMAT, 0, 0, TEMPER_REMEDY_IMPORT,
                          "byte 8: __metadata__: no key 'temper': not a model written by temper");
    json_reader r;
    budget_spend(&l->budget, f->metadata[k].value.length, 1);
    tensor_metadata_begin(&r, f, (size_t)k, l->scratch);
    l->digest = digest_bytes(DIGEST_START, r.bytes, r.length);
    metadata_read(l->model, &r, &l->budget);
}

/* As in the text form: without the right digest the record does not count. */
static void check_digest(const loader *l) {
    const tensor_file *f = &l->file;
    temper_model *m = l->model;
    ptrdiff_t k = tensor_metadata_find(f, "digest");
    if (k >= 0) {
        json_text given = f->metadata[k].value;
        char expected[17];
        if (given.length != 16 || strspn(given.bytes, "0123456789abcdefABCDEF") < 16)
            jread_fail(&f->header, (size_t)(given.bytes - f->header.bytes) - 1,
                       "__metadata__: digest: expected 16 hexadecimal digits");
        snprintf(expected, sizeof expected, "%016llx", (unsigned long long)l->digest);
        if (ascii_same(expected, given.bytes, 16)) return;
    }
    m->record = MODEL_NO_RECORD;
}

typedef struct check_call {
    const temper_model *model;
    trap trap;
} check_call;

static void check_structure(void *context) {
    check_call *c = context;
    model_check(c->model, &c->trap);
}

/* The invariants of models that no single field shows; the place is that of the description. */
static void check_model(const loader *l) {
    const tensor_file *f = &l->file;
    check_call call = {.model = l->model};
    if (trap_attempt(&call.trap, NULL, check_structure, &call)) return;
    const tensor_metadata *d = &f->metadata[tensor_metadata_find(f, "temper")];
    trap_raise(l->trap, call.trap.error.code, 0, 0, "byte %llu: __metadata__: %s",
               (unsigned long long)jread_offset(&f->header, (size_t)(d->value.bytes - f->header.bytes)),
               call.trap.error.text);
}

/* What the tables of the container take. */
static void count_tables(loader *l) {
    const tensor_file *f = &l->file;
    budget_spend(&l->budget, f->header.length, 1);
    budget_spend(&l->budget, f->metadata_count, sizeof *f->metadata);
    budget_spend(&l->budget, f->count, sizeof *f->tensors + sizeof *f->by_name);
    for (size_t k = 0; k < f->count; k++)
        budget_spend(&l->budget, strlen(f->tensors[k].name) + 1 + f->tensors[k].rank * sizeof(uint64_t), 1);
}

/* All but the weights. */
static void open_model(loader *l, tensor_source source) {
    enum { CONSTANT = 48 << 20, NAME_BYTES = 64 }; /* the rest of 64 MB is for buffers, the stack and the program */
    temper_model *m = l->model;
    l->budget = (memory_budget){.most = 2 * source.size + CONSTANT, .trap = l->trap};
    tensor_file_open(&l->file, source, l->scratch, l->trap);
    count_tables(l);
    alphabet_init(&m->letters, &m->memory, false);
    read_metadata(l);
    m->embedding.count = (uint32_t)m->letters.count + 2;
    budget_spend(&l->budget, 3 + 7 * (uint64_t)m->layer_count,
                 sizeof(weight_tensor) + sizeof(tensor_plan) + sizeof *l->tensors + NAME_BYTES);
    l->list = weight_list_make(m, l->scratch);
}

void safetensors_read(temper_model *m, tensor_source source, arena *scratch, trap *t) {
    loader l = {.model = m, .scratch = scratch, .trap = t};
    open_model(&l, source);
    l.tensors = arena_alloc(scratch, l.list.count, sizeof *l.tensors);
    for (size_t k = 0; k < l.list.count; k++) match_tensor(&l, k);
    refuse_extra(&l);
    read_weights(&l);
    check_digest(&l);
    check_model(&l);
    model_seal(m);
}

/* ---- writing ---- */

typedef struct writer {
    temper_model *model;
    weight_list list;
    file_out *file; /* NULL: numbers only go into the digest */
    uint64_t digest;
    uint32_t *cursors; /* [most rows of a tensor] the next term of each row */
} writer;

static void put_number(writer *w, double x) {
    uint64_t bits;
    unsigned char bytes[8];
    memcpy(&bits, &x, sizeof bits);
    for (int b = 0; b < 8; b++) bytes[b] = (unsigned char)(bits >> (8 * b));
    if (w->file)
        file_put(w->file, bytes, sizeof bytes);
    else
        w->digest = digest_bytes(w->digest, bytes, sizeof bytes);
}

/* The weight of a column if it is the next of its row, which then moves on; else 0. */
static double next_weight(writer *w, const model_rows *m, uint32_t row, uint32_t column) {
    if (row >= m->count) return 0;
    uint32_t k = w->cursors[row];
    if (k == m->start[row + 1] || m->terms[k].channel != column) return 0;
    w->cursors[row]++;
    return m->terms[k].weight;
}

static void put_matrix(writer *w, const weight_tensor *t, const model_rows *m) {
    uint32_t majors = t->transposed ? t->columns : t->rows, minors = t->transposed ? t->rows : t->columns;
    for (uint32_t r = 0; r < m->count; r++) w->cursors[r] = m->start[r];
    for (uint32_t major = 0; major < majors; major++)
        for (uint32_t minor = 0; minor < minors; minor++)
            put_number(w, t->transposed ? next_weight(w, m, minor, major) : next_weight(w, m, major, minor));
}

static void put_numbers(writer *w) {
    for (size_t k = 0; k < w->list.count; k++) {
        const weight_tensor *t = &w->list.weights[k];
        if (t->kind == WEIGHT_BIAS)
            for (uint32_t u = 0; u < t->rows; u++) put_number(w, w->model->layers[t->layer].bias[u]);
        else
            for (uint32_t b = 0; b < t->blocks; b++) put_matrix(w, t, weight_matrix(w->model, t, b));
    }
}

/* The bytes of all numbers, or a refusal. */
static uint64_t dense_size(const weight_list *list, trap *t) {
    uint64_t total = 0;
    for (size_t k = 0; k < list->count; k++) {
        uint64_t size = tensor_plan_size(&list->plans[k], t);
        if (__builtin_add_overflow(total, size, &total) || total > LARGEST_FILE) {
            char shown[40] = "more than 16 EiB";
            if (size < UINT64_MAX - LARGEST_FILE)
                print_to(shown, sizeof shown, "at least %.1f GiB", (double)total * 0x1p-30);
            trap_raise_hint(t, TEMPER_LIMIT, 0, 0, "the text form holds only the weights that are not zero",
                            "dense weights would take %s; safetensors files are limited to 4 GiB", shown);
        }
    }
    return total;
}

/* The reader tries the header as it would that of the file: what it would refuse to load is not written. */
typedef struct loading_call {
    loader loader;
    tensor_source source;
    uint64_t terms;
    trap trap;
} loading_call;

static void try_loading(void *context) {
    loading_call *c = context;
    uint64_t units;
    open_model(&c->loader, c->source);
    spend_rows(&c->loader, &units);
    budget_spend(&c->loader.budget, c->terms, sizeof(model_term));
}

static void count_own_terms(loader *l, model_rows *m, void *total) {
    (void)l;
    *(uint64_t *)total += m->start[m->count];
}

static void check_loading(writer *w, const text *header, uint64_t dense, trap *t) {
    arena scratch;
    loader own = {.model = w->model, .list = w->list};
    loading_call call = {.source = {.bytes = header->data, .size = header->length + dense}};
    each_matrix(&own, count_own_terms, &call.terms);
    temper_model *m = model_new(t);
    m->memory.trap = &call.trap;
    arena_init(&scratch, &call.trap);
    call.loader = (loader){.model = m, .scratch = &scratch, .trap = &call.trap};
    bool fits = trap_attempt(&call.trap, NULL, try_loading, &call);
    arena_free(&scratch);
    temper_model_free(m);
    const temper_error *e = &call.trap.error;
    if (!fits)
        trap_raise_hint(t, e->code, 0, 0, e->code == TEMPER_LIMIT ? "the text form has no such limit" : "", "%s",
                        e->text);
}

void safetensors_write(file_out *out, char digest[17], const temper_model *m, arena *scratch, trap *t) {
    text metadata, header;
    writer w = {.list = weight_list_make(m, scratch)};
    uint64_t dense = dense_size(&w.list, t);
    uint32_t rows = 0;
    for (size_t k = 0; k < w.list.count; k++)
        if (w.list.weights[k].rows > rows) rows = w.list.weights[k].rows;
    temper_model view = *m; /* weight_matrix serves the reader too, and so wants what may be written to */
    w.model = &view;
    w.cursors = arena_alloc(scratch, rows, sizeof *w.cursors);
    text_init(&metadata, scratch);
    metadata_print(&metadata, m);
    w.digest = digest_bytes(DIGEST_START, metadata.data, metadata.length);
    put_numbers(&w);
    snprintf(digest, 17, "%016llx", (unsigned long long)w.digest);
    /* "pt": some tools load nothing else */
    const char *const pairs[] = {"format", "pt", "digest", digest, "temper", metadata.data};
    text_init(&header, scratch);
    tensor_header_print(&header, w.list.plans, w.list.count, pairs, 3);
    if (dense + header.length >= LARGEST_FILE)
        trap_raise(t, TEMPER_LIMIT, 0, 0, "the file would be larger than the limit of 4 GiB");
    check_loading(&w, &header, dense, t);
    w.file = out;
    file_put(out, header.data, header.length);
    put_numbers(&w);
}
