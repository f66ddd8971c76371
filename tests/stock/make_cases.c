/* make test-stock: specifications as ordinary transformers, with the answers that the specification itself gives.

       make_cases FOLDER LENGTH [far]
       make_cases FOLDER members

   FOLDER/SPEC/oracle.json has {"name", "length", "mirrored", "words", "strings": [{"ids", "end", "legal"}, ...]}:
   after each prefix of each string, from the empty one on, whether it may end ("0" or "1"), and the legal letters,
   the bits of a number; FOLDER/SPEC/gpt2-f32/ and so on are the folders that temper_export_stock writes. far: only
   specifications that are tried at great lengths. members: the strings of FOLDER/drawn-*.txt are of their languages.
   An answer for a prefix is that of the specification for the prefix alone. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "specs.h"
#include "tests/test.h"

enum { SHORT = 12, ANY = 12, FULL = 12, SHORTEST = 9, MOST_LETTERS = 20 };

static void give_up(const char *what, const temper_error *err) {
    fprintf(stderr, "make_cases: %s: %s\n", what, err ? err->text : "");
    exit(1);
}

typedef struct maker {
    const stock_spec *about;
    temper_spec *spec, *next; /* next: NULL where every letter is legal */
    temper_model *hard;       /* of next: what is legal before the first letter */
    size_t letters;
    bool mirrored;
    test_random random;
    FILE *out;
} maker;

/* ---- answers ---- */

static bool accepts(const maker *m, const uint32_t *word, size_t n) {
    int accept;
    temper_error err;
    if (!n) return temper_spec_about(m->spec).accepts_empty;
    if (temper_spec_eval(&accept, NULL, m->spec, word, n, &err) != TEMPER_OK) give_up(m->about->name, &err);
    return accept;
}

/* legal[n + 1]: bits of letters */
static void find_legal(unsigned *legal, const maker *m, const uint32_t *word, size_t n) {
    temper_error err;
    unsigned char *truth = calloc(m->letters + 1, n + 1);
    for (size_t i = 0; i <= n; i++) legal[i] = m->next ? 0 : (1u << m->letters) - 1;
    if (m->next) {
        temper_run *run;
        temper_run_options o = {.threads = 1, .unchecked = 1};
        if (temper_model_run(&run, m->hard, word, 0, &o, &err) != TEMPER_OK) give_up(m->about->name, &err);
        for (size_t k = 0; k < m->letters; k++) legal[0] |= (unsigned)temper_run_output(run, k)[0] << k;
        temper_run_free(run);
        if (temper_spec_eval_outputs(truth, m->next, word, n, &err) != TEMPER_OK) give_up(m->about->name, &err);
        for (size_t k = 0; k < m->letters; k++)
            for (size_t i = 1; i <= n; i++) legal[i] |= (unsigned)truth[k * n + i - 1] << k;
    }
    free(truth);
}

static void put_string(maker *m, const uint32_t *word, size_t n, bool is_first) {
    unsigned *legal = calloc(n + 1, sizeof *legal);
    fprintf(m->out, "%s\n{\"ids\": [0", is_first ? "" : ",");
    for (size_t j = 0; j < n; j++) fprintf(m->out, ",%u", 2 + word[m->mirrored ? n - 1 - j : j]);
    fputs("], \"end\": \"", m->out);
    for (size_t i = 0; i <= n; i++) fputc(accepts(m, m->mirrored ? word + n - i : word, i) ? '1' : '0', m->out);
    find_legal(legal, m, word, n);
    fputs("\", \"legal\": [", m->out);
    for (size_t i = 0; i <= n; i++) fprintf(m->out, "%s%u", i ? "," : "", legal[i]);
    fputs("]}", m->out);
    free(legal);
}

/* ---- strings ---- */

/* Uniform, of two letters, in long runs, or with rare letters; or letters that are legal, most of the way. */
static void make_word(maker *m, uint32_t *word, size_t n, unsigned kind) {
    uint32_t a = (uint32_t)random_below(&m->random, m->letters), b = (uint32_t)random_below(&m->random, m->letters);
    size_t fails = random_below(&m->random, 2) ? n : (size_t)random_below(&m->random, n + 1);
    for (size_t k = 0; k < n; k++) {
        uint32_t any = (uint32_t)random_below(&m->random, m->letters);
        word[k] = any;
        if (kind == 1) word[k] = random_below(&m->random, 2) ? a : b;
        if (kind == 2) word[k] = random_below(&m->random, 40) ? (k ? word[k - 1] : a) : any;
        if (kind == 3) word[k] = random_below(&m->random, n / 3 + 1) ? a : any;
        if (kind != 4 || !m->next || k > fails) continue;
        unsigned legal[2000];
        find_legal(legal, m, word, k);
        for (int tries = 0; tries < 40 && !(legal[k] >> word[k] & 1); tries++)
            word[k] = (uint32_t)random_below(&m->random, m->letters);
    }
}

static void put_strings(maker *m, size_t length) {
    uint32_t *word = calloc(length + 1, sizeof *word);
    for (unsigned k = 0; k < SHORT + ANY + FULL; k++) {
        size_t most = length < SHORTEST ? length : SHORTEST;
        size_t n = k < SHORT         ? (size_t)random_below(&m->random, most + 1)
                   : k < SHORT + ANY ? (size_t)random_below(&m->random, length + 1)
                                     : length;
        make_word(m, word, n, k % 5);
        put_string(m, word, n, k == 0);
    }
    free(word);
}

/* ---- one specification ---- */

