/* What temper computes and writes for fixed inputs, as digests, one a line: on every machine, by every compiler and
   with every option the same. tests/platforms/table has them; make test-platforms compares.

   A line is the case, what was looked at, and the first 16 digits of SHA-256. Numbers go in as the 8 bytes of their
   IEEE doubles, the least significant first, so that the order of bytes in memory does not matter. */
#define _GNU_SOURCE
#include <dirent.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sha256.h"
#include "temper.h"
#include "ordinary_calls.h"

enum { SHOWN = 16, STRINGS = 8, LONGEST = 40, MOST_FILES = 64 };

static temper_error err;

static void must(temper_status status, const char *what) {
    if (status == TEMPER_OK) return;
    fprintf(stderr, "digests: %s: %s\n", what, err.text);
    exit(1);
}

static void say(const char *name, const char *part, sha256 *h) {
    unsigned char digest[SHA256_SIZE];
    char hex[SHA256_HEX + 1];
    sha256_finish(digest, h);
    sha256_hex(hex, digest);
    printf("%s\t%s\t%.*s\n", name, part, SHOWN, hex);
}

static void say_text(const char *name, const char *part, const char *text, size_t length) {
    sha256 h;
    sha256_start(&h);
    sha256_add(&h, text, length);
    say(name, part, &h);
}

static void add_number(sha256 *h, double x) {
    uint64_t bits;
    unsigned char bytes[8];
    memcpy(&bits, &x, sizeof bits);
    for (size_t k = 0; k < sizeof bytes; k++) bytes[k] = (unsigned char)(bits >> 8 * k);
    sha256_add(h, bytes, sizeof bytes);
}

static void add_numbers(sha256 *h, const double *x, size_t count) {
    for (size_t k = 0; x && k < count; k++) add_number(h, x[k]);
}

/* ---- strings: a generator of their own, so that the table does not hang on the library's ---- */

static size_t draw(uint32_t *letters, size_t which, size_t alphabet) {
    uint64_t state = which * UINT64_C(0x9e3779b97f4a7c15) + 1;
    size_t n = which * LONGEST / (STRINGS - 1);
    for (size_t i = 0; i < n; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        letters[i] = (uint32_t)((state >> 33) % alphabet);
    }
    return n;
}

/* ---- one model ---- */

static void add_run(sha256 *answers, sha256 *numbers, sha256 *margins, const temper_model *m, const temper_run *run) {
    temper_model_info about = temper_model_about(m);
    temper_run_info is = temper_run_about(run);
    unsigned char verdict[3] = {(unsigned char)is.accept, (unsigned char)is.proved, (unsigned char)is.claim};
    sha256_add(answers, verdict, sizeof verdict);
    for (size_t k = 0; k < about.outputs; k++) sha256_add(answers, temper_run_output(run, k), is.size);
    for (size_t k = 0; k < about.outputs; k++) add_numbers(numbers, temper_run_logits(run, k), is.size);
    for (size_t l = 1; l <= about.layers; l++) {
        for (size_t h = 1; h <= temper_model_layer(m, l).heads; h++) {
            temper_run_head_info head = temper_run_head(run, l, h);
            add_number(margins, head.error);
            add_numbers(numbers, head.weights, is.size * is.size);
            add_numbers(numbers, head.scores, is.size * is.size);
            add_numbers(numbers, head.logits, is.size * is.size);
        }
        for (size_t i = 0; i < is.size; i++) add_numbers(numbers, temper_run_channels(run, l, i), about.channels);
    }
}

