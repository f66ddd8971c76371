/* make test-ordinary: specifications as ordinary transformers, with the answers that the specification itself gives.

       make_cases FOLDER LENGTH [far|counts|SHARE]
       make_cases FOLDER members LEAST

   FOLDER/SPEC/oracle.json has {"name", "length", "mirrored", "words", "tokens", "letters", "from", "draws",
   "strings": [{"ids", "end", "legal"}, ...]}: tokens are those from id 2 on, letters of them are letters; after each
   prefix of each string, from the one of `from` letters on, "end" says whether the end is legal ("0" or "1"), and
   "legal" which tokens are, the bits of a number; draws: strings can be drawn from the model. FOLDER/SPEC/gpt2-f32/
   and so on are the folders that temper_ordinary_write writes. far, counts: only specifications that are tried at
   great lengths, and as far as counts go. SHARE: every SHARE-th. members: the strings of each FOLDER/drawn-*.txt, at
   least LEAST, are of their languages, of ten or more where LEAST is 1,000.

   An answer for a prefix is that of the specification for the prefix alone. Tasks of the sequence suite have programs
   of their own to answer. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lab/sequences.h"
#include "specs.h"
#include "test.h"
#include "ordinary_calls.h"

enum { SHORT = 14, ANY = 10, FULL = 14, SHORTEST = 9, KINDS = 7, MOST_TOKENS = 20, FAR = 2000 };

static void give_up(const char *what, const temper_error *err) {
    fprintf(stderr, "make_cases: %s: %s\n", what, err ? err->text : "");
    exit(1);
}

typedef struct maker {
    const ordinary_spec *about;
    const sequence_task *task; /* NULL: `about` is not of the suite */
    temper_spec *spec, *next;  /* next: NULL where every letter is legal */
    temper_model *hard;        /* of next: what is legal before the first letter */
    temper_spec_info info;
    const char *tokens[MOST_TOKENS]; /* letters, then texts that are written and are no letters */
    size_t token_count;
    bool mirrored;
    test_random random;
    FILE *out;
} maker;

/* After each prefix: [n + 1]. */
typedef struct answers {
    bool *end;
    unsigned *legal;
} answers;

/* ---- answers ---- */

static bool accepts(const maker *m, const uint32_t *word, size_t n) {
    int accept;
    temper_error err;
    if (!n) return m->info.accepts_empty;
    if (temper_spec_eval(&accept, NULL, m->spec, word, n, &err) != TEMPER_OK) give_up(m->about->name, &err);
    return accept;
}

static void find_ends(bool *end, maker *m, const uint32_t *word, size_t n) {
    for (size_t i = 0; i <= n && (n < FAR || i < 64); i++) end[i] = accepts(m, m->mirrored ? word + n - i : word, i);
    if (n < FAR) return;
    /* Every position at once, of formulas that look one way; and some prefixes alone. */
    int accept;
    temper_error err;
    unsigned char *truth = calloc(n, 1);
    if (temper_spec_eval(&accept, truth, m->spec, word, n, &err) != TEMPER_OK) give_up(m->about->name, &err);
    for (size_t i = 1; i <= n; i++) end[i] = truth[m->mirrored ? n - i : i - 1];
    for (int k = 0; k < 40; k++) {
        size_t i = (size_t)random_below(&m->random, n + 1);
        if (accepts(m, m->mirrored ? word + n - i : word, i) != end[i]) give_up("a prefix has another answer", NULL);
    }
    free(truth);
}

/* Bits of letters, and after them of the end, where it is known what may come; else all letters. */
static void find_legal(unsigned *legal, const maker *m, const uint32_t *word, size_t n) {
    temper_error err;
    size_t letters = m->info.letters;
    unsigned char *truth = calloc(letters + 1, n + 1);
    for (size_t i = 0; i <= n; i++) legal[i] = m->next ? 0 : (1u << letters) - 1;
    if (m->next) {
        temper_run *run;
        temper_run_options o = {.threads = 1, .unchecked = 1};
        if (temper_model_run(&run, m->hard, word, 0, &o, &err) != TEMPER_OK) give_up(m->about->name, &err);
        for (size_t k = 0; k <= letters; k++) legal[0] |= (unsigned)temper_run_output(run, k)[0] << k;
        temper_run_free(run);
        if (temper_spec_eval_outputs(truth, m->next, word, n, &err) != TEMPER_OK) give_up(m->about->name, &err);
        for (size_t k = 0; k <= letters; k++)
            for (size_t i = 1; i <= n; i++) legal[i] |= (unsigned)truth[k * n + i - 1] << k;
    }
    free(truth);
}

static size_t find_token(const maker *m, const char *name) {
    for (size_t k = 0; k < m->token_count; k++)
        if (strcmp(m->tokens[k], name) == 0) return k;
    give_up(name, NULL);
    return 0;
}

