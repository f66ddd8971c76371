/* make test-interop: exports models and writes down what temper answers, for torch_check.py and onnx_check.js to
   compare with.

       make_cases FOLDER

   FOLDER/NNN/ is an exported folder with f32.onnx beside onnx/model.onnx (f64; both with all optional outputs). For
   group g of strings of one length, NNN/g.tokens holds int64 [batch, N], NNN/g.truth and g.accept bytes (of models
   with several outputs g.truth is [batch, N, outputs], and g.accept means nothing), NNN/g.z the outputs of all heads
   before rounding, f64 [batch, N, head, d_head] layer by layer, NNN/g.embed the channels before
   the first layer, f64 [batch, N, channel], and of short strings NNN/g.pattern the attention, f64 [batch, head, N, N]
   layer by layer. FOLDER/cases.json lists everything. temper's own answers are compared with the formula's on the
   way. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "corpus.h"
#include "test.h"
#include "proved.h"

enum { BATCH = 6, LENGTHS = 9, LONGEST = 300, FAR = 5000, SHORT = 40 };

typedef struct maker {
    const char *folder;
    FILE *list;
    size_t made;
    test_random random;
} maker;

static void give_up(const char *what, const temper_error *err) {
    fprintf(stderr, "make_cases: %s%s%s\n", what, err ? ": " : "", err ? err->text : "");
    exit(1);
}

/* ---- strings ---- */

/* Uniform, or of few letters, or in long runs. */
static void make_string(test_random *r, uint32_t *letters, size_t n, size_t alphabet) {
    uint64_t kind = random_below(r, 4);
    uint32_t a = (uint32_t)random_below(r, alphabet), b = (uint32_t)random_below(r, alphabet);
    for (size_t k = 0; k < n; k++) {
        if (kind == 0)
            letters[k] = (uint32_t)random_below(r, alphabet);
        else if (kind == 1)
            letters[k] = random_below(r, 2) ? a : b;
        else if (kind == 2)
            letters[k] = random_below(r, 20) ? a : (uint32_t)random_below(r, alphabet);
        else
            letters[k] = k && random_below(r, 8) ? letters[k - 1] : (uint32_t)random_below(r, alphabet);
    }
}

static size_t between(test_random *r, size_t least, size_t most) {
    return least + (size_t)random_below(r, most - least + 1);
}

static void choose_lengths(test_random *r, size_t lengths[LENGTHS], size_t most) {
    const size_t all[LENGTHS] = {1,
                                 2,
                                 3,
                                 between(r, 4, 12),
                                 between(r, 13, 40),
                                 between(r, 41, 100),
                                 between(r, 101, 200),
                                 between(r, 201, 299),
                                 LONGEST};
    for (size_t k = 0; k < LENGTHS; k++) lengths[k] = all[k] <= most ? all[k] : between(r, 1, most);
}

/* ---- one group of strings ---- */

static FILE *open_part(const char *folder, size_t group, const char *end) {
    char path[512];
    snprintf(path, sizeof path, "%s/%zu.%s", folder, group, end);
    FILE *f = fopen(path, "wb");
    if (!f) give_up(path, NULL);
    return f;
}

static void put_token(FILE *f, uint32_t token) {
    int64_t wide = token;
    fwrite(&wide, sizeof wide, 1, f);
}

/* The outputs of a layer, [N][head][d_head] of one string. */
static void put_layer(FILE *f, const temper_model *m, const temper_run *run, size_t layer, size_t d_head) {
    size_t heads = temper_model_layer(m, layer).heads, size = temper_run_about(run).size;
    for (size_t i = 0; i < size; i++)
        for (size_t h = 1; h <= heads; h++) {
            temper_head_info info;
            temper_model_head(&info, m, layer, h, NULL);
            const double *out = temper_run_row(run, layer, h, i).output;
            for (size_t d = 0; d < d_head; d++) {
                double x = d < info.value_size ? out[d] : 0;
                fwrite(&x, sizeof x, 1, f);
            }
        }
}

