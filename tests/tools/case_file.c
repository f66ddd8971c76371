#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "case_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "test.h"

static bool wrong(const test_case *c, const char *what) { return CHECK(false, "%s:%zu: %s", c->file, c->line, what); }

const char *case_word(const test_case *c, const char *name) {
    static char value[sizeof c->words];
    size_t length = strlen(name);
    for (const char *w = c->words; *w; w += strcspn(w, " "), w += strspn(w, " ")) {
        size_t size = strcspn(w, " ");
        if (size < length || strncmp(w, name, length) || (size > length && w[length] != '=')) continue;
        size_t skip = length + (size > length);
        snprintf(value, sizeof value, "%.*s", (int)(size - skip), w + skip);
        return value;
    }
    return NULL;
}

void case_other_words(char words[sizeof((test_case *)0)->words], const test_case *c) {
    static const char *const own[] = {"base", "escaped", "no-newline", "from="};
    for (const char *w = c->words; *w; w += strcspn(w, " "), w += strspn(w, " ")) {
        bool other = true;
        for (size_t k = 0; k < sizeof own / sizeof *own; k++) other = other && strncmp(w, own[k], strlen(own[k]));
        if (other) sprintf(words + strlen(words), "%s%.*s", *words ? " " : "", (int)strcspn(w, " "), w);
    }
}

/* ---- one input ---- */

static int escape_of(const char **at) {
    static const char names[] = "ntr0\\", values[] = "\n\t\r\0\\";
    const char *found = **at ? strchr(names, **at) : NULL;
    if (found) return (*at)++, (unsigned char)values[found - names];
    unsigned value;
    if (sscanf(*at, "x%2x", &value) != 1) return -1;
    return *at += 3, (int)value;
}

static bool unescape(test_case *c, case_input *in) {
    char *to = in->text;
    for (const char *at = in->text; *at;) {
        int value = *at == '\\' ? (at++, escape_of(&at)) : (unsigned char)*at++;
        if (value < 0) return wrong(c, "an escape that is none");
        *to++ = (char)value;
    }
    in->length = (size_t)(to - in->text);
    *to = 0;
    return true;
}

static case_input input_of(const char *text, size_t length) {
    case_input in = {malloc(length + 1), length};
    memcpy(in.text, text, length);
    in.text[length] = 0;
    return in;
}

static bool edit_once(test_case *c, case_input *in, const case_input *old, const case_input *new) {
    char *at = strstr(in->text, old->text);
    if (!at || !old->length) return wrong(c, "what an edit replaces does not stand in the base");
    if (strstr(at + 1, old->text)) return wrong(c, "what an edit replaces stands in the base more than once");
    size_t before = (size_t)(at - in->text), length = in->length - old->length + new->length;
    char *text = malloc(length + 1);
    memcpy(text, in->text, before);
    memcpy(text + before, new->text, new->length);
    memcpy(text + before + new->length, at + old->length, in->length - before - old->length + 1);
    free(in->text);
    *in = (case_input){text, length};
    return true;
}

static bool edit(test_case *c, case_input *in, const char *line, size_t length, bool escaped) {
    static const char arrow[] = " =>";
    case_input whole = input_of(line, length);
    char *middle = strstr(whole.text, arrow);
    bool ok = middle || wrong(c, "an edit is `old => new`");
    if (ok) {
        size_t skip = strlen(arrow) + (middle[3] == ' ');
        case_input old = input_of(line, (size_t)(middle - whole.text)),
                   new = input_of(middle + skip, strlen(middle + skip));
        ok = (!escaped || (unescape(c, &old) && unescape(c, &new))) && edit_once(c, in, &old, &new);
        free(old.text);
        free(new.text);
    }
    free(whole.text);
    return ok;
}

static bool edit_all(test_case *c, case_input *in, const char *text, size_t length, bool escaped) {
    for (const char *end = text + length; text < end;) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        if (!edit(c, in, text, (size_t)(stop - text), escaped)) return false;
        text = stop + 1;
    }
    return true;
}

/* ---- blocks ---- */

typedef struct section {
    const char *at;
    size_t length;
} section;

static const test_case *find_base(const case_file *f, const test_case *c, const char *name) {
    for (size_t k = 0; k < f->count; k++)
        if (f->cases[k].base && !strcmp(f->cases[k].name, name)) return &f->cases[k];
    wrong(c, "there is no such base before it");
    return NULL;
}

