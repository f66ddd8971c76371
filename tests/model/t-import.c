/* temper_model_import against a forward pass that shares nothing with temper (plain_net.c): random small transformers
   are written as plain safetensors, with the names of TransformerLens and of GPT-2 and in all number types, and the
   imported models must have the same channels and answers on all strings up to length 5. So must random models of
   temper, written with those names. tests/bad has the refusals. */
#define _GNU_SOURCE
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "model/model.h"
#include "plain_net.h"
#include "random_model.h"

static char folder[TEST_FOLDER], weights_path[80], config_path[80];

static temper_model *import_net(net *n, import_config *c, trap *t) {
    plain_file *f = calloc(1, sizeof *f);
    temper_model *m;
    temper_error e;
    f->r = n->r;
    arena_init(&f->memory, t);
    plain_put_net(f, n);
    plain_write(f, weights_path);
    arena_free(&f->memory);
    free(f);
    config_describe(c, n);
    config_write(c, config_path);
    temper_status status = temper_model_import(&m, weights_path, config_path, &e);
    CHECK(status == TEMPER_OK, "%s\n%s", e.text, c->bytes);
    return m;
}

/* ---- comparing ---- */

static bool next_string(uint32_t *letters, size_t n) {
    for (size_t i = n; i-- > 0;) {
        if (++letters[i] < 2) return true;
        letters[i] = 0;
    }
    return false;
}

static bool is_near(double x, double y) { return fabs(x - y) <= 1e-9 * (1 + fabs(x) + fabs(y)); }

static void compare_run(const net *n, const import_config *c, const temper_model *m, const uint32_t *letters,
                        size_t length, const temper_run_options *o) {
    net_stream x;
    temper_run *run;
    temper_error e;
    size_t size = length + 1 + n->has_end;
    temper_status status = temper_model_run(&run, m, letters, length, o, &e);
    if (n->contexts && size > n->contexts) {
        CHECK(status == TEMPER_RANGE || status == TEMPER_UNSUPPORTED, "beyond the table: %d %s\n%s", status, e.text,
              c->bytes);
        CHECK(n->soft || o->unchecked || strstr(e.text, "positions end at"), "%s", e.text);
        temper_run_free(run);
        return;
    }
    if (!CHECK(status == TEMPER_OK || !n->exact, "length %zu: %s\n%s", length, e.text, c->bytes)) return;
    if (status != TEMPER_OK) return; /* a tie or an answer within rounding, which is said */
    net_run(n, letters, length, x);
    for (size_t i = 0; i < size; i++) {
        double above = net_margin(n, x[i]);
        if (n->exact || fabs(above) > 1e-9)
            CHECK(temper_run_about(run).truth[i] == (above > 0), "length %zu position %zu: %g\n%s", length, i, above,
                  c->bytes);
        if (!o->capture) continue;
        const double *y = temper_run_channels(run, n->layers, i);
        for (size_t k = 0; k < n->width; k++)
            CHECK(n->exact ? x[i][k] == y[k] : is_near(x[i][k], y[k]),
                  "length %zu position %zu channel %zu: %g, %g\n%s", length, i, k, x[i][k], y[k], c->bytes);
    }
    size_t place = length == 0 ? 0 : n->at_first ? 1 : length;
    CHECK(temper_run_about(run).accept == temper_run_about(run).truth[place], "the answer is read elsewhere\n%s",
          c->bytes);
    temper_run_free(run);
}

static void check_saved(const temper_model *m, const char *name) {
    char path[80], *first, *second;
    size_t a, b;
    temper_model *back;
    temper_error e;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!CHECK(temper_model_save(path, m, &e) == TEMPER_OK, "%s", e.text)) return;
    if (!CHECK(temper_model_load(&back, path, &e) == TEMPER_OK, "%s", e.text)) return;
    CHECK(temper_model_print(&first, &a, m, &e) == TEMPER_OK, "%s", e.text);
    CHECK(temper_model_print(&second, &b, back, &e) == TEMPER_OK, "%s", e.text);
    CHECK(a == b && !memcmp(first, second, a), "saved and loaded:\n%s\n%s", first, second);
    temper_free(first);
    temper_free(second);
    temper_model_free(back);
    unlink(path);
}