/* The attention of a layer, [head][N][N] of one string. */
static void put_pattern(FILE *f, const temper_model *m, const temper_run *run, size_t layer) {
    size_t size = temper_run_about(run).size;
    for (size_t h = 1; h <= temper_model_layer(m, layer).heads; h++)
        fwrite(temper_run_head(run, layer, h).weights, sizeof(double), size * size, f);
}

static size_t head_size(const temper_model *m, const temper_model_info *info) {
    size_t d_head = 0;
    for (size_t l = 1; l <= info->layers; l++)
        for (size_t h = 1; h <= temper_model_layer(m, l).heads; h++) {
            temper_head_info head;
            temper_model_head(&head, m, l, h, NULL);
            if (head.query_size > d_head) d_head = head.query_size;
            if (head.value_size > d_head) d_head = head.value_size;
        }
    return d_head;
}

/* How many lengths are proved in f32. Models softened for a length are compared in f64 only: their proof is about
   temper's own kernels, and leaves others little room in f32. */
static size_t f32_lengths(const temper_model *m) {
    temper_model_info info = temper_model_about(m);
    return info.output_margin > 0 ? 0 : proved_lengths(m, TEMPER_TYPE_F32, false);
}

/* An output of the specification and of the run. */
static void compare_output(const temper_spec *spec, const temper_run *run, size_t output, const uint32_t *letters,
                           size_t n) {
    temper_error err;
    unsigned char *truth = malloc(n + 1);
    const unsigned char *found = temper_run_output(run, output);
    int accept;
    if (temper_spec_eval(&accept, truth, spec, letters, n, &err)) give_up("eval", &err);
    size_t i = 0;
    while (i < n && truth[i] == found[i + 1]) i++;
    CHECK(i == n, "formula and model differ in output %zu at %zu of %zu", output, i + 1, n);
    free(truth);
}

/* The formula, and the run in f32 where that is proved, say the same. */
static void compare(const temper_model *m, const temper_spec *spec, const temper_run *run, const uint32_t *letters,
                    size_t n, size_t proved_f32) {
    temper_error err;
    size_t outputs = temper_model_about(m).outputs;
    for (size_t k = 0; spec && k < outputs; k++) compare_output(temper_spec_output(spec, k), run, k, letters, n);
    if (spec && temper_model_about(m).kind == TEMPER_KIND_ACCEPTOR) {
        int accept;
        if (temper_spec_eval(&accept, NULL, spec, letters, n, &err)) give_up("eval", &err);
        CHECK(accept == temper_run_about(run).accept, "formula and model differ in the verdict, n = %zu", n);
    }
    if (n < proved_f32) {
        temper_run *single;
        temper_run_options o = {.type = TEMPER_TYPE_F32};
        if (temper_model_run(&single, m, letters, n, &o, &err)) give_up("f32", &err);
        for (size_t k = 0; k < outputs; k++) {
            size_t i = 0, size = temper_run_about(run).size;
            while (i < size && temper_run_output(single, k)[i] == temper_run_output(run, k)[i]) i++;
            CHECK(i == size, "f64 and f32 differ in output %zu at %zu of %zu", k, i, n);
        }
        temper_run_free(single);
    }
}

static temper_run *run_string(const temper_model *m, const uint32_t *letters, size_t n, int unchecked, int capture) {
    temper_run *run;
    temper_error err;
    temper_run_options o = {.unchecked = unchecked, .capture = capture};
    if (temper_model_run(&run, m, letters, n, &o, &err)) give_up("run", &err);
    return run;
}