static bool fill(const case_file *f, test_case *c, const section *parts, size_t count) {
    const char *from = case_word(c, "from");
    const test_case *base = from ? find_base(f, c, from) : NULL;
    bool escaped = case_word(c, "escaped") != NULL;
    if (from && !base) return false;
    for (size_t k = 0; k < CASE_INPUTS; k++) {
        if (base && base->input[k].text) c->input[k] = input_of(base->input[k].text, base->input[k].length);
        if (k >= count) continue;
        if (base && !edit_all(c, &c->input[k], parts[k].at, parts[k].length, escaped)) return false;
        if (base) continue;
        c->input[k] = input_of(parts[k].at, parts[k].length);
        if (case_word(c, "no-newline") && parts[k].length) c->input[k].text[--c->input[k].length] = 0;
        if (escaped && !unescape(c, &c->input[k])) return false;
    }
    return true;
}

/* The lines of a block, cut at lines "."; the last part is what is expected. */
static bool read_block(case_file *f, test_case *c, const char *begin, const char *end) {
    section parts[CASE_INPUTS + 1] = {{begin, 0}};
    size_t count = 0;
    for (const char *line = begin; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        if (stop - line == 1 && *line == '.') {
            if (count == CASE_INPUTS) return wrong(c, "it has too many lines \".\"");
            parts[count].length = (size_t)(line - parts[count].at);
            parts[++count].at = stop + 1;
        }
        line = stop + 1;
    }
    parts[count].length = (size_t)(end - parts[count].at);
    c->base = case_word(c, "base") != NULL;
    if (c->base) return fill(f, c, parts, count + 1);
    if (!count) return wrong(c, "a line \".\" is missing before what is expected");
    c->expect_at = (size_t)(parts[count].at - f->text);
    c->expect_length = parts[count].length;
    c->expect = input_of(parts[count].at, parts[count].length).text;
    return fill(f, c, parts, count);
}

static bool read_fence(test_case *c, const char *line, size_t fence) {
    const char *at = line + fence + strspn(line + fence, " ");
    size_t name = strcspn(at, " \n"), words = strcspn(at + name, "\n");
    if (!name || name >= sizeof c->name || words >= sizeof c->words)
        return wrong(c, "its name or words are missing or too long");
    memcpy(c->name, at, name);
    at += name;
    size_t blanks = strspn(at, " ");
    memcpy(c->words, at + blanks, words - blanks);
    return true;
}

static const char *next_line(const char *line) {
    const char *stop = strchr(line, '\n');
    return stop ? stop + 1 : line + strlen(line);
}

static bool read_blocks(case_file *f, const char *path) {
    size_t number = 0, room = 0;
    for (const char *line = f->text; *line; line = next_line(line)) {
        number++;
        size_t fence = strspn(line, "`");
        if (fence < 3) continue;
        if (f->count == room) f->cases = realloc(f->cases, (room = 2 * room + 64) * sizeof *f->cases);
        test_case *c = &f->cases[f->count];
        *c = (test_case){.file = path, .line = number};
        if (!read_fence(c, line, fence)) return false;
        const char *begin = next_line(line), *end = begin;
        size_t lines = 1;
        while (*end && !(strspn(end, "`") == fence && (end[fence] == '\n' || !end[fence]))) {
            end = next_line(end);
            lines++;
        }
        if (!*end) return wrong(c, "its fence is not closed");
        f->count++;
        if (!read_block(f, c, begin, end)) return false;
        number += lines;
        line = end;
    }
    return true;
}

bool case_file_read(case_file *f, const char *path) {
    *f = (case_file){0};
    FILE *in = fopen(path, "rb");
    if (!CHECK(in != NULL, "cannot read %s", path)) return false;
    FILE *out = open_memstream(&f->text, &f->length);
    for (int byte; (byte = getc(in)) != EOF;) putc(byte, out);
    fclose(out);
    fclose(in);
    return CHECK(strlen(f->text) == f->length, "%s: a NUL: write it as \\0", path) && read_blocks(f, path);
}

void case_file_free(case_file *f) {
    for (size_t k = 0; k < f->count; k++) {
        for (size_t n = 0; n < CASE_INPUTS; n++) free(f->cases[k].input[n].text);
        free(f->cases[k].expect);
    }
    free(f->cases);
    free(f->text);
}

bool case_file_update(const case_file *f, const char *path, char *const *expect) {
    FILE *out = fopen(path, "wb");
    if (!CHECK(out != NULL, "cannot write %s", path)) return false;
    size_t at = 0;
    for (size_t k = 0; k < f->count; k++) {
        const test_case *c = &f->cases[k];
        if (!expect[k]) continue;
        fwrite(f->text + at, 1, c->expect_at - at, out);
        fputs(expect[k], out);
        at = c->expect_at + c->expect_length;
    }
    fwrite(f->text + at, 1, f->length - at, out);
    return CHECK(!fclose(out), "cannot write %s", path);
}