static void test_nets(trap *t) {
    test_random r = test_seed(41);
    import_config *c = malloc(sizeof *c);
    size_t rounds = (size_t)(400 * test_effort());
    for (size_t k = 0; k < rounds; k++) {
        net n;
        net_random(&n, &r);
        temper_model *m = import_net(&n, c, t);
        if (m && k % 16 == 0) check_saved(m, k % 32 ? "m.temper" : "m.safetensors");
        for (size_t length = 0; m && length <= NET_LONGEST; length++) {
            uint32_t letters[NET_LONGEST] = {0};
            do {
                temper_run_options seen = {.unchecked = 1, .capture = 1}, proved = {0};
                compare_run(&n, c, m, letters, length, &seen);
                bool has_soft_heads = n.soft && (n.layer[0].heads || n.layer[1].heads || n.layer[2].heads);
                if (!has_soft_heads) compare_run(&n, c, m, letters, length, &proved);
            } while (next_string(letters, length));
        }
        temper_model_free(m);
        net_free(&n);
    }
    free(c);
}

/* ---- models of temper, written with other names ---- */

static matrix scatter(plain_file *f, const model_rows *rows, size_t blocks, size_t pad, size_t width, bool transposed,
                      unsigned rank) {
    matrix m = {.rank = rank};
    size_t shape[3] = {blocks, transposed ? width : pad, transposed ? pad : width};
    memcpy(m.shape, shape + (rank == 2), rank * sizeof *m.shape);
    m.data = arena_zalloc(&f->memory, blocks * pad * width, sizeof(double));
    for (size_t b = 0; b < blocks; b++)
        for (size_t r = 0; r < rows[b].count; r++)
            for (uint32_t k = rows[b].start[r]; k < rows[b].start[r + 1]; k++) {
                model_term t = rows[b].terms[k];
                m.data[b * pad * width + (transposed ? t.channel * pad + r : r * width + t.channel)] = t.weight;
            }
    return m;
}

static void put_model_layer(plain_file *f, import_config *c, const model_layer *l, size_t layer, size_t width) {
    model_rows q[4], k[4], v[4], o[4];
    size_t pad = 1;
    config_say(c, "%s[", layer ? ", " : "");
    for (size_t h = 0; h < l->head_count; h++) {
        const model_head *head = &l->heads[h];
        q[h] = head->query, k[h] = head->key, v[h] = head->value, o[h] = head->output;
        if (q[h].count > pad) pad = q[h].count;
        if (v[h].count > pad) pad = v[h].count;
        config_say(c, "%s{\"label\": \"h\", \"mask\": \"%s\", \"choice\": \"%s\"}", h ? ", " : "",
                   temper_mask_name(head->mask), temper_choice_name(head->choice));
    }
    config_say(c, "]");
    matrix all[] = {
        scatter(f, q, l->head_count, pad, width, true, 3), scatter(f, k, l->head_count, pad, width, true, 3),
        scatter(f, v, l->head_count, pad, width, true, 3), scatter(f, o, l->head_count, pad, width, false, 3)};
    static const char *const names[] = {"W_Q", "W_K", "W_V", "W_O"};
    for (int m = 0; m < 4; m++) plain_put(f, &all[m], "blocks.%zu.attn.%s", layer, names[m]);
    if (!l->in.count) return;
    matrix in = scatter(f, &l->in, 1, l->in.count, width, true, 2),
           out = scatter(f, &l->out, 1, l->in.count, width, false, 2);
    matrix bias = {.rank = 1, .shape = {l->in.count}, .data = l->bias};
    plain_put(f, &in, "blocks.%zu.mlp.W_in", layer);
    plain_put(f, &bias, "blocks.%zu.mlp.b_in", layer);
    plain_put(f, &out, "blocks.%zu.mlp.W_out", layer);
}

