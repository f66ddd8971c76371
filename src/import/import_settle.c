/* Settings and tensors together: what each head does, and the features of each channel. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/import.h"

/* ---- heads ---- */

/* "L0H1", as heads are called where these models come from. */
static const char *default_label(importer *im, size_t layer, size_t head) {
    char label[48];
    int length = snprintf(label, sizeof label, "L%zuH%zu", layer, head);
    return arena_copy(&im->model->memory, label, (size_t)length);
}

static const expression *constant(arena *a, double value) {
    expression *e = arena_zalloc(a, 1, sizeof *e);
    *e = (expression){.op = EXPR_CONSTANT, .constant = value};
    return e;
}

void head_settle(importer *im, model_head *h, size_t layer, size_t head, uint32_t dimensions) {
    const import_settings *set = &im->set;
    const head_setting *own = set->has_layers ? &set->layers[layer].heads[head] : &set->head, *all = &set->head;
    int choice = own->choice >= 0 ? own->choice : all->choice, mask = own->mask >= 0 ? own->mask : all->mask;
    if (choice < 0)
        settings_fail(im, own->at, "no choice for head %zu of layer %zu, neither in \"heads\" nor in \"head\"", head,
                      layer);
    h->choice = h->hard_choice = (temper_choice)choice;
    h->mask = mask >= 0 ? (temper_mask)mask : TEMPER_MASK_UP_TO;
    h->label = own->label ? own->label : set->has_layers && all->label ? all->label : default_label(im, layer, head);
    if (choice != TEMPER_CHOICE_SOFTMAX) {
        if (own != all && (own->scale || own->hard_choice >= 0))
            settings_fail(im, own->at, "%s: only a softmax head has one", own->scale ? "scale" : "for");
        return;
    }
    int hard = own->hard_choice >= 0 ? own->hard_choice : all->hard_choice;
    if (hard >= 0) h->hard_choice = (temper_choice)hard;
    h->scale = own->scale ? own->scale : all->scale;
    if (!h->scale && dimensions != 1) h->scale = constant(&im->model->memory, 1 / sqrt(dimensions));
}

/* ---- the table of positions ---- */

enum { MOST_ENTRIES = 1 << 20, PIECE = 4096 };

typedef struct position_entry { /* a number of the table that is not zero */
    uint64_t row;
    double weight;
} position_entry;

typedef struct position_table {
    size_t *start;              /* [width + 1] the entries of each channel */
    position_entry *entries;    /* rows ascending */
    const expression **is_row;  /* [contexts] the tests [i = row], shared by all channels; NULL: not needed yet */
    const expression *variable; /* i */
} position_table;

/* Calls use on every number of the table that is not zero. */
static void each_entry(importer *im, position_table *p,
                       void (*use)(importer *, position_table *, uint64_t row, uint32_t channel, double x)) {
    const tensor *t = im->parts[PART_POSITIONS];
    double piece[PIECE];
    uint64_t count = tensor_elements(t);
    for (uint64_t first = 0; first < count; first += PIECE) {
        size_t now = count - first < PIECE ? (size_t)(count - first) : PIECE;
        tensor_read(piece, &im->file, t, first, now);
        for (size_t k = 0; k < now; k++)
            if (piece[k] != 0) use(im, p, (first + k) / im->width, (uint32_t)((first + k) % im->width), piece[k]);
    }
}

static void count_entry(importer *im, position_table *p, uint64_t row, uint32_t channel, double x) {
    const tensor *t = im->parts[PART_POSITIONS];
    (void)row;
    (void)x;
    p->start[channel]++;
    if (++p->start[im->width] > MOST_ENTRIES)
        trap_raise(im->trap, TEMPER_LIMIT, 0, 0,
                   "byte %u: tensor '%s': more than 2^20 numbers that are not zero in a table of positions", t->at,
                   t->name);
}

