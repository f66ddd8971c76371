/* What channels hold before the first layer, and what rows of weights make of them. */
#include <math.h>
#include <string.h>

#include "audit/audit.h"

bool contents_are_zero(const content *c) {
    return c->kind == HOLDS_EXACT && c->letters == 0 && c->start == 0 && c->end == 0;
}

bool contents_row_is(const row_value *r, dd letters, double start, double end) {
    return r->exact && r->letters == letters && r->start == start && r->end == end;
}

/* ---- the embedding ---- */

typedef struct letter_lists {
    size_t *start; /* [channels + 1] into letters */
    uint32_t *letters;
} letter_lists;

/* The letters that have a 1 in each channel, ascending. */
static letter_lists letters_by_channel(audit *a) {
    const temper_model *m = a->model;
    const model_rows *rows = &m->embedding;
    size_t count = m->letters.count;
    letter_lists l = {.start = arena_zalloc(a->arena, (size_t)m->channel_count + 1, sizeof *l.start)};
    for (uint32_t k = 0; k < rows->start[count]; k++) l.start[rows->terms[k].channel + 1]++;
    for (uint32_t c = 0; c < m->channel_count; c++) l.start[c + 1] += l.start[c];
    l.letters = arena_alloc(a->arena, rows->start[count], sizeof *l.letters);
    size_t *next = arena_alloc(a->arena, m->channel_count, sizeof *next);
    if (m->channel_count) memcpy(next, l.start, m->channel_count * sizeof *next);
    for (uint32_t letter = 0; letter < count; letter++)
        for (uint32_t k = rows->start[letter]; k < rows->start[letter + 1]; k++)
            l.letters[next[rows->terms[k].channel]++] = letter;
    return l;
}

static void read_feature(audit *a, uint32_t channel, content *c) {
    const expression *e = a->model->channels[channel].position;
    feature f = audit_feature_of(e);
    if (!contents_are_zero(c)) audit_refuse(a, 0, 0, "channel %u has a position feature and an embedding", channel);
    const char *shown = a->model->channels[channel].position_text;
    if (f.kind == FEATURE_UNKNOWN)
        audit_refuse(a, 0, 0, "channel %u: no position feature of this form is understood: %s", channel,
                     text_escaped(a->arena, shown, strlen(shown), 80));
    if (!audit_feature_holds(a, &f, e))
        audit_refuse(a, 0, 0, "channel %u: the position feature is not worth what its form says: %s", channel,
                     text_escaped(a->arena, shown, strlen(shown), 80));
    switch (f.kind) {
    case FEATURE_FIRST: c->letters = a->meaning.first; break;
    case FEATURE_LAST: c->letters = a->meaning.last; break;
    case FEATURE_LETTER:
        if (f.mirrored && !a->model->has_end)
            audit_refuse(a, 0, 0, "channel %u counts positions from an end sentinel that is not there", channel);
        c->feature = f;
        c->letters = meaning_residue(&a->meaning, !f.mirrored, 1, f.a, f.b, f.modulus,
                                     f.at_most ? RESIDUE_AT_MOST : RESIDUE_EQUAL, f.residue);
        break;
    case FEATURE_CONSTANT:
        if (f.constant == 1) {
            c->feature = f;
            c->letters = 1;
            c->start = c->end = 1;
            break;
        }
        /* fall through */
    default:
        *c = (content){.kind = HOLDS_FEATURE,
                       .feature = f,
                       .not_negative = f.constant >= 0 && f.kind != FEATURE_CENTRED && f.kind != FEATURE_DIGIT};
    }
}