static void look_at_runs(const char *name, const temper_model *m, temper_type type, int hard) {
    sha256 answers, numbers, margins, dense_numbers;
    sha256_start(&answers);
    sha256_start(&numbers);
    sha256_start(&margins);
    sha256_start(&dense_numbers);
    for (size_t k = 0; k < STRINGS; k++) {
        uint32_t letters[LONGEST];
        size_t n = draw(letters, k, temper_model_about(m).letters);
        for (int how = 0; how < 3; how++) { /* as it is planned, with all numbers kept, all pairs */
            temper_run *run;
            temper_run_options o = {
                .hard = hard, .unchecked = 1, .type = type, .threads = 1, .dense = how == 2, .capture = how > 0};
            temper_status status = temper_model_run(&run, m, letters, n, &o, &err);
            sha256 *all = &dense_numbers; /* which WebAssembly cannot ask for */
            if (status != TEMPER_OK)      /* a format that overflows says where */
                sha256_add(how < 2 ? &answers : all, err.text, strlen(err.text));
            else if (how < 2)
                add_run(&answers, &numbers, &margins, m, run);
            else
                add_run(all, all, all, m, run);
            temper_run_free(run);
        }
    }
    say(name, "answers", &answers);
    say(name, "numbers", &numbers);
    say(name, "margins", &margins);
    say(name, "all-pairs", &dense_numbers);
}

static void look_at_certificate(const char *name, const temper_model *m, temper_type type, size_t length) {
    temper_certificate *c;
    char *text, *model;
    size_t size, model_size;
    temper_certify_options o = {.length = length, .type = type};
    must(temper_certify(&c, m, NULL, 0, &o, &err), name);
    if (temper_certificate_about(c).verdict == TEMPER_PROVED) {
        must(temper_certificate_print(&text, &size, c, &err), name);
        must(temper_model_print(&model, &model_size, m, &err), name);
        must(temper_audit(text, size, model, model_size, NULL, &err), name);
        say_text(name, "certificate", text, size);
        temper_free(text);
        temper_free(model);
    } else {
        temper_certificate_info about = temper_certificate_about(c);
        say_text(name, "no-proof", about.reason, strlen(about.reason));
    }
    temper_certificate_free(c);
}

static void look_at_proof(const char *name, const temper_model *m, temper_type type) {
    temper_proof p;
    char text[400];
    must(temper_model_proof(&p, m, type, 0, &err), name);
    int length =
        snprintf(text, sizeof text, "%d %llu %.300s", (int)p.claim, (unsigned long long)p.length, p.obstacle);
    say_text(name, "proved", text, (size_t)length);
}

static void look_at_model(const char *name, const temper_model *m) {
    char *text;
    size_t size;
    must(temper_model_print(&text, &size, m, &err), name);
    say_text(name, "model", text, size);
    temper_free(text);
}

/* ---- files ---- */

static char folder[200];

static const char *path_of(const char *file) {
    static char path[500];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    return path;
}

static int by_name(const void *x, const void *y) { return strcmp(*(char *const *)x, *(char *const *)y); }

/* Texts that are the same on any machine, since nothing is computed for them. */
static int is_prose(const char *file) {
    const char *end = strrchr(file, '.');
    return end && (!strcmp(end, ".py") || !strcmp(end, ".md"));
}

/* Every file of the folder and the folders in it, by name, each with a line; they are removed. */
static void look_at_files(const char *name, const char *below) {
    char *files[MOST_FILES], path[300];
    size_t count = 0, size;
    DIR *d = opendir(path_of(below));
    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.' && count < MOST_FILES) files[count++] = strdup(e->d_name);
    if (d) closedir(d);
    qsort(files, count, sizeof *files, by_name);
    for (size_t k = 0; k < count; k++) {
        char *bytes;
        snprintf(path, sizeof path, "%s%s%.200s", below, *below ? "/" : "", files[k]);
        free(files[k]);
        if (temper_file_read(&bytes, &size, path_of(path), &err) != TEMPER_OK) { /* a folder */
            look_at_files(name, path);
            rmdir(path_of(path));
            continue;
        }
        if (!is_prose(path)) say_text(name, path, bytes, size);
        temper_free(bytes);
        unlink(path_of(path));
    }
}

/* ---- cases ---- */