/* Weights to tensors, the rest to settings. Weights are small multiples of 1/4, and so in every number type. */
static temper_model *export_model(const temper_model *m, import_config *c, test_random *r, trap *t) {
    plain_file *f = calloc(1, sizeof *f);
    temper_model *out;
    temper_error e;
    f->r = r;
    arena_init(&f->memory, t);
    c->length = 0;
    config_say(
        c, "{\"alphabet\": [\"a\", \"b\"], \"normalization\": \"none\", \"activation\": \"relu\", \"start\": 2, ");
    config_say(c, "\"answer\": {\"column\": 0, \"threshold\": 0.5}, \"at\": \"%s\", ",
               m->at == TEMPER_AT_FIRST ? "first" : "last");
    if (m->has_end) config_say(c, "\"end\": 3, ");
    config_say(c, "\"positions\": {");
    for (uint32_t k = 0, some = 0; k < m->channel_count; k++)
        if (m->channels[k].position)
            config_say(c, "%s\"%u\": \"%s\"", some++ ? ", " : "", k, m->channels[k].position_text);
    config_say(c, "}, \"heads\": [");
    matrix embed = scatter(f, &m->embedding, 1, 4, m->channel_count, false, 2);
    matrix unembed = scatter(f, &m->read, 1, 1, m->channel_count, true, 2);
    plain_put(f, &embed, "embed.W_E");
    plain_put(f, &unembed, "unembed.W_U");
    for (uint32_t k = 0; k < m->layer_count; k++) put_model_layer(f, c, &m->layers[k], k, m->channel_count);
    config_say(c, "]}");
    plain_write(f, weights_path);
    config_write(c, config_path);
    arena_free(&f->memory);
    free(f);
    CHECK(temper_model_import(&out, weights_path, config_path, &e) == TEMPER_OK, "%s\n%s", e.text, c->bytes);
    return out;
}

static void test_models(trap *t) {
    test_random r = test_seed(42);
    import_config *c = malloc(sizeof *c);
    char *source = malloc(RANDOM_MODEL_TEXT);
    size_t rounds = (size_t)(60 * test_effort());
    for (size_t k = 0; k < rounds; k++) {
        random_model_options o = {.average = k % 2, .fractions = k % 3 == 0};
        temper_model *m = random_model(source, &r, &o), *again = m ? export_model(m, c, &r, t) : NULL;
        for (size_t length = 0; again && length <= NET_LONGEST; length++) {
            uint32_t letters[NET_LONGEST] = {0};
            temper_run_options exact = {.type = TEMPER_TYPE_EXACT};
            do {
                temper_run *x = NULL, *y = NULL;
                temper_error e, g;
                temper_status a = temper_model_run(&x, m, letters, length, &exact, &e);
                temper_status b = temper_model_run(&y, again, letters, length, &exact, &g);
                CHECK(a == TEMPER_OK && b == TEMPER_OK, "%s, %s\n%s", e.text, g.text, source);
                for (size_t i = 0; x && y && i < temper_run_about(x).size; i++)
                    CHECK(temper_run_about(x).truth[i] == temper_run_about(y).truth[i],
                          "length %zu position %zu\n%s%s", length, i, source, c->bytes);
                temper_run_free(x);
                temper_run_free(y);
            } while (next_string(letters, length));
        }
        temper_model_free(again);
        temper_model_free(m);
    }
    free(source);
    free(c);
}

/* ---- sums that are no doubles ---- */