static void make_group(maker *k, const char *folder, size_t group, const temper_model *m, const temper_spec *spec,
                       size_t n, size_t batch, int unchecked, int capture) {
    temper_model_info info;
    temper_run *runs[BATCH];
    info = temper_model_about(m);
    size_t proved_f32 = f32_lengths(m), d_head = head_size(m, &info);
    uint32_t *letters = malloc((n + 1) * sizeof *letters);
    FILE *tokens = open_part(folder, group, "tokens"), *truth = open_part(folder, group, "truth"),
         *accept = open_part(folder, group, "accept");
    for (size_t b = 0; b < batch; b++) {
        make_string(&k->random, letters, n, info.letters);
        runs[b] = run_string(m, letters, n, unchecked, capture);
        compare(m, spec, runs[b], letters, n, proved_f32);
        put_token(tokens, (uint32_t)info.letters);
        for (size_t j = 0; j < n; j++) put_token(tokens, letters[j]);
        if (info.has_end) put_token(tokens, (uint32_t)info.letters + 1);
        for (size_t i = 0; i < temper_run_about(runs[b]).size; i++)
            for (size_t o = 0; o < info.outputs; o++) fputc(temper_run_output(runs[b], o)[i], truth);
        fputc(temper_run_about(runs[b]).accept, accept);
    }
    fclose(tokens);
    fclose(truth);
    fclose(accept);
    fprintf(k->list, "%s{\"n\": %zu, \"size\": %zu, \"batch\": %zu, \"f32\": %s, \"inside\": %s, \"short\": %s}",
            group ? ", " : "", n, temper_run_about(runs[0]).size, batch,
            n < proved_f32 || unchecked ? "true" : "false", capture ? "true" : "false",
            capture && n <= SHORT ? "true" : "false");
    if (capture) {
        FILE *z = open_part(folder, group, "z"), *embed = open_part(folder, group, "embed");
        for (size_t l = 1; l <= info.layers; l++)
            for (size_t b = 0; b < batch; b++) put_layer(z, m, runs[b], l, d_head);
        FILE *pattern = n <= SHORT ? open_part(folder, group, "pattern") : NULL;
        for (size_t l = 1; pattern && l <= info.layers; l++)
            for (size_t b = 0; b < batch; b++) put_pattern(pattern, m, runs[b], l);
        if (pattern) fclose(pattern);
        for (size_t b = 0; b < batch; b++)
            for (size_t i = 0; i < temper_run_about(runs[b]).size; i++)
                fwrite(temper_run_channels(runs[b], 0, i), sizeof(double), info.channels, embed);
        fclose(z);
        fclose(embed);
    }
    for (size_t b = 0; b < batch; b++) temper_run_free(runs[b]);
    free(letters);
}

/* ---- one model ---- */

typedef struct plan {
    const char *name, *kind; /* temperature, positions, hard, softened, by hand */
    const temper_model *model;
    const temper_spec *spec; /* NULL: none */
    size_t longest;          /* 0: one group of length FAR */
    int unchecked;
    int exact_embedding; /* no ln in the features: the same bits everywhere */
} plan;

static void put_json_text(FILE *f, const char *text) {
    fputc('"', f);
    for (; *text; text++) {
        if ((unsigned char)*text < 0x20 || *text == '"' || *text == '\\')
            fprintf(f, "\\u%04x", (unsigned char)*text);
        else
            fputc(*text, f);
    }
    fputc('"', f);
}