static temper_spec *parse(const char *source, temper_syntax syntax, const char *alphabet, temper_kind kind) {
    temper_spec *spec;
    temper_spec_options o = {.syntax = syntax, .alphabet = alphabet, .kind = kind, .at = TEMPER_AT_LAST};
    must(temper_spec_parse(&spec, source, strlen(source), &o, &err), source);
    return spec;
}

static temper_model *build(const temper_spec *spec, temper_method method, temper_type digits) {
    temper_model *m;
    temper_build_options o = {.method = method, .digits = digits};
    must(temper_build(&m, spec, &o, &err), "build");
    return m;
}

typedef struct formula_case {
    const char *name, *source;
    temper_syntax syntax;
} formula_case;

static void look_at_formulas(void) {
    static const formula_case formulas[] = {
        {"since", "a S b", TEMPER_SYNTAX_SPEC},
        {"mixed", "H(b -> O a) & (a U c | Y b)", TEMPER_SYNTAX_SPEC},
        {"counts", "2*#[a] - 3*#[b] + 1 >= #[c] | #>[a] = #[b]", TEMPER_SYNTAX_SPEC},
        {"parity", "#[a] % 3 = 1", TEMPER_SYNTAX_SPEC},
        {"place", "a @ #[b]", TEMPER_SYNTAX_SPEC},
        {"words", "(ab|c)*a{0,2}", TEMPER_SYNTAX_REGEX},
        {"program", "A = # \"a\"\nB = # \"b\"\nV = A < B\nC = # V\nC == 0 && A == B", TEMPER_SYNTAX_CRASP},
    };
    static const temper_type types[] = {TEMPER_TYPE_F64, TEMPER_TYPE_F32, TEMPER_TYPE_BF16_F32, TEMPER_TYPE_F16,
                                        TEMPER_TYPE_E4M3_F32};
    char name[80];
    for (size_t k = 0; k < sizeof formulas / sizeof *formulas; k++) {
        const formula_case *f = &formulas[k];
        temper_spec *spec = parse(f->source, f->syntax, "abc", TEMPER_KIND_ACCEPTOR);
        for (temper_method method = TEMPER_METHOD_HARD; method <= TEMPER_METHOD_DIGITS; method++) {
            temper_model *m = build(spec, method, TEMPER_TYPE_F64);
            size_t type_count = k == 0 ? sizeof types / sizeof *types : method == TEMPER_METHOD_HARD ? 1 : 2;
            snprintf(name, sizeof name, "%s/%s", f->name, temper_method_name(method));
            look_at_model(name, m);
            for (size_t t = 0; t < type_count; t++) {
                snprintf(name, sizeof name, "%s/%s/%s", f->name, temper_method_name(method),
                         temper_type_name(types[t]));
                look_at_runs(name, m, types[t], method == TEMPER_METHOD_HARD);
                if (method == TEMPER_METHOD_HARD) break;
                look_at_proof(name, m, types[t]);
                look_at_certificate(name, m, types[t], 60);
            }
            temper_model_free(m);
        }
        temper_spec_free(spec);
    }
}

static void look_at_language_model(void) {
    temper_spec *spec = parse("probabilities uniform\n/(ab)*c/", TEMPER_SYNTAX_SPEC, "abc", TEMPER_KIND_NEXT);
    temper_model *m = build(spec, TEMPER_METHOD_TEMPERATURE, TEMPER_TYPE_F64);
    temper_sampler *sampler;
    temper_sample_options o = {.by = TEMPER_SAMPLING_WEIGHTS, .length = 60, .seed = 7, .run = {.threads = 1}};
    sha256 h;
    look_at_model("language", m);
    look_at_runs("language/f64", m, TEMPER_TYPE_F64, 0);
    look_at_certificate("language/f64", m, TEMPER_TYPE_F64, 60);
    must(temper_sampler_open(&sampler, m, &o, &err), "sampler");
    sha256_start(&h);
    for (size_t k = 0; k < 20; k++) {
        uint32_t *letters;
        size_t n;
        temper_likelihood l;
        must(temper_sampler_draw(&letters, &n, NULL, sampler, &err), "sample");
        must(temper_model_likelihood(&l, m, letters, n, &o.run, &err), "likelihood");
        for (size_t i = 0; i < n; i++) add_number(&h, letters[i]);
        add_number(&h, l.log_probability);
        add_number(&h, l.error);
        temper_free(letters);
    }
    say("language", "samples", &h);
    temper_sampler_free(sampler);
    temper_model_free(m);
    temper_spec_free(spec);
}

