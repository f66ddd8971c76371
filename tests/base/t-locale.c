/* No locale of the host changes what the library writes and reads: every writer and reader is run in the C locale and
   in others, with a decimal comma, with a point of two bytes, and with Turkish letters, and the bytes are compared.
   The locales are made here, from the sources of the package `locales`. tests/platforms/digests is run in them. */
#define _GNU_SOURCE
#include "test.h"

#include <ctype.h>
#include <dirent.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "temper.h"
#include "temper_lab.h"
#include "ordinary_calls.h"

/* ---- what was written ---- */

enum { MOST = 2000 };

typedef struct piece {
    char name[200];
    char *bytes;
    size_t size;
} piece;

typedef struct pieces {
    piece list[MOST];
    size_t count;
} pieces;

static temper_error err;
static char folder[TEST_FOLDER + 20], top[TEST_FOLDER];

static void keep(pieces *p, const char *name, const char *bytes, size_t size) {
    if (!CHECK(p->count < MOST, "too many pieces")) return;
    piece *x = &p->list[p->count++];
    snprintf(x->name, sizeof x->name, "%s", name);
    x->bytes = malloc(size + 1);
    memcpy(x->bytes, bytes, size);
    x->bytes[size] = 0;
    x->size = size;
}

static void keep_text(pieces *p, const char *name, const char *text) { keep(p, name, text, strlen(text)); }

/* What a function handed out, or its error. */
static void keep_made(pieces *p, const char *name, temper_status status, char **made) {
    keep_text(p, name, status == TEMPER_OK ? *made : err.text);
    CHECK(status == TEMPER_OK, "%s: %s", name, err.text);
    temper_free(*made);
    *made = NULL;
}

/* The bits of a number, not its text. */
static void keep_number(pieces *p, const char *name, double x) { keep(p, name, (const char *)&x, sizeof x); }

static int by_name(const void *x, const void *y) { return strcmp(*(char *const *)x, *(char *const *)y); }

/* All files below a folder, which are removed. */
static void keep_files(pieces *p, const char *name, const char *at) {
    char *files[200], path[400], shown[700];
    size_t count = 0;
    DIR *d = opendir(at);
    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.' && count < 200) files[count++] = strdup(e->d_name);
    if (d) closedir(d);
    qsort(files, count, sizeof *files, by_name);
    for (size_t k = 0; k < count; k++) {
        char *bytes;
        size_t size;
        snprintf(path, sizeof path, "%s/%.150s", at, files[k]);
        snprintf(shown, sizeof shown, "%s/%s", name, files[k]);
        if (temper_file_read(&bytes, &size, path, NULL) == TEMPER_OK) {
            keep(p, shown, bytes, size);
            temper_free(bytes);
            unlink(path);
        } else {
            keep_files(p, shown, path);
        }
        free(files[k]);
    }
    rmdir(at);
}

/* ---- writers and readers ---- */

static const char *const sources[] = {
    "alphabet a b c\nH(b -> O a) & (a U c | Y b)",
    "alphabet a b c\n2*#[a] - 3*#[b] + 1 >= #[c] | #>[a] = #[b]",
    "alphabet a b c\nattend a b | #[a] % 3 = 1",
    "alphabet a b\nnext\nprobabilities {\n a 0.25\n b 1.5\n end 1/3\n}\n/(ab|ba)*/",
    "alphabet a b\ntransduce\nemit x = a S b\nemit y otherwise",
    "alphabet a I i\nregex (a|I)*i[a-i]",
    "alphabet a b\n#[a] = 0.5",
    "alphabet a b\n\xC4\xB0 a",
};

static void write_model(pieces *p, const char *name, const temper_model *m) {
    static const uint32_t letters[] = {0, 1, 1, 0, 0, 1, 0};
    temper_model *again = NULL;
    char *text, *svg = NULL, shown[300];
    size_t size;
    temper_run *run;
    temper_run_options o = {.capture = 1, .unchecked = 1, .threads = 1};
    temper_draw_options d = {0};
    temper_model_info info = temper_model_about(m);
    if (!CHECK(!temper_model_print(&text, &size, m, &err), "%s: %s", name, err.text)) return;
    keep(p, name, text, size);
    CHECK(!temper_model_read(&again, text, size, &err), "%s is not read: %s", name, err.text);
    temper_model_free(again);
    temper_free(text);
    for (size_t l = 1; l <= info.layers; l++)
        for (size_t h = 1; h <= temper_model_layer(m, l).heads; h++) {
            temper_head_info head;
            if (!CHECK(!temper_model_head(&head, m, l, h, &err), "%s", err.text)) continue;
            keep_text(p, "the scale of a head", head.scale);
            keep_text(p, "the label of a head", head.label);
        }
    if (!CHECK(!temper_model_run(&run, m, letters, 7, &o, &err), "%s: %s", name, err.text)) return;
    snprintf(shown, sizeof shown, "html of %.200s", name);
    keep_made(p, shown, temper_draw_html(&svg, m, run, letters, &d, &err), &svg);
    keep_made(p, "svg", temper_draw_svg(&svg, m, run, letters, &d, &err), &svg);
    keep_made(p, "terminal", temper_draw_terminal(&svg, m, run, letters, &d, &err), &svg);
    temper_run_free(run);
}