static bool make_folders(maker *m, const char *folder, size_t length) {
    static const char *const names[] = {"gpt2-f32", "gpt2-f16", "llama-f32", "llama-f16"};
    size_t made = 0;
    for (int k = 0; k < 4; k++) {
        char path[4096];
        temper_error err;
        temper_stock_info info;
        temper_stock_options o = {.architecture = k / 2 ? TEMPER_STOCK_LLAMA : TEMPER_STOCK_GPT2,
                                  .length = length,
                                  .weights_f16 = k % 2,
                                  .seed = 1};
        snprintf(path, sizeof path, "%s/%s", folder, names[k]);
        if (temper_export_stock(&info, path, m->spec, &o, &err) == TEMPER_OK) {
            m->mirrored = info.mirrored;
            made++;
        } else {
            printf("%s at %zu, %s: %s\n", m->about->name, length, names[k], err.text);
        }
    }
    return made > 0;
}

static void make_case(const char *parent, const stock_spec *about, size_t length, uint64_t seed) {
    char folder[2048], path[2100];
    temper_error err;
    maker m = {.about = about, .random = test_seed(seed)};
    temper_spec_options o = {.syntax = about->syntax, .alphabet = about->alphabet, .tokens = about->tokens};
    snprintf(folder, sizeof folder, "%s/%s", parent, about->name);
    mkdir(folder, 0777);
    if (temper_spec_parse(&m.spec, about->text, strlen(about->text), &o, &err) != TEMPER_OK)
        give_up(about->name, &err);
    m.letters = temper_spec_about(m.spec).letters;
    if (m.letters > MOST_LETTERS) give_up("too many letters", NULL);
    if (make_folders(&m, folder, length)) {
        if (!m.mirrored && temper_spec_next(&m.next, NULL, m.spec, &err) == TEMPER_OK) {
            temper_build_options hard = {.method = TEMPER_METHOD_HARD};
            if (temper_build(&m.hard, m.next, &hard, &err) != TEMPER_OK) give_up(about->name, &err);
        }
        snprintf(path, sizeof path, "%s/oracle.json", folder);
        if (!(m.out = fopen(path, "w"))) give_up("cannot write", NULL);
        fprintf(m.out,
                "{\"name\": \"%s\", \"length\": %zu, \"mirrored\": %s, \"words\": %s, \"alphabet\": \"%s\", "
                "\"strings\": [",
                about->name, length, m.mirrored ? "true" : "false", about->tokens ? "true" : "false",
                about->alphabet);
        put_strings(&m, length);
        fputs("]}\n", m.out);
        if (fclose(m.out)) give_up("cannot write", NULL);
    }
    temper_model_free(m.hard);
    temper_spec_free(m.next);
    temper_spec_free(m.spec);
}

/* ---- strings that runtimes drew ---- */

static const stock_spec *find_spec(const char *name) {
    for (size_t k = 0; k < STOCK_SPECS; k++)
        if (strcmp(stock_specs[k].name, name) == 0) return &stock_specs[k];
    give_up(name, NULL);
    return NULL;
}

/* A line is SPEC, a tab, and a string that ended. Each must be of the language; of a mirrored model, read backwards.
   */
static void check_members(const char *path) {
    static char line[1 << 16];
    size_t strings = 0;
    FILE *f = fopen(path, "r");
    if (!f) give_up(path, NULL);
    while (fgets(line, sizeof line, f)) {
        char *tab = strchr(line, '\t');
        temper_error err;
        temper_spec *spec;
        uint32_t *word;
        size_t n;
        if (!tab) give_up(line, NULL);
        *tab = 0;
        tab[1 + strcspn(tab + 1, "\n")] = 0;
        const stock_spec *about = find_spec(line);
        temper_spec_options o = {.syntax = about->syntax, .alphabet = about->alphabet, .tokens = about->tokens};
        if (temper_spec_parse(&spec, about->text, strlen(about->text), &o, &err) != TEMPER_OK ||
            temper_spec_encode(&word, &n, spec, tab + 1, strlen(tab + 1), &err) != TEMPER_OK)
            give_up(line, &err);
        maker m = {.about = about, .spec = spec};
        if (strncmp(about->name, "ahead", 5) == 0)
            for (size_t k = 0; k < n / 2; k++) {
                uint32_t x = word[k];
                word[k] = word[n - 1 - k];
                word[n - 1 - k] = x;
            }
        CHECK(accepts(&m, word, n), "%s: %s was drawn, and is not of the language", line, tab + 1);
        strings++;
        temper_free(word);
        temper_spec_free(spec);
    }
    fclose(f);
    printf("%s: %zu strings\n", path, strings);
}

static int check_drawn(const char *folder) {
    DIR *d = opendir(folder);
    char path[4096];
    if (!d) give_up(folder, NULL);
    for (struct dirent *e; (e = readdir(d));)
        if (strncmp(e->d_name, "drawn-", 6) == 0) {
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
            check_members(path);
        }
    closedir(d);
    return test_finish("members");
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    if (strcmp(argv[2], "members") == 0) return check_drawn(argv[1]);
    size_t length = strtoul(argv[2], NULL, 10), made = 0;
    mkdir(argv[1], 0777);
    for (size_t k = 0; k < STOCK_SPECS; k++) {
        if (argc > 3 && !stock_specs[k].is_far) continue;
        make_case(argv[1], &stock_specs[k], length, 100 + k);
        made++;
    }
    printf("make_cases: %zu specifications for up to %zu letters\n", made, length);
    return 0;
}
