/* What a command found, stated once: a list of named fields, which one writer prints as an object of JSON or as a
   line of text. The text is made of phrases in which {name} stands for a field:

       report r = {0};
       report_count(&r, "lines", lines);
       report_say(&r, "{lines} lines");
       report_print(&r, s);

   Names and texts are borrowed. A report has at most REPORT_FIELDS fields. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "session.h"

enum { REPORT_FIELDS = 40, REPORT_PHRASES = 24 };

typedef enum field_kind { FIELD_TEXT, FIELD_COUNT, FIELD_REAL, FIELD_FLAG, FIELD_PROOF } field_kind;

typedef struct field {
    const char *name;
    field_kind kind;
    bool spoken; /* for the text alone: JSON leaves it out */
    union {
        const char *text;
        uint64_t count;
        double real;
        bool flag;
        struct {
            const temper_proof *of;
            temper_type type;
        } proof;
    } is;
} field;

typedef struct report {
    field fields[REPORT_FIELDS];
    size_t count;
    const char *phrases[REPORT_PHRASES];
    size_t said;
} report;

void report_text(report *r, const char *name, const char *value);
void report_count(report *r, const char *name, uint64_t value);
void report_real(report *r, const char *name, double value);
void report_flag(report *r, const char *name, bool value);
void report_proof(report *r, const char *name, const temper_proof *value, temper_type type);

/* What the text has and JSON does not. */
void report_word(report *r, const char *name, const char *value);
void report_spoken_count(report *r, const char *name, uint64_t value);

/* A phrase goes on where the last one ended. {name} is a field as text: letters escaped, a real by the format behind
   a colon, {error:.3g}; a path shown as in messages, {file:path}. */
void report_say(report *r, const char *phrase);

/* A line on stdout. */
void report_print(const report *r, const session *s);

#endif