/* b_U of 2^-60 and a threshold of 1/4: the shift 2^-60 + 1/4 is no double, and only exact runs see it. */
static void test_shift(trap *t) {
    double embed[] = {0.25, 0.25, 0.25}, unembed[] = {1}, bias[] = {0x1p-60};
    test_random r = test_seed(44);
    plain_file *f = calloc(1, sizeof *f);
    f->r = &r;
    arena_init(&f->memory, t);
    plain_put(f, &(matrix){.rank = 2, .shape = {3, 1}, .data = embed}, "embed.W_E");
    plain_put(f, &(matrix){.rank = 2, .shape = {1, 1}, .data = unembed}, "unembed.W_U");
    plain_put(f, &(matrix){.rank = 1, .shape = {1}, .data = bias}, "unembed.b_U");
    for (size_t k = 0; k < 3; k++) f->plans[k].type = TENSOR_F64;
    for (int sign = -1; sign <= 1; sign++) {
        import_config c = {.length = 0};
        temper_model *m = NULL;
        temper_run *run = NULL;
        temper_run_options o = {.type = TEMPER_TYPE_EXACT};
        temper_error e;
        bias[0] = sign * 0x1p-60;
        plain_write(f, weights_path);
        config_say(&c, "{\"alphabet\": [\"a\"], \"start\": 2, \"normalization\": null, ");
        config_say(&c, "\"answer\": {\"column\": 0, \"threshold\": 0.25}}");
        config_write(&c, config_path);
        CHECK(temper_model_import(&m, weights_path, config_path, &e) == TEMPER_OK, "%s", e.text);
        CHECK(m && temper_model_run(&run, m, (uint32_t[]){0}, 1, &o, &e) == TEMPER_OK, "%s", e.text);
        CHECK(run && temper_run_about(run).accept == (sign > 0), "a bias of %d*2^-60", sign);
        temper_run_free(run);
        temper_model_free(m);
    }
    arena_free(&f->memory);
    free(f);
}

/* ---- damage ---- */

static void write_bytes(const char *path, const char *bytes, size_t length) {
    FILE *out = fopen(path, "wb");
    fwrite(bytes, 1, length, out);
    fclose(out);
}

/* One of the two files damaged: cut off, then with single bits flipped. */
static void check_damaged(const char *path, int which, test_random *r) {
    const char *weights = which ? weights_path : path, *config = which ? path : config_path;
    char *bytes;
    size_t length, flips = (size_t)(600 * test_effort());
    temper_model *m;
    CHECK(temper_file_read(&bytes, &length, which ? config_path : weights_path, NULL) == TEMPER_OK, "cannot read");
    for (size_t cut = 0; cut + 2 < length; cut += 1 + length / 300) {
        write_bytes(path, bytes, cut);
        temper_status status = temper_model_import(&m, weights, config, NULL);
        CHECK(status == TEMPER_FORMAT && !m, "%zu of %zu bytes: %d", cut, length, status);
    }
    for (size_t k = 0; k < flips; k++) {
        size_t bit = random_below(r, 8 * length);
        bytes[bit / 8] ^= (char)(1 << bit % 8);
        write_bytes(path, bytes, length);
        temper_status status = temper_model_import(&m, weights, config, NULL);
        CHECK((status == TEMPER_OK) == (m != NULL), "bit %zu: %d", bit, status);
        temper_model_free(m);
        bytes[bit / 8] ^= (char)(1 << bit % 8);
    }
    temper_free(bytes);
}

static void test_damage(trap *t) {
    test_random r = test_seed(43);
    import_config *c = malloc(sizeof *c);
    char path[80];
    snprintf(path, sizeof path, "%s/damaged", folder);
    for (int k = 0; k < 4; k++) {
        net n;
        net_random(&n, &r);
        temper_model *m = import_net(&n, c, t);
        temper_model_free(m);
        for (int which = 0; m && which < 2; which++) check_damaged(path, which, &r);
        temper_status status = TEMPER_NO_MEMORY;
        for (unsigned long fail = 1; status == TEMPER_NO_MEMORY; fail++) {
            temper_error e;
            arena_fail_after(fail);
            status = temper_model_import(&m, weights_path, config_path, &e);
            arena_fail_after(0);
            temper_model_free(m);
            CHECK(status == TEMPER_OK || status == TEMPER_NO_MEMORY, "allocation %lu: %s", fail, e.text);
        }
        net_free(&n);
    }
    unlink(path);
    free(c);
}

int main(void) {
    trap t;
    if (!test_folder(folder)) return test_finish("import");
    snprintf(weights_path, sizeof weights_path, "%s/w.safetensors", folder);
    snprintf(config_path, sizeof config_path, "%s/c.json", folder);
    if (trap_set(&t, NULL)) abort();
    test_nets(&t);
    test_models(&t);
    test_shift(&t);
    test_damage(&t);
    unlink(weights_path);
    unlink(config_path);
    CHECK(rmdir(folder) == 0, "temporary files are left in %s", folder);
    return test_finish("import");
}