static void look_at_automaton(void) {
    temper_spec *spec = parse("(ab|ba)*c?", TEMPER_SYNTAX_REGEX, "abc", TEMPER_KIND_ACCEPTOR);
    temper_automaton *a;
    char *text;
    must(temper_automaton_make(&a, spec, &err), "automaton");
    must(temper_automaton_print(&text, a, TEMPER_AUTOMATON_JSON, &err), "automaton");
    say_text("automaton", "json", text, strlen(text));
    temper_free(text);
    must(temper_draw_automaton(&text, a, &err), "automaton");
    say_text("automaton", "svg", text, strlen(text));
    temper_free(text);
    temper_automaton_free(a);
    temper_spec_free(spec);
}

static void look_at_gallery(void) {
    temper_model *hard, *soft;
    temper_soften_report report;
    temper_soften_options o = {.method = TEMPER_METHOD_TEMPERATURE, .length = 6};
    temper_gap_options gaps = {.exhaustive = 4, .proved = 6};
    temper_gap *gap;
    sha256 h;
    must(temper_gallery_model(&hard, "dyck-1", &err), "gallery");
    look_at_model("dyck-1", hard);
    look_at_runs("dyck-1/f64", hard, TEMPER_TYPE_F64, 1);
    must(temper_gap_find(&gap, hard, &gaps, &err), "gap");
    sha256_start(&h);
    for (size_t l = 1; l <= temper_model_about(hard).layers; l++)
        for (size_t k = 1; k <= temper_model_layer(hard, l).heads; k++)
            for (size_t n = 1; n <= 6; n++) {
                temper_gap_row row = temper_gap_at(gap, l, k, n);
                /* which NaN it is is nobody's matter */
                if (row.exhaustive == row.exhaustive) add_number(&h, row.exhaustive);
                add_number(&h, row.proved);
            }
    say("dyck-1", "gaps", &h);
    temper_gap_free(gap);
    must(temper_soften(&soft, &report, hard, &o, &err), "soften");
    look_at_model("dyck-1/soft", soft);
    look_at_runs("dyck-1/soft/f64", soft, TEMPER_TYPE_F64, 0);
    look_at_certificate("dyck-1/soft/f64", soft, TEMPER_TYPE_F64, 5);
    temper_model_free(soft);
    temper_model_free(hard);
}

static void look_at_limits(void) {
    temper_spec *spec = parse("a S b", TEMPER_SYNTAX_SPEC, "abc", TEMPER_KIND_ACCEPTOR);
    temper_model *m = build(spec, TEMPER_METHOD_TEMPERATURE, TEMPER_TYPE_F64);
    temper_limits_case cases[] = {{m, TEMPER_TYPE_BF16_F32}, {m, TEMPER_TYPE_F16}};
    temper_limits_options o = {.effort = 0.002, .length = 1000, .threads = 1};
    temper_limits *limits;
    char *text;
    size_t size;
    must(temper_limits_find(&limits, cases, 2, &o, &err), "limits");
    must(temper_limits_print(&text, &size, limits, TEMPER_LIMITS_CSV, &err), "limits");
    say_text("limits", "csv", text, size);
    temper_free(text);
    must(temper_draw_limits(&text, limits, "limits", &err), "limits");
    say_text("limits", "svg", text, strlen(text));
    temper_free(text);
    temper_limits_free(limits);
    temper_model_free(m);
    temper_spec_free(spec);
}

