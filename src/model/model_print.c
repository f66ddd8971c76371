/* The text form of a model. doc/model.md describes it; model_read.c reads it back to the same bits. */
#include <string.h>

#include "logic/formula.h"

#include "model/model.h"

uint64_t model_digest(const char *bytes, size_t length) {
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t k = 0; k < length; k++) h = (h ^ (unsigned char)bytes[k]) * 0x100000001b3u;
    return h;
}

/* In double quotes; backslash, quote and control bytes escaped, other bytes as they are. */
static void print_quoted(text *out, const char *s) {
    text_putc(out, '"');
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            text_printf(out, "\\%c", c);
        else if (c == '\n')
            text_puts(out, "\\n");
        else if (c == '\t')
            text_puts(out, "\\t");
        else if (c < 0x20 || c == 0x7F)
            text_printf(out, "\\x%02X", c);
        else
            text_putc(out, (char)c);
    }
    text_putc(out, '"');
}

static void print_row(text *out, const model_rows *r, size_t row) {
    for (uint32_t k = r->start[row]; k < r->start[row + 1]; k++) {
        text_printf(out, " %u:", r->terms[k].channel);
        text_double(out, r->terms[k].weight);
    }
}

static void print_rows(text *out, const char *name, const model_rows *r) {
    for (uint32_t row = 0; row < r->count; row++) {
        text_puts(out, name);
        print_row(out, r, row);
        text_putc(out, '\n');
    }
}

static void print_head(text *out, const model_head *h) {
    text_puts(out, "head ");
    print_quoted(out, h->label);
    if (h->role) text_printf(out, " role %s", head_role_name(h->role));
    text_printf(out, " mask %s choice %s", temper_mask_name(h->mask), temper_choice_name(h->choice));
    if (h->hard_choice != h->choice) text_printf(out, " for %s", temper_choice_name(h->hard_choice));
    if (h->scale) {
        text_puts(out, h->adaptive ? " adaptive \"" : " scale \"");
        expression_print(out, h->scale);
        text_putc(out, '"');
    }
    text_putc(out, '\n');
    print_rows(out, "  query", &h->query);
    print_rows(out, "  key", &h->key);
    print_rows(out, "  value", &h->value);
    print_rows(out, "  output", &h->output);
}

static void print_units(text *out, const model_layer *l) {
    for (uint32_t k = 0; k < l->in.count; k++) {
        text_puts(out, "unit ");
        text_double(out, l->bias[k]);
        print_row(out, &l->in, k);
        text_puts(out, " ->");
        print_row(out, &l->out, k);
        text_putc(out, '\n');
    }
}

static void print_channels(text *out, const temper_model *m) {
    for (uint32_t k = 0; k < m->channel_count; k++) {
        const model_channel *c = &m->channels[k];
        text_printf(out, "channel %u ", k);
        print_quoted(out, c->label);
        if (c->position) {
            text_puts(out, c->soft_only ? " soft \"" : " position \"");
            expression_print(out, c->position);
            text_putc(out, '"');
        }
        text_putc(out, '\n');
    }
}

static void print_embedding(text *out, const temper_model *m) {
    for (uint32_t k = 0; k < m->embedding.count; k++) {
        text_puts(out, "embed ");
        if (k == model_start_token(m))
            text_puts(out, "start");
        else if (k == model_end_token(m))
            text_puts(out, "end");
        else
            print_quoted(out, m->letters.letters[k]);
        print_row(out, &m->embedding, k);
        text_putc(out, '\n');
    }
}

static void print_settings(text *out, const temper_model *m) {
    text_printf(out, "temper-model %u\n", model_version(m));
    if (m->kind != TEMPER_KIND_ACCEPTOR) text_printf(out, "kind %s\n", temper_kind_name(m->kind));
    text_printf(out, "method %s", temper_method_name(m->method));
    if (m->digits) text_printf(out, " %s", temper_type_name(m->digits->type));
    text_putc(out, '\n');
    text_printf(out, "syntax %s\nsource ", syntax_names[m->syntax]);
    print_quoted(out, m->source);
    text_puts(out, "\nalphabet");
    for (size_t k = 0; k < m->letters.count; k++) {
        text_putc(out, ' ');
        print_quoted(out, m->letters.letters[k]);
    }
    if (m->letters.other != UINT32_MAX) {
        text_puts(out, "\nother ");
        print_quoted(out, m->letters.letters[m->letters.other]);
    }
    text_printf(out, "\ntokens %s\n", m->letters.tokens ? "yes" : "no");
    text_printf(out, "at %s\n", m->at == TEMPER_AT_FIRST ? "first" : "last");
    text_printf(out, "empty %s\n", m->accepts_empty ? "accept" : "reject");
    text_printf(out, "end %s\n", m->has_end ? "yes" : "no");
    if (model_has_record(&m->record)) {
        text_printf(out, "safe %zu ", m->record.length);
        print_quoted(out, m->record.reason);
        text_puts(out, "\nbound ");
        text_double(out, m->record.error);
        text_putc(out, ' ');
        text_double(out, m->record.margin);
        text_puts(out, m->record.verdict_only ? " verdict\n" : " positions\n");
    }
}

/* The one output of an acceptor has no name. */
static void print_outputs(text *out, const char *word, const temper_model *m, const model_rows *r) {
    for (uint32_t k = 0; k < r->count; k++) {
        text_puts(out, word);
        if (m->kind != TEMPER_KIND_ACCEPTOR) {
            text_putc(out, ' ');
            print_quoted(out, m->output_names[k]);
        }
        print_row(out, r, k);
        text_putc(out, '\n');
    }
}

void model_print(text *out, const temper_model *m) {
    size_t begin = out->length;
    print_settings(out, m);
    print_channels(out, m);
    print_embedding(out, m);
    for (uint32_t k = 0; k < m->layer_count; k++) {
        text_printf(out, "layer %u\n", k + 1);
        for (uint32_t h = 0; h < m->layers[k].head_count; h++) print_head(out, &m->layers[k].heads[h]);
        print_units(out, &m->layers[k]);
    }
    print_outputs(out, "read", m, &m->read);
    print_outputs(out, "logit", m, &m->logits);
    for (size_t k = 0; k < m->part_count; k++) {
        const model_part *p = &m->parts[k];
        text_puts(out, "part ");
        print_quoted(out, p->formula);
        text_printf(out, " layer %u", p->layer);
        if (p->head >= 0) text_printf(out, " head %lld", (long long)p->head + 1);
        if (p->channel >= 0) text_printf(out, " channel %lld", (long long)p->channel);
        text_putc(out, '\n');
    }
    text_printf(out, "digest %016llx\n", (unsigned long long)model_digest(out->data + begin, out->length - begin));
}
