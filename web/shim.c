/* The library for JavaScript. It uses nothing but temper.h. Objects are addresses; a function that makes one gives 0 if it
   failed, and tw_reply then has the error as JSON. Functions that tell something put it into tw_reply. */
#include "shim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reply.h"
#include "temper.h"

#define SPEC(a)    ((const temper_spec *)(uintptr_t)(a))
#define MODEL(a)   ((const temper_model *)(uintptr_t)(a))
#define RUN(a)     ((const temper_run *)(uintptr_t)(a))
#define LETTERS(a) ((const uint32_t *)(uintptr_t)(a))

static uint32_t failed(const temper_error *err) {
    reply_error(err);
    return 0;
}

/* ---- specifications ---- */

SHIM_EXPORT uint32_t tw_spec(char32 text, uint32_t length, uint32_t syntax, char32 alphabet, uint32_t tokens,
                             uint32_t at, uint32_t empty, uint32_t kind) {
    temper_error err;
    temper_spec *spec = NULL;
    temper_spec_options o = {.syntax = (temper_syntax)syntax,
                             .alphabet = alphabet && *TEXT(alphabet) ? TEXT(alphabet) : NULL,
                             .tokens = (int)tokens,
                             .at = (temper_at)at,
                             .empty = (temper_empty)empty,
                             .kind = (temper_kind)kind};
    if (temper_spec_parse(&spec, TEXT(text), length, &o, &err)) return failed(&err);
    return POINTER(spec);
}

SHIM_EXPORT void tw_spec_free(uint32_t spec) { temper_spec_free((temper_spec *)(uintptr_t)spec); }

SHIM_EXPORT uint32_t tw_spec_about(uint32_t spec) {
    temper_spec_info info = temper_spec_about(SPEC(spec));
    reply_begin();
    reply_text("{");
    reply_field("letters");
    reply_text("[");
    for (size_t k = 0; k < info.letters; k++) {
        reply_field(NULL);
        reply_string(temper_spec_letter(SPEC(spec), k));
    }
    reply_text("]");
    reply_number("nodes", (double)info.nodes);
    reply_words("at", info.at == TEMPER_AT_FIRST ? "first" : "last");
    reply_number("tokens", info.tokens);
    reply_number("acceptsEmpty", info.accepts_empty);
    reply_words("kind", temper_kind_name(info.kind));
    reply_field("outputs");
    reply_text("[");
    for (size_t k = 0; k < info.outputs; k++) {
        reply_field(NULL);
        reply_string(temper_spec_output_name(SPEC(spec), k));
    }
    reply_text("]}");
    return 1;
}

/* Letters as an array that tw_free frees; their number in *count (an address of 4 bytes). */
static uint32_t hand_letters(temper_status status, const temper_error *err, uint32_t *letters, size_t n,
                             uint32_t count) {
    if (status) return failed(err);
    *(uint32_t *)(uintptr_t)count = (uint32_t)n;
    return letters ? POINTER(letters) : POINTER(malloc(4));
}

SHIM_EXPORT uint32_t tw_spec_encode(uint32_t spec, char32 text, uint32_t length, uint32_t count) {
    temper_error err;
    uint32_t *letters = NULL;
    size_t n = 0;
    temper_status status = temper_spec_encode(&letters, &n, SPEC(spec), TEXT(text), length, &err);
    return hand_letters(status, &err, letters, n, count);
}

SHIM_EXPORT uint32_t tw_model_encode(uint32_t model, char32 text, uint32_t length, uint32_t count) {
    temper_error err;
    uint32_t *letters = NULL;
    size_t n = 0;
    temper_status status = temper_model_encode(&letters, &n, MODEL(model), TEXT(text), length, &err);
    return hand_letters(status, &err, letters, n, count);
}

/* 1 + verdict; truth (n bytes) may be 0. */
SHIM_EXPORT uint32_t tw_spec_eval(uint32_t spec, uint32_t letters, uint32_t n, uint32_t truth) {
    temper_error err;
    int accept = 0;
    if (temper_spec_eval(&accept, (unsigned char *)(uintptr_t)truth, SPEC(spec), LETTERS(letters), n, &err))
        return failed(&err);
    return 1 + (uint32_t)accept;
}