static void write_certificate(pieces *p, const char *name, const temper_model *m, temper_type type) {
    temper_certificate *c;
    char *text, *model;
    size_t size, model_size;
    temper_certify_options o = {.length = 60, .type = type};
    if (!CHECK(!temper_certify(&c, m, NULL, 0, &o, &err), "%s: %s", name, err.text)) return;
    temper_certificate_info about = temper_certificate_about(c);
    keep_text(p, "the reason of a verdict", about.reason);
    if (about.verdict == TEMPER_PROVED && !temper_certificate_print(&text, &size, c, &err) &&
        !temper_model_print(&model, &model_size, m, &err)) {
        keep(p, "a certificate", text, size);
        CHECK(!temper_audit(text, size, model, model_size, NULL, &err), "%s: the audit: %s", name, err.text);
        temper_free(text);
        temper_free(model);
    }
    temper_certificate_free(c);
}

static void write_proof(pieces *p, const temper_model *m) {
    static const temper_type types[] = {TEMPER_TYPE_F64, TEMPER_TYPE_F32, TEMPER_TYPE_F16, TEMPER_TYPE_E4M3_F32};
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        temper_proof proof;
        if (temper_model_proof(&proof, m, types[k], 0, &err))
            keep_text(p, "no proof", err.text);
        else
            keep_text(p, "an obstacle", proof.obstacle);
    }
}

static void write_limits(pieces *p, const temper_model *m) {
    temper_limits_case cases[] = {{m, TEMPER_TYPE_BF16_F32}, {m, TEMPER_TYPE_F16}};
    temper_limits_options o = {.effort = 0.002, .length = 1000, .threads = 1};
    temper_limits *limits;
    char *text = NULL;
    size_t size;
    if (!CHECK(!temper_limits_find(&limits, cases, 2, &o, &err), "%s", err.text)) return;
    keep_made(p, "limits.csv", temper_limits_print(&text, &size, limits, TEMPER_LIMITS_CSV, &err), &text);
    keep_made(p, "limits.json", temper_limits_print(&text, &size, limits, TEMPER_LIMITS_JSON, &err), &text);
    keep_made(p, "limits.svg", temper_draw_limits(&text, limits, "limits", &err), &text);
    temper_limits_free(limits);
}

static void write_exports(pieces *p, const temper_spec *spec, const temper_model *m) {
    temper_export_options o = {.outputs = TEMPER_EXPORT_PATTERNS, .unchecked = 1};
    temper_model *again = NULL;
    CHECK(!temper_export(folder, m, &o, &err), "%s", err.text);
    keep_files(p, "export", folder);
    for (int k = 0; k < 2; k++) {
        temper_ordinary_options ordinary = {.architecture = k ? TEMPER_ORDINARY_LLAMA : TEMPER_ORDINARY_GPT2,
                                            .length = 8};
        CHECK(!ordinary_folder_once(NULL, folder, spec, &ordinary, &err), "%s", err.text);
        CHECK(!temper_model_import(&again, folder, NULL, &err), "%s", err.text);
        temper_model_free(again);
        keep_files(p, k ? "llama" : "gpt2", folder);
    }
}

static void write_automaton(pieces *p, const temper_spec *spec) {
    temper_automaton *a;
    char *text = NULL;
    if (temper_automaton_make(&a, spec, &err)) {
        keep_text(p, "no automaton", err.text);
        return;
    }
    for (int k = TEMPER_AUTOMATON_TABLE; k <= TEMPER_AUTOMATON_DOT; k++)
        keep_made(p, "automaton", temper_automaton_print(&text, a, (temper_automaton_format)k, &err), &text);
    keep_made(p, "automaton.svg", temper_draw_automaton(&text, a, &err), &text);
    temper_automaton_free(a);
}