static void make_case(maker *k, const plan *p) {
    char folder[400], path[512];
    temper_error err;
    temper_model_info info;
    snprintf(folder, sizeof folder, "%s/%03zu", k->folder, k->made);
    temper_export_options o = {.unchecked = p->unchecked,
                               .outputs = p->longest ? TEMPER_EXPORT_HEADS | TEMPER_EXPORT_CHANNELS : 0};
    int patterns = p->longest > 0 && k->made % 4 == 0;
    if (patterns) o.outputs |= TEMPER_EXPORT_PATTERNS;
    if (temper_export(folder, p->model, &o, &err)) give_up(p->name, &err);
    info = temper_model_about(p->model);
    int f32 = p->unchecked || f32_lengths(p->model) > 0;
    o.type = TEMPER_TYPE_F32;
    snprintf(path, sizeof path, "%s/f32.onnx", folder);
    if (f32 && temper_export_onnx(path, p->model, &o, &err)) give_up(p->name, &err);
    fprintf(k->list, "%s{\"folder\": \"%03zu\", \"kind\": \"%s\", \"name\": ", k->made ? ",\n" : "", k->made,
            p->kind);
    put_json_text(k->list, p->name);
    fprintf(k->list,
            ", \"f32\": %s, \"patterns\": %s, \"exact_embedding\": %s, \"outputs\": %zu, \"channels\": %zu, "
            "\"d_head\": %zu, \"heads\": [",
            f32 ? "true" : "false", patterns ? "true" : "false", p->exact_embedding ? "true" : "false",
            info.kind == TEMPER_KIND_ACCEPTOR ? 0 : info.outputs, info.channels, head_size(p->model, &info));
    for (size_t l = 1; l <= info.layers; l++)
        fprintf(k->list, "%s%zu", l > 1 ? ", " : "", temper_model_layer(p->model, l).heads);
    fprintf(k->list, "], \"groups\": [");
    size_t lengths[LENGTHS], groups = p->longest ? LENGTHS : 1;
    choose_lengths(&k->random, lengths, p->longest ? p->longest : 1);
    for (size_t g = 0; g < groups; g++)
        make_group(k, folder, g, p->model, p->spec, p->longest ? lengths[g] : FAR, p->longest ? BATCH : 2,
                   p->unchecked, p->longest > 0);
    fprintf(k->list, "]}");
    k->made++;
}

/* Whether a feature of the model uses ln, which each runtime computes in its own way. */
static int has_logarithm(const temper_model *m) {
    temper_model_info info;
    temper_channel_info channel;
    info = temper_model_about(m);
    for (size_t c = 0; c < info.channels; c++)
        if (temper_model_channel(&channel, m, c, NULL) == TEMPER_OK && strstr(channel.position, "ln")) return 1;
    return 0;
}

/* The lengths of proofs and of the test, whichever is shorter; f32 has at least 50 strings of each model too. */
static size_t longest_of(const temper_model *m) {
    size_t most = LONGEST, f64 = proved_lengths(m, TEMPER_TYPE_F64, false), f32 = f32_lengths(m);
    if (f64 <= most) most = f64 ? f64 - 1 : 0;
    if (f32 > 0 && f32 <= most) most = f32 - 1;
    return most;
}

static void make_formula(maker *k, const char *name, temper_spec *spec, temper_method method, int far) {
    static const char *const kinds[] = {"hard", "temperature", "positions", "digits"};
    temper_model *hard, *soft = NULL;
    temper_error err;
    if (!spec) exit(1);
    temper_build_options o = {.digits = method == TEMPER_METHOD_DIGITS ? TEMPER_TYPE_BF16 : TEMPER_TYPE_F64};
    temper_status status = temper_build(&hard, spec, &o, &err);
    if (status == TEMPER_LIMIT || status == TEMPER_UNSUPPORTED) { /* some entries are there to be refused */
        temper_spec_free(spec);
        return;
    }
    if (status) give_up(name, &err);
    if (method != TEMPER_METHOD_HARD)
        status = temper_soften(&soft, NULL, hard, &(temper_soften_options){.method = method}, &err);
    if (status && method == TEMPER_METHOD_DIGITS) /* not every kind of head has digits */
        status = temper_soften(&soft, NULL, hard,
                               &(temper_soften_options){.method = method = TEMPER_METHOD_TEMPERATURE}, &err);
    if (status) give_up(name, &err);
    plan p = {.name = name, .kind = far ? "far" : kinds[method], .model = soft ? soft : hard, .spec = spec};
    p.longest = far ? 0 : longest_of(p.model);
    p.exact_embedding = !has_logarithm(p.model);
    make_case(k, &p);
    temper_model_free(soft);
    temper_model_free(hard);
    temper_spec_free(spec);
}

/* ---- all models ---- */