SHIM_EXPORT uint32_t tw_spec_next(uint32_t spec) {
    temper_error err;
    temper_spec *next = NULL;
    if (temper_spec_next(&next, NULL, SPEC(spec), &err)) return failed(&err);
    return POINTER(next);
}

/* {"words": the formula as a sentence, "simplified": what is simpler than it was written} */
SHIM_EXPORT uint32_t tw_spec_words(uint32_t spec) {
    temper_error err;
    char *words = NULL, *simplified = NULL;
    if (temper_spec_words(&words, SPEC(spec), &err)) return failed(&err);
    if (temper_spec_simplified(&simplified, SPEC(spec), &err)) {
        temper_free(words);
        return failed(&err);
    }
    reply_begin();
    reply_text("{");
    reply_words("words", words);
    reply_words("simplified", simplified);
    reply_text("}");
    temper_free(words);
    temper_free(simplified);
    return 1;
}

/* ---- models ---- */

SHIM_EXPORT uint32_t tw_build(uint32_t spec, uint32_t method, uint32_t digits, uint32_t whole) {
    temper_error err;
    temper_model *model = NULL;
    temper_build_options o = {(temper_method)method, (temper_type)digits, (int)whole};
    if (temper_build(&model, SPEC(spec), &o, &err)) return failed(&err);
    return POINTER(model);
}

SHIM_EXPORT void tw_model_free(uint32_t model) { temper_model_free((temper_model *)(uintptr_t)model); }

/* Other scales for all softmax heads (layer and head 0) or for one. */
SHIM_EXPORT uint32_t tw_rescale(uint32_t model, uint32_t layer, uint32_t head, char32 scale) {
    temper_error err;
    temper_model *copy = NULL;
    temper_scale s = {layer, head, TEXT(scale)};
    if (temper_model_with_scale(&copy, MODEL(model), &s, 1, &err)) return failed(&err);
    return POINTER(copy);
}

SHIM_EXPORT uint32_t tw_model_read(char32 text, uint32_t length) {
    temper_error err;
    temper_model *model = NULL;
    if (temper_model_read(&model, TEXT(text), length, &err)) return failed(&err);
    return POINTER(model);
}

/* The specification that a model carries. */
SHIM_EXPORT uint32_t tw_model_spec(uint32_t model) {
    temper_error err;
    temper_spec *spec = NULL;
    if (temper_model_spec(&spec, MODEL(model), &err)) return failed(&err);
    return POINTER(spec);
}

static void tell_heads(const temper_model *m, size_t layers) {
    reply_field("heads");
    reply_text("[");
    for (size_t l = 1; l <= layers; l++)
        for (size_t h = 1; h <= temper_model_layer(m, l).heads; h++) {
            temper_head_info i;
            if (temper_model_head(&i, m, l, h, NULL)) continue;
            reply_field(NULL);
            reply_text("{\"layer\":%zu,\"head\":%zu", l, h);
            reply_words("label", i.label);
            reply_words("role", i.role);
            reply_words("mask", temper_mask_name(i.mask));
            reply_words("choice", temper_choice_name(i.choice));
            reply_words("hardChoice", temper_choice_name(i.hard_choice));
            reply_words("scale", i.scale);
            reply_words("growth", temper_growth_name(i.growth));
            reply_number("bound", i.bound);
            reply_number("queries", (double)i.query_size);
            reply_number("values", (double)i.value_size);
            reply_text("}");
        }
    reply_text("]");
}

static void tell_parts(const temper_model *m, size_t parts, size_t channels) {
    reply_field("parts");
    reply_text("[");
    for (size_t k = 0; k < parts; k++) {
        temper_part_info i;
        if (temper_model_part(&i, m, k, NULL)) continue;
        reply_field(NULL);
        reply_text("{");
        reply_words("formula", i.formula);
        reply_text(",\"layer\":%zu,\"head\":%ld,\"channel\":%ld}", i.layer, i.head, i.channel);
    }
    reply_text("]");
    reply_field("channels");
    reply_text("[");
    for (size_t k = 0; k < channels; k++) {
        temper_channel_info i;
        if (temper_model_channel(&i, m, k, NULL)) continue;
        reply_field(NULL);
        reply_text("{");
        reply_words("label", i.label);
        reply_words("position", i.position);
        reply_text("}");
    }
    reply_text("]");
}

