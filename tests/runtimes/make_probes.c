/* make test-ordinary: small models whose probabilities show one fact of doc/ordinary.md, "What is assumed of
   kernels", each.

       make_probes FOLDER

   FOLDER/NAME/model.gguf, and FOLDER/probes.json: {NAME: [the number of each letter], ...}. In every model the logit
   of </s> is a number r, that of <s> is 0, and all others are -300, so that r = ln(p(</s>)/p(<s>)). */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/entry.h"
#include "base/json_write.h"
#include "ordinary/files/gguf_write.h"
#include "ordinary/files/ordinary_tokens.h"

enum { WIDTH = 64, HEADS = 4, SIZE = 16, HIDDEN = 32, LETTERS = 40 };
/* Columns: the pin, which norms make 1; of a GPT-2 its opposite and what keeps the mean at 0; the letter's number;
   the result; 1 on letters, and 1 on the start sentinel; 1 on the second letter; and then many numbers. */
enum { PIN, OPPOSITE, BALANCE = 3, NUMBER = 8, RESULT, REAL, START, MARK, MANY };

typedef struct probe {
    const char *name;
    enum ordinary_architecture architecture;
    uint32_t positions;
    bool as_f16;
    double number[LETTERS];
    double shrink; /* 0: 1; a column holds so much less, so that the norm is the identity */
    struct ordinary_model *m;
} probe;

static float *zeros(arena *a, size_t count) { return arena_zalloc(a, count, sizeof(float)); }

static float *make_gain(const probe *p, arena *a) {
    bool gpt2 = p->architecture == ORDINARY_GPT2;
    double pin = gpt2 ? 0x1p13 : 0x1p15, spread = gpt2 ? pin * sqrt(2.0 / WIDTH) : pin / sqrt((double)WIDTH);
    float *gain = zeros(a, WIDTH);
    for (int c = NUMBER; c < WIDTH; c++) gain[c] = (float)spread;
    gain[PIN] = (float)(spread / pin);
    return gain;
}

/* What is written to a column: row[column * stride]. */
static void write_to(const probe *p, float *row, size_t stride, int column, double x) {
    row[column * stride] += (float)x;
    if (p->architecture == ORDINARY_GPT2) row[BALANCE * stride] -= (float)x;
}

static void begin(probe *p, arena *a) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmn";
    struct ordinary_model *m = p->m = arena_zalloc(a, 1, sizeof *m);
    bool gpt2 = p->architecture == ORDINARY_GPT2;
    *m = (struct ordinary_model){.architecture = p->architecture,
                                 .positions = p->positions,
                                 .width = WIDTH,
                                 .heads = HEADS,
                                 .head_size = SIZE,
                                 .hidden = HIDDEN,
                                 .layer_count = 1,
                                 .vocabulary = LETTERS + 3,
                                 .letters = LETTERS,
                                 .epsilon = 1e-5,
                                 .rope_base = gpt2 ? 0 : 10000};
    m->token_embedding = zeros(a, (size_t)m->vocabulary * WIDTH);
    if (gpt2) m->position_embedding = zeros(a, (size_t)m->positions * WIDTH);
    m->final_gain = make_gain(p, a);
    m->output = zeros(a, (size_t)m->vocabulary * WIDTH);
    struct ordinary_layer *l = m->layers = arena_zalloc(a, 1, sizeof *l);
    *l = (struct ordinary_layer){make_gain(p, a),
                                 zeros(a, HEADS * SIZE * WIDTH),
                                 zeros(a, HEADS * SIZE * WIDTH),
                                 zeros(a, HEADS * SIZE * WIDTH),
                                 zeros(a, WIDTH * HEADS * SIZE),
                                 make_gain(p, a),
                                 gpt2 ? NULL : zeros(a, HIDDEN * WIDTH),
                                 zeros(a, HIDDEN * WIDTH),
                                 zeros(a, WIDTH * HIDDEN)};
    const char **names = arena_alloc(a, m->vocabulary, sizeof *names);
    for (uint32_t t = 0; t < m->vocabulary; t++) {
        float *row = m->token_embedding + t * WIDTH;
        bool letter = t >= 2 && t < LETTERS + 2;
        row[PIN] = gpt2 ? 0x1p13f : 0x1p15f;
        if (gpt2) row[OPPOSITE] = -0x1p13f;
        write_to(p, row, 1, letter ? REAL : START, 1);
        if (letter) write_to(p, row, 1, NUMBER, p->number[t - 2] / (p->shrink != 0 ? p->shrink : 1));
        m->output[t * WIDTH + PIN] = t < 2 ? 0 : -300;
        names[t] = arena_copy(a,
                              letter   ? &letters[t - 2]
                              : t == 0 ? "<s>"
                              : t == 1 ? "</s>"
                                       : "<dead>",
                              letter   ? 1
                              : t == 0 ? 3
                              : t == 1 ? 4
                                       : 6);
    }
    m->output[WIDTH + RESULT] = 1;
    m->tokens = names;
}

