/* The ordinary transformer of a specification with what is proved of it, and its GGUF file alone: the part of an
   export that needs no library of others. */
#include "ordinary/write/ordinary_files.h"
#include "ordinary/files/gguf_write.h"
#include "model/letter_clients.h"
#include "ordinary/lower/ordinary_from_model.h"
#include "ordinary/proof/ordinary_confirm.h"
#include "ordinary/proof/ordinary_longest.h"

/* The beginning of the specification on one line, so that the bytes of a file depend on nothing else. */
static const char *name_of(arena *a, const char *source) {
    enum { MOST = 60 };
    text line;
    bool space = false;
    text_init(&line, a);
    for (; *source; source++) {
        bool is_space = *source == ' ' || *source == '\n' || *source == '\t' || *source == '\r';
        if (!is_space && space && line.length) text_printf(&line, " ");
        if (!is_space) text_printf(&line, "%c", *source);
        space = is_space;
    }
    return text_escaped(a, text_string(&line), line.length, MOST);
}

void ordinary_make(ordinary_made *out, entry *x, const temper_spec *spec, const temper_stock_options *options,
                   unsigned clients) {
    const temper_spec *read;
    struct ordinary_options o = ordinary_options_of(options, x->trap);
    const temper_model *hard = ordinary_hard_model_for(x, spec, &o, &read);
    letter_list letters = {.letters = hard->letters.letters,
                           .count = hard->letters.count,
                           .words = hard->letters.tokens,
                           .other = alphabet_other(&hard->letters)};
    letter_clients_check(&letters, clients, TEMPER_UNSUPPORTED, &x->memory);
    struct ordinary_model *m = ordinary_from_model(&x->memory, hard, &o);
    letters.written = m->tokens + ORDINARY_LETTERS + m->letters;
    letters.written_count = m->vocabulary - ORDINARY_LETTERS - m->letters - 1;
    letter_clients_check(&letters, clients, TEMPER_UNSUPPORTED, &x->memory);
    *out = (ordinary_made){.model = m,
                           .hard = hard,
                           .name = name_of(&x->memory, hard->source),
                           .proof = ordinary_prove_confirmed(&x->memory, m, hard, read, &o)};
    ordinary_reach reach = ordinary_reach_of(&out->proof, o.length);
    out->info = (temper_stock_info){.layers = m->layer_count,
                                    .heads = m->heads,
                                    .head_size = m->head_size,
                                    .width = m->width,
                                    .hidden = m->hidden,
                                    .vocabulary = m->vocabulary,
                                    .mirrored = m->mirrored,
                                    .only_gguf = m->rope_factors != NULL,
                                    .every_letter = hard->kind == TEMPER_KIND_ACCEPTOR,
                                    .proof = ordinary_verdict_of(&reach)};
    if (!out->proof.proved) out->info.proof.shorter = ordinary_prove_shorter(&x->memory, hard, read, &o);
}

typedef struct gguf_call {
    temper_stock_info *info;
    char **out;
    size_t *length;
    const temper_spec *spec;
    const temper_stock_options *options;
} gguf_call;

static void export_gguf(entry *x, void *context) {
    const gguf_call *c = context;
    ordinary_made made;
    text bytes;
    text_init(&bytes, &x->memory);
    ordinary_make(&made, x, c->spec, c->options, CLIENTS_OF_GGUF);
    gguf_print(&bytes, made.model, ordinary_tokens_make(made.model, &x->memory), made.name, c->options->weights_f16);
    *c->out = entry_hand_out(x, bytes.data, bytes.length);
    *c->length = bytes.length;
    if (c->info) *c->info = made.info;
}

temper_status temper_export_gguf(temper_stock_info *info, char **out, size_t *length, const temper_spec *spec,
                                 const temper_stock_options *options, temper_error *err) {
    gguf_call call = {info, out, length, spec, options};
    *out = NULL;
    return entry_run(err, export_gguf, &call);
}