static void make_corpus(maker *k) {
    static const char *const whole[] = {"atom/", "past/", "future/"};
    for (size_t e = 0; e < corpus_size(); e++) {
        const corpus_entry *entry = corpus_at(e);
        int take = e % 4 == 0;
        for (size_t w = 0; w < 3; w++) take |= strncmp(entry->name, whole[w], strlen(whole[w])) == 0;
        if (!take) continue;
        temper_method method = k->made % 5 == 4 ? TEMPER_METHOD_DIGITS
                               : k->made % 2    ? TEMPER_METHOD_POSITIONS
                                                : TEMPER_METHOD_TEMPERATURE;
        make_formula(k, entry->name, corpus_parse(entry), method, 0);
    }
}

static temper_spec *parse(const char *text, const char *alphabet) {
    temper_spec_options o = {.alphabet = alphabet};
    temper_spec *spec;
    temper_error err;
    if (temper_spec_parse(&spec, text, strlen(text), &o, &err)) give_up(text, &err);
    return spec;
}

/* Every choice of hard heads: rightmost, leftmost, average. */
static void make_hard(maker *k) {
    static const char *const texts[] = {"a S b",        "a U b",    "H(b -> O a)",
                                        "Y a",          "X a",      "#[a] > #[b]",
                                        "#[a] % 3 = 1", "b @ #[a]", "at last\na @ #[true] + 2"};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        make_formula(k, texts[t], parse(texts[t], "abc"), TEMPER_METHOD_HARD, 0);
}

/* Several outputs: what transducers write, and what may come next. */
static void make_sequences(maker *k) {
    static const struct {
        const char *name, *text, *alphabet;
    } all[] = {
        {"addition", "transduce\nemit '1' = [bc] ^ Y([bc] S d)\nemit '0' otherwise\n", "abcd"},
        {"addition from the left", "transduce\nemit '1' = [bc] ^ X([bc] U d)\nemit '0' otherwise\n", "abcd"},
        {"running parity", "transduce\nemit odd = #[a] % 2 = 1\nemit even otherwise\n", "ab"},
        {"deletions", "transduce\nemit a = a & #[a] > #[b]\nemit nothing otherwise\n", "ab"},
        {"dates", "next\nregex a{1,3}b(a|b)*c?\n", "abc"},
        {"brackets", "next\nempty accept\nok = H(#[a] >= #[b])\nviable ok\nok & #[a] = #[b]\n", "ab"},
        {"flips", "next\nH(b -> O a) & c\n", "abc"},
    };
    for (size_t t = 0; t < sizeof all / sizeof *all; t++) {
        temper_spec *spec = parse(all[t].text, all[t].alphabet), *next;
        temper_error err;
        if (temper_spec_about(spec).kind == TEMPER_KIND_NEXT) { /* with its outputs, to compare with */
            if (temper_spec_next(&next, NULL, spec, &err)) give_up(all[t].name, &err);
            temper_spec_free(spec);
            spec = next;
        }
        make_formula(k, all[t].name, spec, t % 2 ? TEMPER_METHOD_POSITIONS : TEMPER_METHOD_TEMPERATURE, 0);
    }
}

static void make_far(maker *k) {
    static const char *const texts[] = {"H(b -> O a)", "a S b", "#[a] > #[b]"};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        make_formula(k, texts[t], parse(texts[t], "abc"), t % 2 ? TEMPER_METHOD_POSITIONS : TEMPER_METHOD_TEMPERATURE,
                     1);
}

/* Models of the gallery, softened for a length: plain and adaptive scales. */
static void make_softened(maker *k) {
    for (size_t g = 0; g < temper_gallery_count(); g++) {
        temper_gallery_info about;
        temper_model *hard, *soft;
        temper_error err;
        if (temper_gallery_about(&about, g, &err)) give_up("gallery", &err);
        if (temper_gallery_model(&hard, about.name, &err)) give_up(about.name, &err);
        for (int adaptive = 0; adaptive < 2; adaptive++) {
            temper_soften_options o = {.method = TEMPER_METHOD_TEMPERATURE, .length = 12, .adaptive = adaptive};
            if (temper_soften(&soft, NULL, hard, &o, &err)) continue; /* not every gap allows it */
            plan p = {.name = about.name, .kind = adaptive ? "adaptive" : "softened", .model = soft, .longest = 12};
            make_case(k, &p);
            temper_model_free(soft);
        }
        temper_model_free(hard);
    }
}