static void finish(probe *p, const char *folder, FILE *about, arena *a) {
    char path[4096];
    text t;
    text_init(&t, a);
    gguf_print(&t, p->m, ordinary_tokens_make(p->m, a), p->name, p->as_f16);
    snprintf(path, sizeof path, "%s/%s", folder, p->name);
    mkdir(path, 0777);
    strcat(path, "/model.gguf");
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(t.data, 1, t.length, f) != t.length || fclose(f)) exit(1);
    fprintf(about, "%s\n\"%s\": [", ftell(about) > 1 ? "," : "", p->name);
    for (int k = 0; k < LETTERS; k++) fprintf(about, "%s%.17g", k ? ", " : "", p->number[k]);
    fputs("]", about);
}

/* r = act(x)/scale. */
static void activation(probe *p, const char *folder, FILE *about, double scale, arena *a) {
    begin(p, a);
    struct ordinary_layer *l = p->m->layers;
    (l->gate ? l->gate : l->up)[NUMBER] = (float)p->shrink;
    if (l->gate) l->up[PIN] = 1;
    write_to(p, l->down, HIDDEN, RESULT, 1 / scale);
    finish(p, folder, about, a);
}

/* Letters have one score, below that of the start sentinel; r = 8 times the share of the second letter, which is the
   same wherever it stands, if the same scores have the same share. Of a Llama keys and queries turn by tiny angles,
   whose cosines are 1. */
static void shares(probe *p, const char *folder, FILE *about, arena *a) {
    for (int k = 0; k < LETTERS; k++) p->number[k] = 0.7301;
    begin(p, a);
    struct ordinary_layer *l = p->m->layers;
    write_to(p, p->m->token_embedding + 3 * WIDTH, 1, MARK, 1);
    l->query[PIN] = 4;
    l->key[NUMBER] = 1;
    l->key[START] = 3;
    l->value[MARK] = 1;
    write_to(p, l->mix, HEADS * SIZE, RESULT, 8);
    if (p->architecture == ORDINARY_LLAMA) {
        p->m->rope_factors = arena_alloc(a, SIZE / 2, sizeof(float));
        for (int k = 0; k < SIZE / 2; k++) p->m->rope_factors[k] = 0x1p24f;
    }
    finish(p, folder, about, a);
}

/* r = 2^15 times the difference of two rows that have the same weights but for a power of two, which is taken back:
   0, if they give the same numbers. */
static void alike(probe *p, const char *folder, FILE *about, arena *a) {
    begin(p, a);
    struct ordinary_layer *l = p->m->layers;
    for (int t = 2; t < LETTERS + 2; t++)
        for (int c = MANY; c < WIDTH; c++)
            write_to(p, p->m->token_embedding + t * WIDTH, 1, c, sin(t * 7.3 + c * 1.7) / 4);
    l->gate[PIN] = l->gate[WIDTH + PIN] = 32;
    for (int c = MANY; c < WIDTH; c++) {
        l->up[c] = (float)cos(c * 2.9);
        l->up[WIDTH + c] = l->up[c] * 0x1p-5f;
    }
    write_to(p, l->down, HIDDEN, RESULT, 0x1p10);
    write_to(p, l->down + 1, HIDDEN, RESULT, -0x1p15);
    finish(p, folder, about, a);
}