/* What stands at each position, by the specification's formulas or by the task's program. */
static void find_written(answers *x, const maker *m, const uint32_t *word, size_t n) {
    temper_error err;
    size_t outputs = m->info.outputs;
    unsigned char *truth = calloc(outputs, n + 1);
    char *string = calloc(n + 1, 1), *out = calloc(n + 1, 1);
    if (m->task) {
        for (size_t i = 0; i < n; i++) string[i] = m->task->alphabet[word[i]];
        m->task->write(out, string, n);
    } else if (n && temper_spec_eval_outputs(truth, m->spec, word, n, &err) != TEMPER_OK) {
        give_up(m->about->name, &err);
    }
    for (size_t i = 1; i <= n; i++) {
        size_t at = m->mirrored ? n - i : i - 1;
        const char *name = m->task ? (char[]){out[at], 0} : NULL;
        for (size_t k = 0; k < outputs && !m->task; k++)
            if (truth[k * n + at]) name = temper_spec_output_name(m->spec, k);
        if (!name) give_up(m->about->name, NULL);
        x->end[i] = !*name;
        x->legal[i] = *name ? 1u << find_token(m, name) : 0;
    }
    free(truth);
    free(string);
    free(out);
}

static void find_next(answers *x, const maker *m, const uint32_t *word, size_t n) {
    next_memory memory = {0};
    for (size_t i = 0; i <= n; i++) {
        uint32_t may = m->task->next(&memory, i ? m->task->alphabet[word[i - 1]] : 0);
        x->end[i] = may & SEQUENCE_END;
        x->legal[i] = may & ~SEQUENCE_END;
    }
}

static void find_answers(answers *x, maker *m, const uint32_t *word, size_t n) {
    if (m->info.kind == TEMPER_KIND_TRANSDUCER)
        find_written(x, m, word, n);
    else if (m->task)
        find_next(x, m, word, n);
    else {
        find_legal(x->legal, m, word, n);
        if (m->info.kind == TEMPER_KIND_ACCEPTOR) find_ends(x->end, m, word, n);
        for (size_t i = 0; i <= n; i++) {
            bool may_end = x->legal[i] >> m->info.letters & 1;
            if (m->info.kind == TEMPER_KIND_NEXT) x->end[i] = may_end;
            if (m->next && may_end != x->end[i]) give_up("what comes next has another end", NULL);
            x->legal[i] &= (1u << m->info.letters) - 1;
        }
    }
}

static void put_string(maker *m, const uint32_t *word, size_t n, bool is_first) {
    answers x = {calloc(n + 1, sizeof *x.end), calloc(n + 1, sizeof *x.legal)};
    find_answers(&x, m, word, n);
    fprintf(m->out, "%s\n{\"ids\": [0", is_first ? "" : ",");
    for (size_t j = 0; j < n; j++) fprintf(m->out, ",%u", 2 + word[m->mirrored ? n - 1 - j : j]);
    fputs("], \"end\": \"", m->out);
    for (size_t i = 0; i <= n; i++) fputc(x.end[i] ? '1' : '0', m->out);
    fputs("\", \"legal\": [", m->out);
    for (size_t i = 0; i <= n; i++) fprintf(m->out, "%s%u", i ? "," : "", x.legal[i]);
    fputs("]}", m->out);
    free(x.end);
    free(x.legal);
}

/* ---- strings ---- */

/* A letter that the prefix allows; any, if there is none or it is not known. */
static uint32_t legal_letter(maker *m, const uint32_t *word, size_t k) {
    static unsigned legal[FAR];
    uint32_t any = (uint32_t)random_below(&m->random, m->info.letters);
    if (k >= FAR || !m->next) return any;
    find_legal(legal, m, word, k);
    for (int tries = 0; tries < 40 && !(legal[k] >> any & 1); tries++)
        any = (uint32_t)random_below(&m->random, m->info.letters);
    return any;
}

/* 0 uniform; 1 of two letters; 2 long runs; 3 rare letters; 4 letters that are legal, most of the way; 5 one letter,
   then another: counts are as large as they get, and what a head looks for is far; 6 two letters by turns. */
