#include "run/adaptive_doubt.h"

#include <string.h>

#include "run/positions.h"

static void mark(doubt *d, size_t i, const model_rows *rows, uint32_t row) {
    for (uint32_t k = rows->start[row]; k < rows->start[row + 1]; k++)
        d->fresh[i * d->m->channel_count + rows->terms[k].channel] = 1;
}

/* Whether it matters which of the keys is chosen. */
static bool values_differ(const double *values, size_t width, uint32_t v, key_range keys) {
    for (size_t j = keys.first + 1; j < keys.end; j++)
        if (values[j * width + v] != values[keys.first * width + v]) return true;
    return false;
}

void doubt_row(doubt *d, const doubt_place *at, const double *values) {
    const model_head *h = &d->m->layers[at->layer].heads[at->head];
    key_range keys = mask_keys(h->mask, at->i, d->size);
    if (!d->now) {
        size_t count = d->size * d->m->channel_count;
        d->now = arena_zalloc(d->memory, count, 1);
        d->fresh = arena_zalloc(d->memory, count, 1);
        d->first = *at;
    }
    for (uint32_t v = 0; v < h->value.count; v++)
        if (values_differ(values, h->value.count, v, keys)) mark(d, at->i, &h->output, v);
}

static bool row_reads(const doubt *d, size_t i, const model_rows *rows, uint32_t row) {
    for (uint32_t k = rows->start[row]; k < rows->start[row + 1]; k++)
        if (d->now[i * d->m->channel_count + rows->terms[k].channel]) return true;
    return false;
}

static bool rows_read(const doubt *d, size_t i, const model_rows *rows) {
    for (uint32_t row = 0; row < rows->count; row++)
        if (row_reads(d, i, rows, row)) return true;
    return false;
}

/* A doubtful query or key makes the choice doubtful, a doubtful value its own output. */
void doubt_through_head(doubt *d, const model_head *h) {
    if (!d->now) return;
    for (size_t i = 0; i < d->size; i++) {
        key_range keys = mask_keys(h->mask, i, d->size);
        bool choice = keys.first < keys.end && rows_read(d, i, &h->query);
        for (size_t j = keys.first; j < keys.end && !choice; j++) choice = rows_read(d, j, &h->key);
        for (uint32_t v = 0; v < h->value.count; v++) {
            bool doubtful = choice && rows_size(&h->value, v) > 0;
            for (size_t j = keys.first; j < keys.end && !doubtful; j++) doubtful = row_reads(d, j, &h->value, v);
            if (doubtful) mark(d, i, &h->output, v);
        }
    }
}

void doubt_through_units(doubt *d, const model_layer *l) {
    if (!d->now) return;
    for (size_t i = 0; i < d->size; i++)
        for (uint32_t u = 0; u < l->in.count; u++)
            if (row_reads(d, i, &l->in, u)) mark(d, i, &l->out, u);
}

void doubt_apply(doubt *d) {
    if (!d->now) return;
    size_t count = d->size * d->m->channel_count;
    for (size_t k = 0; k < count; k++) d->now[k] |= d->fresh[k];
    memset(d->fresh, 0, count);
}

bool doubt_reaches(const doubt *d) {
    if (!d->now) return false;
    if (rows_read(d, verdict_position(d->m, d->n), &d->m->read)) return true;
    bool start = d->m->kind == TEMPER_KIND_NEXT; /* what may come first */
    for (size_t i = !start; i <= d->n && !d->m->record.verdict_only; i++)
        if (rows_read(d, i, &d->m->read)) return true;
    return false;
}