static void store_entry(importer *im, position_table *p, uint64_t row, uint32_t channel, double x) {
    if (p->start[channel] == p->start[im->width])
        trap_raise(im->trap, TEMPER_IO, 0, 0, "the file was changed while it was read");
    p->entries[p->start[channel]++] = (position_entry){row, x};
}

static const expression *combine(arena *a, expression_op op, const expression *x, const expression *y) {
    expression *e = arena_zalloc(a, 1, sizeof *e);
    *e = (expression){.op = op, .a = x, .b = y};
    return e;
}

static const expression *entry_term(arena *a, position_table *p, const position_entry *x) {
    if (!p->is_row[x->row]) p->is_row[x->row] = combine(a, EXPR_EQ, p->variable, constant(a, (double)x->row));
    if (x->weight == 1) return p->is_row[x->row];
    return combine(a, EXPR_MUL, p->is_row[x->row], constant(a, x->weight));
}

/* [i = r]*w + ... over entries first..end-1, balanced, for expressions are at most EXPRESSION_DEPTH deep. Depth of
   recursion: log2 of MOST_ENTRIES. */
static const expression *entry_sum(arena *a, position_table *p, size_t first, size_t end) {
    if (end - first == 1) return entry_term(a, p, &p->entries[first]);
    size_t middle = first + (end - first) / 2;
    return combine(a, EXPR_ADD, entry_sum(a, p, first, middle), entry_sum(a, p, middle, end));
}

/* One sum a channel: position i adds row i. Beyond the last row every sum is 0; that such positions are refused is
   the work of a channel of its own (import.c). */
static void read_table(importer *im, model_channel *channels) {
    position_table p = {0};
    arena *a = &im->model->memory;
    p.start = arena_zalloc(im->scratch, (size_t)im->width + 1, sizeof *p.start);
    each_entry(im, &p, count_entry);
    size_t total = p.start[im->width], before = 0;
    p.entries = arena_alloc(im->scratch, total, sizeof *p.entries);
    p.is_row = arena_zalloc(im->scratch, (size_t)im->contexts, sizeof *p.is_row);
    p.variable = combine(a, EXPR_I, NULL, NULL);
    for (uint32_t c = 0; c <= im->width; c++) {
        size_t count = p.start[c];
        p.start[c] = before;
        before += count;
    }
    each_entry(im, &p, store_entry); /* moves start[c] to the end of channel c */
    for (uint32_t c = 0; c < im->width; c++) {
        size_t first = c ? p.start[c - 1] : 0;
        if (first < p.start[c]) channels[c].position = entry_sum(a, &p, first, p.start[c]);
    }
}

/* ---- channels ---- */

static unsigned height(const expression *e) {
    unsigned a = e->a ? height(e->a) : 0, b = e->b ? height(e->b) : 0;
    return 1 + (a > b ? a : b);
}

static model_channel *channel_of(importer *im, const channel_setting *s, model_channel *channels) {
    if (s->channel >= im->width)
        settings_fail(im, s->at, "no channel %llu: the embedding has %u", (unsigned long long)s->channel, im->width);
    return &channels[s->channel];
}

void channels_settle(importer *im, model_channel *channels) {
    arena *a = &im->model->memory;
    for (uint32_t c = 0; c < im->width; c++) {
        char label[16];
        int length = snprintf(label, sizeof label, "x%u", c);
        channels[c].label = arena_copy(a, label, (size_t)length);
    }
    for (size_t k = 0; k < im->set.labels.count; k++) {
        const channel_setting *s = &im->set.labels.list[k];
        channel_of(im, s, channels)->label = s->label;
    }
    if (im->contexts) read_table(im, channels);
    for (size_t k = 0; k < im->set.positions.count; k++) {
        const channel_setting *s = &im->set.positions.list[k];
        model_channel *c = channel_of(im, s, channels);
        c->position = c->position ? combine(a, EXPR_ADD, c->position, s->position) : s->position;
        if (height(c->position) > EXPRESSION_DEPTH)
            settings_fail(im, s->at, "with the table of positions, an expression nested deeper than %d",
                          EXPRESSION_DEPTH);
    }
}
