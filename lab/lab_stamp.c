/* Outcomes that are kept in a folder: a stamp says what was run, by which version, and what every file must hold, so
   that a run that was interrupted goes on after the last whole experiment, and one that was tampered with is run
   again.

       temper-lab-stamp 1
       experiment NAME
       version VERSION
       seed SEED
       quick 0|1
       claims COUNT
       failed COUNT
       file NAME SHA-256      ... one line a file
       end SHA-256 of all lines above */
#include "lab/lab.h"

#include "base/file_io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

lab_outcome lab_outcome_of(const lab *l) {
    lab_outcome o = {l->claim_count, 0};
    for (size_t k = 0; k < l->claim_count; k++) o.failed += !l->claims[k].holds;
    return o;
}

static void put_head(text *t, const lab_experiment *e, uint64_t seed, bool quick) {
    text_printf(t, "temper-lab-stamp 1\nexperiment %s\nversion %s\nseed %llu\nquick %d\n", e->name, temper_version(),
                (unsigned long long)seed, quick);
}

static const char *path_of(const char *folder, const char *name, const char *ending, arena *a) {
    text t;
    text_init(&t, a);
    text_printf(&t, "%s/%s%s", folder, name, ending);
    return text_string(&t);
}

/* The stamp is written last and whole: it is there only if everything else is. */
void lab_keep(const lab *l, const char *folder, arena *scratch) {
    text t;
    char hex[SHA256_HEX + 1];
    temper_error err;
    lab_outcome o = lab_outcome_of(l);
    text_init(&t, scratch);
    put_head(&t, l->experiment, l->seed, l->quick);
    text_printf(&t, "claims %zu\nfailed %zu\n", o.claims, o.failed);
    lab_write_all(l, folder, &t, scratch);
    lab_write_file(l, folder, "part", "html", lab_section(scratch, l), &t, scratch);
    lab_digest(hex, text_string(&t), t.length);
    text_printf(&t, "end %s\n", hex);
    if (temper_file_write(path_of(folder, l->experiment->name, ".stamp", scratch), text_string(&t), t.length, &err) !=
        TEMPER_OK)
        trap_reraise(scratch->trap, &err);
}

/* NULL: it cannot be read. */
static const char *read_file(size_t *length, const char *path, arena *a) {
    char *bytes = NULL;
    temper_error err;
    if (temper_file_read(&bytes, length, path, &err) != TEMPER_OK) return NULL;
    const char *copy = arena_copy(a, bytes, *length);
    temper_free(bytes);
    return copy;
}

/* Reads "WORD NUMBER\n". */
static bool take_count(const char **at, const char *word, size_t *count) {
    size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0 || (*at)[length] != ' ') return false;
    const char *digits = *at + length + 1;
    char *end;
    if (*digits < '0' || *digits > '9') return false;
    *count = (size_t)strtoull(digits, &end, 10);
    if (*end != '\n') return false;
    *at = end + 1;
    return true;
}

/* Reads "file NAME SHA\n" and compares; names have no blanks and no slashes. */
static bool take_file(const char **at, const char *folder, arena *scratch) {
    const char *name = *at + 5, *blank = strchr(name, ' ');
    if (!blank || strcspn(name, "/\n") < (size_t)(blank - name) || strlen(blank) < SHA256_HEX + 2 ||
        blank[SHA256_HEX + 1] != '\n')
        return false;
    char hex[SHA256_HEX + 1];
    size_t length;
    const char *content =
        read_file(&length, path_of(folder, arena_copy(scratch, name, (size_t)(blank - name)), "", scratch), scratch);
    if (!content) return false;
    lab_digest(hex, content, length);
    if (strncmp(hex, blank + 1, SHA256_HEX) != 0) return false;
    *at = blank + SHA256_HEX + 2;
    return true;
}

bool lab_is_kept(lab_outcome *out, const lab_experiment *e, uint64_t seed, bool quick, const char *folder,
                 arena *scratch) {
    size_t length;
    const char *stamp = read_file(&length, path_of(folder, e->name, ".stamp", scratch), scratch), *at = stamp;
    text head;
    char hex[SHA256_HEX + 1];
    if (!stamp || strlen(stamp) != length) return false;
    text_init(&head, scratch);
    put_head(&head, e, seed, quick);
    if (length < head.length || memcmp(stamp, text_string(&head), head.length) != 0) return false;
    at += head.length;
    if (!take_count(&at, "claims", &out->claims) || !take_count(&at, "failed", &out->failed)) return false;
    const char *end = strstr(at, "\nend ");
    if (!end || strlen(end) != SHA256_HEX + 6 || end[SHA256_HEX + 5] != '\n') return false;
    lab_digest(hex, stamp, (size_t)(end + 1 - stamp));
    if (strncmp(hex, end + 5, SHA256_HEX) != 0) return false;
    while (!strncmp(at, "file ", 5))
        if (!take_file(&at, folder, scratch)) return false;
    return at == end + 1;
}

const char *lab_kept_part(const lab_experiment *e, const char *folder, arena *scratch) {
    size_t length;
    const char *part = read_file(&length, path_of(folder, e->name, "-part.html", scratch), scratch);
    if (!part) trap_raise(scratch->trap, TEMPER_IO, 0, 0, "the part of experiment %s cannot be read", e->name);
    return part;
}