static void write_source(pieces *p, const char *source) {
    temper_spec *spec;
    temper_model *m = NULL;
    char *text = NULL;
    bool whole = false;
    if (temper_spec_parse(&spec, source, strlen(source), NULL, &err)) {
        keep_text(p, source, err.text);
        keep_text(p, source, err.hint);
        return;
    }
    keep_made(p, source, temper_spec_print(&text, spec, &err), &text);
    keep_made(p, source, temper_spec_simplified(&text, spec, &err), &text);
    write_automaton(p, spec);
    for (temper_method method = TEMPER_METHOD_HARD; method <= TEMPER_METHOD_DIGITS; method++) {
        temper_build_options o = {.method = method, .digits = TEMPER_TYPE_F64};
        if (temper_build(&m, spec, &o, &err)) {
            keep_text(p, source, err.text);
            continue;
        }
        write_model(p, source, m);
        if (method == TEMPER_METHOD_TEMPERATURE) {
            write_certificate(p, source, m, TEMPER_TYPE_F64);
            write_proof(p, m);
            whole = source == sources[0] || source == sources[1];
            if (whole) write_limits(p, m);
            if (source == sources[0]) write_exports(p, spec, m);
        }
        temper_model_free(m);
    }
    temper_spec_free(spec);
}

/* Numbers in files and in options, with messages that have some. */
static void read_numbers(pieces *p) {
    static const char head[] =
        "temper-model 1\nmethod hard\nat last\nempty reject\nalphabet \"a\" \"b\"\nchannel 0 \"x\"";
    static const char *const lines[] = {" position \"0.5*i + 1.25e-2\"", " position \"1,5*i\"",
                                        " position \"max(i, 2.5)/0x1.8p+1\"", " position \"I + 1.5\""};
    static const char tail[] = "\nembed \"a\" 0:0.125\nread \"\" 0:1.5\n";
    char text[400];
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        temper_model *m;
        char *printed = NULL;
        size_t size;
        snprintf(text, sizeof text, "%s%s%s", head, lines[k], tail);
        if (temper_model_read(&m, text, strlen(text), &err)) {
            keep_text(p, lines[k], err.text);
            continue;
        }
        keep_made(p, lines[k], temper_model_print(&printed, &size, m, &err), &printed);
        temper_model_free(m);
    }
    static const char *const numbers[] = {"0.5", "-1.25e-3", "0x1.8p+3", "1,5", "1.5x", "",
                                          ".",   "1e400",    "4.9e-324", "i",   "inf"};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        double x = 7;
        int read = temper_real_read(&x, numbers[k]);
        keep_text(p, numbers[k], read ? "read" : "no number");
        keep_number(p, numbers[k], x);
    }
    CHECK(temper_real_format(text, sizeof text, "%.1f m", 0.5) == -1 &&
              temper_real_format(text, 9, "%d", 0.5) == -1 && temper_real_format(text, 9, "%*g", 0.5) == -1 &&
              temper_real_format(text, 9, "%", 0.5) == -1,
          "formats of more than one number");
}

/* What snprintf writes in the C locale; the other locales must agree with what was kept there. */
static void write_numbers(pieces *p, bool is_c) {
    static const char *const formats[] = {"%g", "%.0f", "%.3f", "%12.4g", "%-12.2e", "%+.17g", "%a", "%#.3g", "%.1E"};
    test_random r = {12345};
    for (size_t k = 0; k < 600; k++) {
        uint64_t bits = random_u64(&r);
        double x;
        char out[400], plain[400], small[8];
        const char *format = formats[k % (sizeof formats / sizeof *formats)];
        memcpy(&x, &bits, sizeof x);
        if (k % 3) x = ldexp((double)(bits >> 11), -40 - (int)(bits % 20));
        if (isnan(x)) continue;
        int length = temper_real_format(out, sizeof out, format, x);
        CHECK(length == (int)strlen(out) && strlen(out) < sizeof out - 1, "%s: %d", format, length);
        if (is_c) {
            snprintf(plain, sizeof plain, format, x);
            CHECK(!strcmp(out, plain), "%s: %s, not %s", format, out, plain);
        }
        CHECK(temper_real_format(small, sizeof small, format, x) == length && !strncmp(small, out, strlen(small)) &&
                  strlen(small) == (size_t)(length < 8 ? length : 7),
              "%s: cut to '%s'", format, small);
        keep_text(p, format, out);
    }
}

static void write_lab(pieces *p) {
    static const char *const scales[] = {"0.5*ln(n)"};
    static const char *const experiments[] = {"gap"};
    temper_schedule_options o = {.scales = scales, .count = 1, .base = 11.5};
    temper_schedules *s;
    char *svg = NULL;
    if (CHECK(!temper_schedules_find(&s, &o, &err), "%s", err.text)) {
        keep_made(p, "schedules.svg", temper_schedules_draw(&svg, s, &err), &svg);
        for (size_t k = 0; k < temper_schedules_count(s); k++)
            keep_text(p, "a factor", temper_schedules_at(s, k).factor);
        temper_schedules_free(s);
    }
    for (size_t k = 0; k < sizeof experiments / sizeof *experiments; k++) {
        temper_lab *lab;
        temper_lab_options quick = {.seed = 9, .quick = 1};
        if (!CHECK(!temper_lab_run(&lab, experiments[k], &quick, &err), "%s: %s", experiments[k], err.text)) continue;
        CHECK(!temper_lab_write(lab, folder, &err), "%s", err.text);
        keep_files(p, experiments[k], folder);
        temper_lab_free(lab);
    }
}