static void make_word(maker *m, uint32_t *word, size_t n, unsigned kind) {
    size_t letters = m->info.letters;
    uint32_t a = (uint32_t)random_below(&m->random, letters), b = (uint32_t)random_below(&m->random, letters);
    size_t fails = random_below(&m->random, 2) ? n : (size_t)random_below(&m->random, n + 1);
    size_t middle = n / 2 + (size_t)random_below(&m->random, 4);
    if (m->task) {
        uint64_t state = random_below(&m->random, (uint64_t)1 << 40);
        char *string = calloc(n + 1, 1);
        sequence_string(string, n, m->task, kind % 3, &state);
        for (size_t k = 0; k < n; k++) word[k] = (uint32_t)(strchr(m->task->alphabet, string[k]) - m->task->alphabet);
        free(string);
        return;
    }
    for (size_t k = 0; k < n; k++) {
        uint32_t any = (uint32_t)random_below(&m->random, letters);
        bool is_rare = !random_below(&m->random, n / 3 + 1);
        word[k] = kind == 1   ? (random_below(&m->random, 2) ? a : b)
                  : kind == 2 ? (random_below(&m->random, 40) ? (k ? word[k - 1] : a) : any)
                  : kind == 3 ? (is_rare ? any : a)
                  : kind == 5 ? (is_rare && k % 5 == 0 ? any
                                 : k < middle          ? a
                                                       : b)
                  : kind == 6 ? (is_rare && k % 5 == 0 ? any
                                 : k % 2               ? a
                                                       : b)
                              : any;
        if (kind == 4 && k <= fails) word[k] = legal_letter(m, word, k);
    }
}

static void put_strings(maker *m, size_t length) {
    uint32_t *word = calloc(length + 1, sizeof *word);
    bool is_far = length >= FAR;
    unsigned small = is_far ? 2 : SHORT, any = is_far ? 1 : ANY, full = length > 4 * FAR ? 1 : is_far ? 2 : FULL;
    if (length > 4 * FAR) any = 0;
    for (unsigned k = 0; k < small + any + full; k++) {
        size_t most = length < SHORTEST ? length : SHORTEST;
        size_t n = k < small         ? (size_t)random_below(&m->random, most + 1)
                   : k < small + any ? (size_t)random_below(&m->random, length + 1)
                                     : length;
        /* At great lengths legal walks would take long; rare letters and halves are the hard ones. */
        make_word(m, word, n, is_far ? ((k + m->about->name[0]) % 2 ? 3 : 5) : k % KINDS);
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
        temper_ordinary_info info;
        temper_ordinary_options o = {.architecture = k / 2 ? TEMPER_ORDINARY_LLAMA : TEMPER_ORDINARY_GPT2,
                                     .length = length,
                                     .weights_f16 = k % 2,
                                     .seed = 1};
        snprintf(path, sizeof path, "%s/%s", folder, names[k]);
        if (ordinary_folder_once(&info, path, m->spec, &o, &err) == TEMPER_OK) {
            m->mirrored = info.mirrored;
            made++;
        } else {
            printf("%s at %zu, %s: %s\n", m->about->name, length, names[k], err.text);
        }
    }
    return made > 0;
}

static void name_tokens(maker *m) {
    if (m->info.letters > MOST_TOKENS) give_up("too many letters", NULL);
    for (size_t k = 0; k < m->info.letters; k++) m->tokens[m->token_count++] = temper_spec_letter(m->spec, k);
    for (size_t k = 0; m->info.kind == TEMPER_KIND_TRANSDUCER && k < m->info.outputs; k++) {
        const char *name = temper_spec_output_name(m->spec, k);
        bool known = !*name;
        for (size_t j = 0; j < m->token_count && !known; j++) known = strcmp(m->tokens[j], name) == 0;
        if (!known && m->token_count == MOST_TOKENS) give_up("too many texts", NULL);
        if (!known) m->tokens[m->token_count++] = name;
    }
}

static void put_oracle(maker *m, size_t length) {
    bool writes = m->info.kind == TEMPER_KIND_TRANSDUCER;
    fprintf(m->out,
            "{\"name\": \"%s\", \"length\": %zu, \"mirrored\": %s, \"words\": %s, \"letters\": %zu, \"from\": %d, "
            "\"draws\": %s, \"tokens\": [",
            m->about->name, length, m->mirrored ? "true" : "false", m->about->tokens ? "true" : "false",
            m->info.letters, writes, writes || m->task ? "false" : "true");
    for (size_t k = 0; k < m->token_count; k++)
        fprintf(m->out, "%s\"%s%s\"", k ? ", " : "", strchr("\"\\", *m->tokens[k]) ? "\\" : "", m->tokens[k]);
    fputs("], \"strings\": [", m->out);
    put_strings(m, length);
    fputs("]}\n", m->out);
}