static void all_probes(entry *e, void *context) {
    const char *folder = context;
    char path[4096];
    arena *a = &e->memory;
    struct ordinary_layer *l;
    snprintf(path, sizeof path, "%s/probes.json", folder);
    FILE *about = fopen(path, "w");
    if (!about) exit(1);
    fputs("{", about);

    probe gelu = {.name = "gelu", .shrink = 64, .architecture = ORDINARY_GPT2, .positions = 8};
    for (int k = 0; k < LETTERS; k++) gelu.number[k] = (double)(float)((k - 19.5) * 0.70711);
    activation(&gelu, folder, about, 2, a);
    probe silu = {.name = "silu", .shrink = 64, .architecture = ORDINARY_LLAMA, .positions = 8};
    for (int k = 0; k < LETTERS; k++) silu.number[k] = (double)(float)(17 + k * 0.61803);
    activation(&silu, folder, about, 16, a);
    probe tail = {.name = "tail", .shrink = 64, .architecture = ORDINARY_LLAMA, .positions = 8};
    for (int k = 0; k < LETTERS; k++) tail.number[k] = (double)(float)(-17 - k * 0.61803);
    activation(&tail, folder, about, 0x1p-20, a);

    /* r = 8 times the mean of the numbers. */
    probe values = {.name = "values", .architecture = ORDINARY_GPT2, .positions = 4096};
    for (int k = 0; k < LETTERS; k++) values.number[k] = k ? 1 + (k - 1) * 0x1p-14 : 1;
    begin(&values, a);
    values.m->layers->value[NUMBER] = 1;
    write_to(&values, values.m->layers->mix, HEADS * SIZE, RESULT, 8);
    finish(&values, folder, about, a);

    /* The score is 2^14 (x - 1)/4 by two products, and r = 8 times the share of letters. */
    probe keys = {.name = "keys", .architecture = ORDINARY_GPT2, .positions = 8};
    for (int k = 0; k < LETTERS; k++) keys.number[k] = 1 + (k - 20) * 0x1p-16;
    begin(&keys, a);
    l = keys.m->layers;
    l->query[PIN] = l->query[WIDTH + PIN] = 0x1p14f;
    l->key[NUMBER] = 1;
    l->key[WIDTH + REAL] = -1;
    l->value[REAL] = 1;
    write_to(&keys, l->mix, HEADS * SIZE, RESULT, 8);
    finish(&keys, folder, about, a);

    /* r = 4 times what stands in a column: 1 by the token and 2^-12 by the position. */
    for (int k = 0; k < 2; k++) {
        probe columns = {
            .name = k ? "columns-f16" : "columns-f32", .architecture = ORDINARY_GPT2, .positions = 8, .as_f16 = k};
        for (int t = 0; t < LETTERS; t++) columns.number[t] = 1;
        begin(&columns, a);
        for (uint32_t i = 0; i < columns.positions; i++)
            write_to(&columns, columns.m->position_embedding + i * WIDTH, 1, NUMBER, i * 0x1p-13);
        columns.m->output[WIDTH + RESULT] = 0;
        columns.m->output[WIDTH + NUMBER] = 4;
        finish(&columns, folder, about, a);
    }

    /* r = x, from norms that are the identity; beside -300 there are logits of -128 and -80. */
    probe norm = {.name = "norm", .architecture = ORDINARY_LLAMA, .positions = 8};
    for (int k = 0; k < LETTERS; k++) norm.number[k] = (double)(float)((k - 20) * 0.37 + 0.001 * k * k);
    begin(&norm, a);
    norm.m->output[WIDTH + RESULT] = 0;
    norm.m->output[WIDTH + NUMBER] = 1;
    norm.m->output[2 * WIDTH + PIN] = -128;
    norm.m->output[3 * WIDTH + PIN] = -80;
    finish(&norm, folder, about, a);

    /* The start sentinel's score is 4 sin of the angle of pair k, all others have 0; r = 8 times its share. */
    for (int k = 0; k < 3; k++) {
        static const char *const names[] = {"turn-0", "turn-1", "turn-3"};
        static const int pairs[] = {0, 1, 3};
        probe turn = {.name = names[k], .architecture = ORDINARY_LLAMA, .positions = 4096};
        begin(&turn, a);
        l = turn.m->layers;
        l->query[(pairs[k] + SIZE / 2) * WIDTH + PIN] = -16;
        l->key[pairs[k] * WIDTH + START] = 1;
        l->value[START] = 1;
        write_to(&turn, l->mix, HEADS * SIZE, RESULT, 8);
        finish(&turn, folder, about, a);
    }
    probe plain = {.name = "shares", .architecture = ORDINARY_GPT2, .positions = 256};
    shares(&plain, folder, about, a);
    probe turned = {.name = "shares-turned", .architecture = ORDINARY_LLAMA, .positions = 256};
    shares(&turned, folder, about, a);
    for (int k = 0; k < 2; k++) {
        probe rows = {
            .name = k ? "alike-f16" : "alike-f32", .architecture = ORDINARY_LLAMA, .positions = 8, .as_f16 = k};
        alike(&rows, folder, about, a);
    }
    fputs("\n}\n", about);
    if (fclose(about)) exit(1);
}

int main(int argc, char **argv) {
    temper_error err;
    if (argc != 2) return 2;
    mkdir(argv[1], 0777);
    if (entry_run(&err, all_probes, argv[1]) == TEMPER_OK) return 0;
    fprintf(stderr, "make_probes: %s\n", err.text);
    return 1;
}