static void write_all(pieces *p, bool is_c) {
    for (size_t k = 0; k < sizeof sources / sizeof *sources; k++) write_source(p, sources[k]);
    read_numbers(p);
    write_numbers(p, is_c);
    write_lab(p);
    CHECK(temper_file_read(&(char *){NULL}, &(size_t){0}, "/no/such/file", &err) == TEMPER_IO, "it is there");
    keep_text(p, "what the system says", err.text);
}

/* ---- locales ---- */

typedef struct locale_case {
    const char *name, *source, *charmap;
    const char *half; /* as printf has 0.5 there */
} locale_case;

/* False: it cannot be made, which is said. */
static bool make_locale(const locale_case *c) {
    char command[400], half[16];
    snprintf(command, sizeof command, "localedef -i %s -f %s %s/%s >%s/log 2>&1", c->source, c->charmap, top, c->name,
             top);
    int status = system(command);
    snprintf(command, sizeof command, "%s/log", top);
    unlink(command);
    if (setlocale(LC_ALL, c->name)) {
        snprintf(half, sizeof half, "%.1f", 0.5);
        setlocale(LC_ALL, "C");
        return CHECK(!strcmp(half, c->half), "%s writes %s", c->name, half);
    }
    printf("t-locale: the locale %s cannot be made (localedef ends with %d): install the package locales\n", c->name,
           status);
    if (getenv("TEMPER_NO_SKIP")) CHECK(false, "no locale %s", c->name);
    return false;
}

static void compare(const pieces *c, const pieces *other, const char *locale) {
    CHECK(c->count == other->count, "%s: %zu pieces, not %zu", locale, other->count, c->count);
    for (size_t k = 0; k < c->count && k < other->count; k++) {
        const piece *x = &c->list[k], *y = &other->list[k];
        size_t at = 0;
        while (at < x->size && at < y->size && x->bytes[at] == y->bytes[at]) at++;
        size_t from = at > 20 ? at - 20 : 0;
        CHECK(!strcmp(x->name, y->name) && x->size == y->size && at == x->size,
              "%s: %s differs at %zu: '%.40s', not '%.40s'", locale, x->name, at, y->bytes + from, x->bytes + from);
    }
}

static void clear(pieces *p) {
    for (size_t k = 0; k < p->count; k++) free(p->list[k].bytes);
    p->count = 0;
}

/* The digests of tests/platforms, in a process of its own, whose locale is that of its environment. */
static void read_digests(pieces *p, const char *program, const char *locale) {
    char line[400];
    setenv("LC_ALL", locale, 1);
    FILE *from = popen(program, "r");
    while (from && fgets(line, sizeof line, from)) keep_text(p, "digest", line);
    CHECK(from && pclose(from) == 0 && p->count > 300, "%s ends with %zu lines: make %s", program, p->count, program);
}

int main(int argc, char **argv) {
    static const locale_case cases[] = {{"de_DE.utf8", "de_DE", "UTF-8", "0,5"},
                                        {"tr_TR.iso88599", "tr_TR", "ISO-8859-9", "0,5"},
                                        {"ps_AF.utf8", "ps_AF", "UTF-8",
                                         "0\xD9\xAB"
                                         "5"}};
    static pieces plain, other, digests, other_digests;
    char program[500];
    (void)argc;
    if (!test_folder(top)) return test_finish("t-locale");
    snprintf(folder, sizeof folder, "%s/model", top);
    snprintf(program, sizeof program, "%.*splatforms/digests",
             (int)(strrchr(argv[0], '/') ? strrchr(argv[0], '/') - argv[0] + 1 : 0), argv[0]);
    setenv("LOCPATH", top, 1);
    write_all(&plain, true);
    read_digests(&digests, program, "C");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char made[100];
        if (!make_locale(&cases[k])) continue;
        setlocale(LC_ALL, cases[k].name);
        write_all(&other, false);
        setlocale(LC_ALL, "C");
        compare(&plain, &other, cases[k].name);
        read_digests(&other_digests, program, cases[k].name);
        compare(&digests, &other_digests, cases[k].name);
        clear(&other);
        clear(&other_digests);
        snprintf(made, sizeof made, "rm -r %s/%s", top, cases[k].name);
        CHECK(system(made) == 0, "%s", made);
    }
    clear(&plain);
    clear(&digests);
    rmdir(top);
    return test_finish("t-locale");
}
