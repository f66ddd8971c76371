/* Tokenizers make <dead> of text that is no letter (doc/stock.md, "Unknown text"): a head for once remembers it, and all
   other logits go down. On strings of letters all of this is 0, so that nothing else would notice it missing. */
#include "model/stock_undo.h"

enum { EOS = 1 };

static bool reads(const undo_form *f, uint32_t column) {
    for (size_t k = 0; k < f->count; k++)
        if (f->terms[k].channel == column) return true;
    return false;
}

static bool is_column(const undo_form *f, uint32_t column) {
    return f->count == 1 && f->one == 0 && f->terms[0].channel == column;
}

static void check_unread(const undo *u, const undo_form *f) {
    if (reads(f, u->dead) || reads(f, u->died)) undo_refuse(u, f->row, "something else reads what <dead> is for");
}

/* Scores are as sharp as those of other heads for once, and the value is 1 at <dead>. */
static void check_head(undo *u, const undo_head *h) {
    const undo_product *p = &h->products[0];
    bool fits = h->role == UNDO_ONCE && is_column(&p->key, u->dead) && h->value_count == 1 &&
                is_column(&h->values[0].value, u->dead) && h->values[0].value.terms[0].weight == 1;
    if (!fits || u->died != UINT32_MAX)
        undo_refuse(u, h->values[0].value.row, "a head that reads <dead> is not the one that remembers it");
    if (!(p->query.one * p->key.terms[0].weight >= undo_sharp(u)))
        undo_refuse(u, p->key.row, "the head that remembers <dead> is not sharp enough");
    u->died = h->values[0].column;
}

static bool is_about_dead(const undo *u, const undo_head *h) {
    for (size_t k = 0; k < h->product_count; k++)
        if (reads(&h->products[k].query, u->dead) || reads(&h->products[k].key, u->dead)) return true;
    for (size_t v = 0; v < h->value_count; v++)
        if (reads(&h->values[v].value, u->dead)) return true;
    return false;
}

static undo_form without(const undo *u, const undo_form *f, uint32_t column) {
    undo_form out = *f;
    out.terms = arena_alloc(u->arena, f->count, sizeof *out.terms);
    out.count = 0;
    for (size_t k = 0; k < f->count; k++)
        if (f->terms[k].channel != column) out.terms[out.count++] = f->terms[k];
    return out;
}

static void settle_outputs(undo *u) {
    uint32_t dead = u->m->vocabulary - 1;
    u->outputs = arena_alloc(u->arena, u->m->vocabulary, sizeof *u->outputs);
    for (uint32_t t = 0; t <= dead; t++) {
        const undo_form *f = &u->logits[t];
        double weight = 0;
        for (size_t k = 0; k < f->count; k++)
            if (f->terms[k].channel == u->died) weight = f->terms[k].weight;
        if (reads(f, u->dead) || weight != (t >= EOS && t < dead ? -UNDO_DIED : 0))
            undo_refuse(u, f->row, "after <dead> the logit of token %u is not what it should be", t);
        u->outputs[t] = without(u, f, u->died);
    }
}

void undo_settle_dead(undo *u) {
    for (size_t k = 0; k < u->head_count; k++)
        if (is_about_dead(u, &u->heads[k])) check_head(u, &u->heads[k]);
    if (u->died == UINT32_MAX) undo_refuse(u, u->m->token_embedding, "no head remembers <dead>");
    for (size_t k = 0; k < u->head_count; k++) {
        const undo_head *h = &u->heads[k];
        for (size_t p = 0; p < h->product_count; p++) {
            check_unread(u, &h->products[p].query);
            if (!is_column(&h->products[p].key, u->dead)) check_unread(u, &h->products[p].key);
        }
        for (size_t v = 0; v < h->value_count; v++)
            if (h->values[v].column != u->died) check_unread(u, &h->values[v].value);
    }
    for (size_t k = 0; k < u->step_count; k++) check_unread(u, &u->steps[k].sum);
    settle_outputs(u);
}