static const char *const exact_expressions[] = {"i/N",
                                                "(i + 1)/(n + 2)",
                                                "i % 3",
                                                "-i % 4",
                                                "(0.5 - i) % 2.5",
                                                "floor(i/3) - 1",
                                                "min(i, n - i)",
                                                "max(i*i, 7)",
                                                "[i = n]",
                                                "[i != 2]",
                                                "[i < n/2]",
                                                "[i <= N/2]*i",
                                                "-(2) + i",
                                                "0x1.999999999999ap-4*i",
                                                "i*0.1 + n*0.3",
                                                "1/(i + 1) - 1/3",
                                                "-i/7",
                                                "1e-3*N",
                                                "ceil2(i)",
                                                "ceil2(16*N)/256",
                                                "ceil2(0.3*i - 1)"};

/* A runtime has ln, cos and sin of its own, and PyTorch 2 a square root that is off by a unit. */
static const char *const other_expressions[] = {"ln(i + 1)", "cos(i)", "sin(3*i)/2", "cos(i/100)*sin(N)",
                                                "sqrt(i + 2)"};

/* Features of every operator of expressions, in channels that nothing reads. */
static void make_expressions(maker *k, const char *name, const char *const *expressions, size_t count, int exact) {
    char *text = NULL;
    size_t length;
    temper_model *m;
    temper_error err;
    FILE *f = open_memstream(&text, &length);
    fprintf(f, "temper-model 1\nmethod temperature\nalphabet \"a\" \"b\"\nend yes\n");
    fprintf(f, "channel 0 \"a\"\nchannel 1 \"mean\"\n");
    for (size_t c = 0; c < count; c++)
        fprintf(f, "channel %zu \"feature %zu\" %s \"%s\"\n", c + 2, c, c % 3 == 2 ? "soft" : "position",
                expressions[c]);
    fprintf(f, "embed \"a\" 0:1 2:0.1\nembed \"b\"\nembed start\nembed end 3:1\n");
    fprintf(f, "layer 1\nhead \"before\" mask j<i choice softmax\n value 0:1\n output 1:1\n");
    fprintf(f, "head \"after\" mask j>i choice softmax\n value 0:1\n output 1:2\n");
    /* At n = 1 the scale is 0, and 0 times the -inf of a mask would be no number. */
    fprintf(f, "head \"scale of zero\" mask j<i choice softmax scale \"n - 1\"\n query 0:1\n key 2:1\n value 2:1\n "
               "output 1:1\n");
    fprintf(f, "read 0:1\n");
    fclose(f);
    if (temper_model_read(&m, text, length, &err)) give_up(text, &err);
    plan p = {.name = name, .kind = "by hand", .model = m, .longest = 60, .unchecked = 1, .exact_embedding = exact};
    make_case(k, &p);
    temper_model_free(m);
    free(text);
}

int main(int argc, char **argv) {
    if (argc != 2) give_up("usage: make_cases FOLDER", NULL);
    maker k = {.folder = argv[1], .random = test_seed(20)};
    char path[512];
    mkdir(argv[1], 0777);
    snprintf(path, sizeof path, "%s/cases.json", argv[1]);
    if (!(k.list = fopen(path, "w"))) give_up(path, NULL);
    fprintf(k.list, "[");
    make_corpus(&k);
    make_hard(&k);
    make_softened(&k);
    make_sequences(&k);
    make_expressions(&k, "expressions", exact_expressions, sizeof exact_expressions / sizeof *exact_expressions, 1);
    make_expressions(&k, "waves", other_expressions, sizeof other_expressions / sizeof *other_expressions, 0);
    make_far(&k);
    fprintf(k.list, "]\n");
    fclose(k.list);
    return test_finish("make-cases");
}