static void look_at_picture(void) {
    static const uint32_t letters[] = {2, 0, 0, 1};
    temper_spec *spec = parse("H(b -> O a)", TEMPER_SYNTAX_SPEC, "abc", TEMPER_KIND_ACCEPTOR);
    temper_model *m = build(spec, TEMPER_METHOD_TEMPERATURE, TEMPER_TYPE_F64);
    temper_run *run;
    temper_run_options o = {.capture = 1, .threads = 1};
    temper_draw_options draw_options = {0};
    char *text;
    must(temper_model_run(&run, m, letters, 4, &o, &err), "picture");
    must(temper_draw_svg(&text, m, run, letters, &draw_options, &err), "picture");
    say_text("picture", "svg", text, strlen(text));
    temper_free(text);
    temper_run_free(run);
    temper_model_free(m);
    temper_spec_free(spec);
}

static void look_at_exports(void) {
    temper_spec *spec = parse("a S b & #[a] >= 2", TEMPER_SYNTAX_SPEC, "abc", TEMPER_KIND_ACCEPTOR);
    temper_model *m = build(spec, TEMPER_METHOD_TEMPERATURE, TEMPER_TYPE_F64), *again;
    temper_export_options o = {.outputs = TEMPER_EXPORT_PATTERNS};
    must(temper_model_save(path_of("saved.safetensors"), m, &err), "save");
    must(temper_model_load(&again, path_of("saved.safetensors"), &err), "load");
    look_at_model("export/loaded", again);
    temper_model_free(again);
    look_at_files("export/saved", "");
    must(temper_export(folder, m, &o, &err), "export");
    look_at_files("export/folder", "");
    for (int k = 0; k < 2; k++) {
        temper_ordinary_options ordinary = {.architecture = k ? TEMPER_ORDINARY_LLAMA : TEMPER_ORDINARY_GPT2,
                                            .length = 8};
        must(ordinary_folder_once(NULL, folder, spec, &ordinary, &err), "export");
        must(temper_model_import(&again, folder, NULL, &err), "import");
        look_at_model(k ? "export/llama" : "export/gpt2", again);
        temper_model_free(again);
        look_at_files(k ? "export/llama" : "export/gpt2", "");
    }
    temper_model_free(m);
    temper_spec_free(spec);
}

static void look_at_journal(void) {
    temper_spec *spec = parse("a S b", TEMPER_SYNTAX_SPEC, "ab", TEMPER_KIND_ACCEPTOR);
    temper_model *m = build(spec, TEMPER_METHOD_TEMPERATURE, TEMPER_TYPE_F64);
    temper_check_options o = {.exhaustive = 6, .random = 20, .length = 30, .threads = 1};
    temper_job *job;
    temper_journal *journal;
    must(temper_check_job(&job, spec, m, &o, &err), "job");
    must(temper_journal_open(&journal, path_of("journal"), job, &err), "journal");
    must(temper_job_run(NULL, journal, 1, NULL, NULL, &err), "job");
    must(temper_journal_close(journal, &err), "journal");
    look_at_files("check", "");
    temper_job_free(job);
    temper_model_free(m);
    temper_spec_free(spec);
}

int main(void) {
    char top[] = "/tmp/temper-digests-XXXXXX";
#ifndef __wasm__
    setlocale(LC_ALL, ""); /* which changes nothing: tests/base/t-locale.c */
#endif
    if (!mkdtemp(top)) return 1;
    snprintf(folder, sizeof folder, "%s/model", top); /* some files have the folder's name in them */
    if (mkdir(folder, 0700)) return 1;
    look_at_formulas();
    look_at_language_model();
    look_at_automaton();
    look_at_gallery();
    look_at_limits();
    look_at_picture();
    look_at_exports();
    look_at_journal();
    return rmdir(folder) || rmdir(top);
}