void contents_begin(audit *a) {
    const temper_model *m = a->model;
    a->channels = arena_zalloc(a->arena, m->channel_count, sizeof *a->channels);
    for (uint32_t k = 0; k < m->embedding.start[m->embedding.count]; k++)
        if (m->embedding.terms[k].weight != 1)
            audit_refuse(a, 0, 0, "the embedding has a weight that is not 1, in channel %u",
                         m->embedding.terms[k].channel);
    letter_lists l = letters_by_channel(a);
    for (uint32_t c = 0; c < m->channel_count; c++) {
        a->channels[c].not_negative = true;
        a->channels[c].letters = meaning_letters(&a->meaning, l.letters + l.start[c], l.start[c + 1] - l.start[c]);
    }
    uint32_t start = model_start_token(m), end = model_end_token(m);
    for (uint32_t k = m->embedding.start[start]; k < m->embedding.start[start + 1]; k++)
        a->channels[m->embedding.terms[k].channel].start = 1;
    for (uint32_t k = m->embedding.start[end]; k < m->embedding.start[end + 1]; k++)
        a->channels[m->embedding.terms[k].channel].end = 1;
    for (uint32_t c = 0; c < m->channel_count; c++)
        if (m->channels[c].position) read_feature(a, c, &a->channels[c]);
}

/* ---- rows ---- */

double audit_add_up(double x, double y) {
    double large = fmax(x, y), small = fmin(x, y), sum = large + small;
    return sum - large == small ? sum : nextafter(sum, INFINITY);
}

bool contents_are_constant(const audit *a, uint32_t channel) {
    const expression *e = a->model->channels[channel].position;
    return e && audit_feature_of(e).kind == FEATURE_CONSTANT;
}

/* `stored`: whether all terms together must be a number of the storage format. */
static row_value read_row(audit *a, const model_rows *rows, size_t row, uint32_t layer, uint32_t head, bool stored) {
    const model_term *terms = rows_begin_of(rows, row);
    size_t count = rows_size(rows, row), exact = 0;
    row_value r = {.exact = true};
    double exact_weight = 0, stored_weight = 0;
    int grid = 1 << 20;
    arena_reset(a->scratch);
    dd *f = arena_alloc(a->scratch, count, sizeof *f);
    double *weight = arena_alloc(a->scratch, count, sizeof *weight);
    for (size_t k = 0; k < count; k++) {
        const content *c = &a->channels[terms[k].channel];
        double w = terms[k].weight;
        if (!audit_is_stored(a, w)) audit_refuse(a, layer, head, "a weight is no number of the storage format");
        r.weight = audit_add_up(r.weight, fabs(w));
        if (c->kind == HOLDS_EXACT) {
            f[exact] = c->letters;
            weight[exact++] = w;
            exact_weight = audit_add_up(exact_weight, fabs(w));
            if (layer && (stored || !contents_are_constant(a, terms[k].channel)))
                stored_weight = audit_add_up(stored_weight, fabs(w));
            if (audit_grid_of(w) < grid) grid = audit_grid_of(w);
            r.start += w * c->start;
            r.end += w * c->end;
            continue;
        }
        r.exact = false;
        if (r.other_count == sizeof r.other / sizeof *r.other)
            r.too_many = true;
        else
            r.other[r.other_count++] = terms[k];
    }
    /* exact channels add up exactly, in whatever order; the read-out has a rule of its own */
    int precision = layer && a->type.ps < a->type.pa ? a->type.ps : a->type.pa;
    if (exact && exact_weight > ldexp(1, grid + precision))
        audit_refuse(a, layer, head, "a sum of Booleans may be rounded");
    if (exact && (exact_weight > a->type.fa || stored_weight > a->type.fs))
        audit_refuse(a, layer, head, "a sum of Booleans may overflow");
    r.letters = dd_sum(&a->meaning.d, f, weight, exact, NAN, NAN);
    r.exact_count = exact;
    return r;
}

row_value contents_row(audit *a, const model_rows *rows, size_t row, uint32_t layer, uint32_t head) {
    return read_row(a, rows, row, layer, head, true);
}

row_value contents_key_row(audit *a, const model_rows *rows, size_t row, uint32_t layer, uint32_t head) {
    return read_row(a, rows, row, layer, head, false);
}