static void make_case(const char *parent, const ordinary_spec *about, const sequence_task *task, size_t length,
                      uint64_t seed) {
    char folder[2048], path[2100];
    temper_error err;
    maker m = {.about = about, .task = task, .random = test_seed(seed)};
    temper_spec_options o = {.syntax = about->syntax, .alphabet = about->alphabet, .tokens = about->tokens};
    snprintf(folder, sizeof folder, "%s/%s", parent, about->name);
    mkdir(folder, 0777);
    if (temper_spec_parse(&m.spec, about->text, strlen(about->text), &o, &err) != TEMPER_OK)
        give_up(about->name, &err);
    m.info = temper_spec_about(m.spec);
    name_tokens(&m);
    if (make_folders(&m, folder, length)) {
        bool asks = m.info.kind != TEMPER_KIND_TRANSDUCER && !m.mirrored && !task;
        if (asks && temper_spec_next(&m.next, NULL, m.spec, &err) == TEMPER_OK) {
            temper_build_options hard = {.method = TEMPER_METHOD_HARD};
            if (temper_build(&m.hard, m.next, &hard, &err) != TEMPER_OK) give_up(about->name, &err);
        }
        snprintf(path, sizeof path, "%s/oracle.json", folder);
        if (!(m.out = fopen(path, "w"))) give_up("cannot write", NULL);
        put_oracle(&m, length);
        if (fclose(m.out)) give_up("cannot write", NULL);
    }
    temper_model_free(m.hard);
    temper_spec_free(m.next);
    temper_spec_free(m.spec);
}

/* ---- strings that runtimes drew ---- */

static const ordinary_spec *find_spec(const char *name) {
    for (size_t k = 0; k < ORDINARY_SPECS; k++)
        if (strcmp(ordinary_specs[k].name, name) == 0) return &ordinary_specs[k];
    give_up(name, NULL);
    return NULL;
}

/* A line is SPEC, a tab, and a string that ended. Each must be of the language; of a mirrored model, read backwards.
   */
static void check_members(const char *path, size_t least) {
    static char line[1 << 16];
    size_t strings = 0, languages = 0;
    bool seen[ORDINARY_SPECS] = {false};
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
        const ordinary_spec *about = find_spec(line);
        temper_spec_options o = {.syntax = about->syntax, .alphabet = about->alphabet, .tokens = about->tokens};
        if (temper_spec_parse(&spec, about->text, strlen(about->text), &o, &err) != TEMPER_OK ||
            temper_spec_encode(&word, &n, spec, tab + 1, strlen(tab + 1), &err) != TEMPER_OK)
            give_up(line, &err);
        maker m = {.about = about, .spec = spec, .info = temper_spec_about(spec)};
        if (strncmp(about->name, "ahead", 5) == 0)
            for (size_t k = 0; k < n / 2; k++) {
                uint32_t x = word[k];
                word[k] = word[n - 1 - k];
                word[n - 1 - k] = x;
            }
        CHECK(accepts(&m, word, n), "%s: %s was drawn, and is not of the language", line, tab + 1);
        languages += !seen[about - ordinary_specs];
        seen[about - ordinary_specs] = true;
        strings++;
        temper_free(word);
        temper_spec_free(spec);
    }
    fclose(f);
    printf("%s: %zu strings of %zu languages\n", path, strings, languages);
    CHECK(strings >= least && (least < 1000 || languages >= 10), "%s has too few strings", path);
}

static int check_drawn(const char *folder, size_t least) {
    DIR *d = opendir(folder);
    char path[4096];
    if (!d) give_up(folder, NULL);
    for (struct dirent *e; (e = readdir(d));)
        if (strncmp(e->d_name, "drawn-", 6) == 0) {
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
            check_members(path, least);
        }
    closedir(d);
    return test_finish("members");
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    if (strcmp(argv[2], "members") == 0) return check_drawn(argv[1], argc > 3 ? strtoul(argv[3], NULL, 10) : 0);
    size_t length = strtoul(argv[2], NULL, 10), made = 0;
    const char *which = argc > 3 ? argv[3] : "1";
    ordinary_group group = strcmp(which, "far") == 0      ? ORDINARY_FAR
                           : strcmp(which, "counts") == 0 ? ORDINARY_COUNTS
                                                          : ORDINARY_ANY;
    size_t share = group ? 1 : strtoul(which, NULL, 10);
    mkdir(argv[1], 0777);
    for (size_t k = 0; k < ORDINARY_SPECS; k++) {
        if ((group && ordinary_specs[k].group != group) || k % share) continue;
        make_case(argv[1], &ordinary_specs[k], NULL, length, 100 + k);
        made++;
    }
    for (size_t k = 0; k < sequence_count() && !group; k++) {
        const sequence_task *task = &sequence_suite[k];
        char name[100];
        snprintf(name, sizeof name, "task-%s", task->name);
        ordinary_spec about = {name, task->text, task->alphabet, TEMPER_SYNTAX_SPEC, 0, ORDINARY_ANY};
        if (k % share) continue;
        make_case(argv[1], &about, task, length, 1000 + k);
        made++;
    }
    printf("make_cases: %zu specifications for up to %zu letters\n", made, length);
    return 0;
}
