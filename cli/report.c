#include "report.h"

#include <string.h>

#include "escape.h"
#include "json.h"
#include "proof_show.h"
#include "real.h"

static field *add(report *r, const char *name, field_kind kind) {
    static field none; /* beyond the last one nothing is kept */
    field *f = r->count < REPORT_FIELDS ? &r->fields[r->count++] : &none;
    *f = (field){.name = name, .kind = kind};
    return f;
}

void report_text(report *r, const char *name, const char *value) { add(r, name, FIELD_TEXT)->is.text = value; }
void report_count(report *r, const char *name, uint64_t value) { add(r, name, FIELD_COUNT)->is.count = value; }
void report_real(report *r, const char *name, double value) { add(r, name, FIELD_REAL)->is.real = value; }
void report_flag(report *r, const char *name, bool value) { add(r, name, FIELD_FLAG)->is.flag = value; }

void report_proof(report *r, const char *name, const temper_proof *value, temper_type type) {
    field *f = add(r, name, FIELD_PROOF);
    f->is.proof.of = value;
    f->is.proof.type = type;
}

void report_word(report *r, const char *name, const char *value) {
    field *f = add(r, name, FIELD_TEXT);
    f->is.text = value;
    f->spoken = true;
}

void report_spoken_count(report *r, const char *name, uint64_t value) {
    field *f = add(r, name, FIELD_COUNT);
    f->is.count = value;
    f->spoken = true;
}

void report_say(report *r, const char *phrase) {
    if (r->said < REPORT_PHRASES) r->phrases[r->said++] = phrase;
}

/* ---- JSON ---- */

static void write_field(json *j, const field *f) {
    switch (f->kind) {
    case FIELD_TEXT: json_text(j, f->name, f->is.text); break;
    case FIELD_COUNT: json_count(j, f->name, f->is.count); break;
    case FIELD_REAL: json_real(j, f->name, f->is.real); break;
    case FIELD_FLAG: json_flag(j, f->name, f->is.flag); break;
    case FIELD_PROOF: proof_json(j, f->name, f->is.proof.of, f->is.proof.type); break;
    }
}

static void write_json(const report *r) {
    json j;
    json_open(&j, stdout);
    for (size_t k = 0; k < r->count; k++)
        if (!r->fields[k].spoken) write_field(&j, &r->fields[k]);
    json_close(&j);
}

/* ---- text ---- */

static const field *find(const report *r, const char *name, size_t length) {
    for (size_t k = 0; k < r->count; k++)
        if (strlen(r->fields[k].name) == length && !memcmp(r->fields[k].name, name, length)) return &r->fields[k];
    return NULL;
}

/* format: '%' and what stands behind the colon. */
static void say_field(const field *f, const char *format) {
    switch (f->kind) {
    case FIELD_TEXT:
        if (f->spoken)
            fputs(f->is.text, stdout);
        else if (!strcmp(format, "%path"))
            show_write(stdout, f->is.text, strlen(f->is.text), 0);
        else
            escape_write(stdout, f->is.text, strlen(f->is.text), 0);
        break;
    case FIELD_COUNT: printf("%llu", (unsigned long long)f->is.count); break;
    case FIELD_REAL:
        fputs((format[1] ? real_of(format, f->is.real) : real_of("%.9g", f->is.real)).text, stdout);
        break;
    case FIELD_FLAG: fputs(f->is.flag ? "yes" : "no", stdout); break;
    case FIELD_PROOF: proof_print(f->is.proof.of, f->is.proof.type); break;
    }
}

static void say(const report *r, const char *phrase) {
    while (*phrase) {
        size_t plain = strcspn(phrase, "{"), inside = strcspn(phrase + plain, "}");
        fwrite(phrase, 1, plain, stdout);
        phrase += plain;
        if (!*phrase) return;
        const char *name = phrase + 1;
        size_t length = strcspn(name, ":}"), rest = inside - 1 - length;
        char format[16] = "%"; /* then what stands behind the colon */
        if (rest > 1 && rest < sizeof format - 1) memcpy(format + 1, name + length + 1, rest - 1);
        const field *f = find(r, name, length);
        if (f) say_field(f, format);
        phrase += inside + (phrase[inside] == '}');
    }
}

void report_print(const report *r, const session *s) {
    if (s->json) {
        write_json(r);
        return;
    }
    for (size_t k = 0; k < r->said; k++) say(r, r->phrases[k]);
    putchar('\n');
}
