#include "audit_bench.h"

#include <stdio.h>
#include <string.h>

static const char BEGIN[] = "temper-model 1\nmethod temperature\nsyntax spec\nsource \"a\"\nalphabet \"a\" \"b\"\n"
                            "tokens no\nat last\nempty reject\nend yes\n";
static const char EMBEDDING[] = "embed \"a\" 0:1 3:1\nembed \"b\" 2:1 3:1\nembed start 4:1\nembed end 5:1\nlayer 1\n";

static void write_model(text *t, const char *layer, const char *const *features) {
    text_puts(t, BEGIN);
    for (int k = 0; k < BENCH_FEATURES; k++) {
        const char *position = k == BENCH_ONE       ? " position \"1\""
                               : k == BENCH_INVERSE ? " position \"1/(i + 1)\""
                                                    : "";
        text_printf(t, "channel %d \"c%d\"%s\n", k, k, position);
    }
    for (int k = 0; features && features[k]; k++)
        text_printf(t, "channel %d \"c%d\" position \"%s\"\n", BENCH_FEATURES + k, BENCH_FEATURES + k, features[k]);
    text_puts(t, EMBEDDING);
    text_puts(t, layer);
    if (!strstr(layer, "\nread ")) text_puts(t, "read 0:1\n");
}

static void fill(audit_bench *b) {
    audit *a = &b->a;
    const uint32_t letter[] = {0, 1};
    contents_begin(a);
    dd some = meaning_exists(&a->meaning, TEMPER_MASK_UP_TO, meaning_letters(&a->meaning, &letter[0], 1));
    dd more = meaning_exists(&a->meaning, TEMPER_MASK_FROM, meaning_letters(&a->meaning, &letter[1], 1));
    a->channels[BENCH_RAW] = (content){.kind = HOLDS_RAW, .letters = some, .head = 0, .not_negative = true};
    a->channels[BENCH_RAW_TOO] = (content){.kind = HOLDS_RAW, .letters = more, .head = 1, .not_negative = true};
    a->channels[BENCH_MEAN] = (content){.kind = HOLDS_MEAN,
                                        .letters = a->channels[BENCH_A].letters,
                                        .mask = TEMPER_MASK_ALL,
                                        .weight = 1,
                                        .not_negative = true};
    a->channels[BENCH_PAST].letters = some;
    a->channels[BENCH_FUTURE].letters = more;
}

bool bench_begin(audit_bench *b, const char *layer, const char *const *features, temper_type type, uint64_t n) {
    text t;
    *b = (audit_bench){.model = NULL};
    arena_init(&b->memory, &b->trap);
    arena_init(&b->scratch, &b->trap);
    if (trap_set(&b->trap, NULL)) return CHECK(false, "%s: %s", layer, b->trap.error.text);
    text_init(&t, &b->memory);
    write_model(&t, layer, features);
    temper_error read = {0};
    if (!CHECK(temper_model_read(&b->model, text_string(&t), t.length, &read) == TEMPER_OK, "%s: %s", layer,
               read.text))
        return false;
    b->a = (audit){.trap = &b->trap,
                   .arena = &b->memory,
                   .scratch = &b->scratch,
                   .model = b->model,
                   .length = n,
                   .positions = (double)n + 2};
    audit_type_begin(&b->a, type);
    calc_init(&b->a.calculus, &b->memory);
    audit_sheet_read(&b->a.sheet, &b->a.calculus);
    meaning_init(&b->a.meaning, 2, &b->memory, &b->scratch);
    b->a.heads = arena_zalloc(&b->memory, b->model->layers[0].head_count + 2u, sizeof *b->a.heads);
    b->a.layers = arena_zalloc(&b->memory, 1, sizeof *b->a.layers);
    fill(b);
    return true;
}

void bench_free(audit_bench *b) {
    temper_model_free(b->model);
    arena_free(&b->scratch);
    arena_free(&b->memory);
}

const char *bench_try(audit_bench *b, void (*pass)(audit *a)) {
    trap outer = b->trap;
    temper_error e = {0};
    const char *why = NULL;
    if (trap_set(&b->trap, &e)) {
        snprintf(b->why, sizeof b->why, "%s", e.text);
        why = b->why;
    } else {
        pass(&b->a);
    }
    b->trap = outer;
    return why;
}

static void heads(audit *a) { audit_heads(a, 0); }
static void units(audit *a) { audit_units(a, 0); }

const char *bench_heads(audit_bench *b) { return bench_try(b, heads); }
const char *bench_units(audit_bench *b) { return bench_try(b, units); }