SHIM_EXPORT uint32_t tw_model_about(uint32_t model) {
    const temper_model *m = MODEL(model);
    temper_model_info i = temper_model_about(m);
    reply_begin();
    reply_text("{");
    reply_words("method", temper_method_name(i.method));
    reply_words("source", i.source);
    reply_words("at", i.at == TEMPER_AT_FIRST ? "first" : "last");
    reply_words("kind", temper_kind_name(i.kind));
    reply_text(",\"layers\":%zu,\"width\":%zu,\"hidden\":%zu,\"parameters\":%zu,\"tokens\":%d,\"rescaled\":%d",
               i.layers, i.channels, i.hidden, i.parameters, i.tokens, i.rescaled);
    reply_text(",\"whole\":%d,\"hasEnd\":%d,\"hasLogits\":%d", i.whole, i.has_end, i.has_logits);
    reply_field("letters");
    reply_text("[");
    for (size_t k = 0; k < i.letters; k++) {
        reply_field(NULL);
        reply_string(temper_model_letter(m, k));
    }
    reply_text("]");
    reply_field("outputs");
    reply_text("[");
    for (size_t k = 0; k < i.outputs; k++) {
        reply_field(NULL);
        reply_string(temper_model_output_name(m, k));
    }
    reply_text("]");
    tell_heads(m, i.layers);
    tell_parts(m, i.parts, i.channels);
    reply_text("}");
    return 1;
}

static void tell_fault(const temper_fault *f) {
    reply_text(",\"layer\":%zu,\"head\":%zu,\"faultLength\":%zu", f->layer, f->head, f->length);
}

SHIM_EXPORT uint32_t tw_model_proof(uint32_t model, uint32_t type, uint32_t hard) {
    temper_error err;
    temper_proof p;
    if (temper_model_proof(&p, MODEL(model), (temper_type)type, (int)hard, &err)) return failed(&err);
    reply_begin();
    reply_text("{");
    reply_words("claim", temper_claim_name(p.claim));
    reply_number("length", p.claim == TEMPER_CLAIM_NONE ? -1 : (double)p.length);
    reply_number("everyPosition", p.every_position);
    reply_words("obstacle", p.obstacle);
    tell_fault(&p.fault);
    reply_text("}");
    return 1;
}

/* About how many multiply-adds the heads take on n letters; emulated formats look at all pairs. Negative: unknown. */
SHIM_EXPORT double tw_cost(uint32_t model, uint32_t n, uint32_t type) {
    temper_model_info i = temper_model_about(MODEL(model));
    double *costs = calloc(i.heads + 1, sizeof *costs), sum = 0, pairs = ((double)n + 2) * ((double)n + 2);
    if (!costs || temper_model_plans(NULL, costs, MODEL(model), n, 0, NULL)) {
        free(costs);
        return -1;
    }
    int plain = type == TEMPER_TYPE_F64 || type == TEMPER_TYPE_F32;
    for (size_t k = 0; k < i.heads; k++) sum += plain ? costs[k] : 8 * pairs;
    free(costs);
    return sum;
}

/* Text in the reply, as one JSON string. */
static uint32_t hand_text(temper_status status, const temper_error *err, char *text, size_t length) {
    if (status) return failed(err);
    reply_begin();
    reply_bytes(text, length);
    temper_free(text);
    return 1;
}

SHIM_EXPORT uint32_t tw_model_print(uint32_t model) {
    temper_error err;
    char *text = NULL;
    size_t length = 0;
    temper_status status = temper_model_print(&text, &length, MODEL(model), &err);
    return hand_text(status, &err, text, length);
}

/* ---- the gallery ---- */

SHIM_EXPORT uint32_t tw_gallery(void) {
    reply_begin();
    reply_text("[");
    for (size_t k = 0; k < temper_gallery_count(); k++) {
        temper_gallery_info i;
        if (temper_gallery_about(&i, k, NULL)) continue;
        reply_field(NULL);
        reply_text("{");
        reply_words("name", i.name);
        reply_words("title", i.title);
        reply_words("alphabet", i.alphabet);
        reply_words("className", i.class_name);
        reply_words("language", i.language);
        reply_words("formula", i.formula);
        reply_text("}");
    }
    reply_text("]");
    return 1;
}

SHIM_EXPORT uint32_t tw_gallery_model(char32 name) {
    temper_error err;
    temper_model *model = NULL;
    if (temper_gallery_model(&model, TEXT(name), &err)) return failed(&err);
    return POINTER(model);
}

/* ---- running ---- */

SHIM_EXPORT uint32_t tw_run(uint32_t model, uint32_t letters, uint32_t n, uint32_t type, uint32_t hard,
                            uint32_t capture, uint32_t unchecked) {
    temper_error err;
    temper_run *run = NULL;
    temper_run_options o = {.hard = (int)hard,
                            .unchecked = (int)unchecked,
                            .capture = (int)capture,
                            .type = (temper_type)type,
                            .threads = 1};
    if (temper_model_run(&run, MODEL(model), LETTERS(letters), n, &o, &err)) return failed(&err);
    return POINTER(run);
}

SHIM_EXPORT void tw_run_free(uint32_t run) { temper_run_free((temper_run *)(uintptr_t)run); }

SHIM_EXPORT uint32_t tw_run_about(uint32_t run, uint32_t model) {
    temper_run_info i = temper_run_about(RUN(run));
    temper_model_info m = temper_model_about(MODEL(model));
    reply_begin();
    reply_text("{");
    reply_words("type", temper_type_name(i.type));
    reply_text(",\"size\":%zu,\"accept\":%d,\"proved\":%d,\"everyPosition\":%d", i.size, i.accept, i.proved,
               i.every_position);
    reply_words("claim", temper_claim_name(i.claim));
    reply_words("warning", i.warning);
    reply_field("errors");
    reply_text("[");
    for (size_t l = 1; l <= m.layers; l++)
        for (size_t h = 1; h <= temper_model_layer(MODEL(model), l).heads; h++)
            reply_number(NULL, temper_run_head(RUN(run), l, h).error);
    reply_text("]}");
    return 1;
}

SHIM_EXPORT uint32_t tw_run_output(uint32_t run, uint32_t output) {
    return POINTER(temper_run_output(RUN(run), output));
}

SHIM_EXPORT uint32_t tw_run_logits(uint32_t run, uint32_t output) {
    return POINTER(temper_run_logits(RUN(run), output));
}

/* what: 0 scores, 1 logits, 2 weights; [N][N] */
SHIM_EXPORT uint32_t tw_run_head(uint32_t run, uint32_t layer, uint32_t head, uint32_t what) {
    temper_run_head_info i = temper_run_head(RUN(run), layer, head);
    return POINTER(what == 0 ? i.scores : what == 1 ? i.logits : i.weights);
}

SHIM_EXPORT double tw_run_scale(uint32_t run, uint32_t layer, uint32_t head, uint32_t position) {
    return temper_run_row(RUN(run), layer, head, position).scale;
}

/* what: 0 query, 1 key, 2 value, 3 output */
SHIM_EXPORT uint32_t tw_run_row(uint32_t run, uint32_t layer, uint32_t head, uint32_t position, uint32_t what) {
    temper_run_row_info i = temper_run_row(RUN(run), layer, head, position);
    return POINTER(what == 0 ? i.query : what == 1 ? i.key : what == 2 ? i.value : i.output);
}

SHIM_EXPORT uint32_t tw_run_channels(uint32_t run, uint32_t layer, uint32_t position) {
    return POINTER(temper_run_channels(RUN(run), layer, position));
}

/* ---- pictures ---- */

SHIM_EXPORT uint32_t tw_draw_svg(uint32_t model, uint32_t run, uint32_t letters, uint32_t layer, uint32_t head) {
    temper_error err;
    char *text = NULL;
    temper_draw_options o = {.layer = layer, .head = head};
    temper_status status = temper_draw_svg(&text, MODEL(model), RUN(run), LETTERS(letters), &o, &err);
    return hand_text(status, &err, text, text ? strlen(text) : 0);
}

/* ---- types ---- */

SHIM_EXPORT uint32_t tw_about(void) {
    reply_begin();
    reply_text("{");
    reply_words("version", temper_version());
    reply_field("types");
    reply_text("[");
    for (int k = 0; *temper_type_name((temper_type)k); k++) {
        if (strchr(temper_type_name((temper_type)k), '@')) break; /* in tiles: these come last */
        reply_field(NULL);
        reply_string(temper_type_name((temper_type)k));
    }
    reply_text("]}");
    return 1;
}
