/* The table of limits as CSV and as JSON. */
#include <string.h>

#include "base/json_write.h"
#include "limits/limits.h"

enum { WHOLE_STRING = 10000 }; /* letters of a string that JSON has in full */

const char *temper_why_name(temper_why why) {
    switch (why) {
    case TEMPER_WHY_UNKNOWN: break;
    case TEMPER_WHY_OVERFLOW: return "overflow";
    case TEMPER_WHY_REPRESENTABILITY: return "representability";
    case TEMPER_WHY_LOST_TIE: return "lost tie";
    case TEMPER_WHY_ABSORPTION: return "absorption";
    case TEMPER_WHY_GATE: return "gate";
    }
    return "unknown";
}

/* ---- CSV ---- */

/* In quotes where commas, quotes or line breaks need them. */
static void put_field(text *t, const char *field) {
    if (!strpbrk(field, ",\"\r\n")) {
        text_puts(t, field);
        return;
    }
    text_putc(t, '"');
    for (const char *p = field; *p; p++) {
        if (*p == '"') text_putc(t, '"');
        text_putc(t, *p);
    }
    text_putc(t, '"');
}

static void put_csv(text *t, const temper_limits *l) {
    text_puts(t, "type,method,proved_length,claim,first_wrong,ratio,swept,tried,why,layer,head,label,position,string,"
                 "obstacle\r\n");
    for (size_t k = 0; k < l->count; k++) {
        const temper_limits_row *r = &l->rows[k];
        text_printf(t, "%s,%s,", temper_type_name(r->type), temper_method_name(r->method));
        if (r->claim != TEMPER_CLAIM_NONE) text_printf(t, "%zu", r->proved);
        text_printf(t, ",%s,", temper_claim_name(r->claim));
        if (r->found) text_printf(t, "%zu", r->wrong);
        text_putc(t, ',');
        if (r->found && r->proved) text_printf(t, "%.4g", (double)r->wrong / (double)r->proved);
        text_printf(t, ",%zu,%zu,", r->swept, r->tried);
        if (r->found) text_puts(t, temper_why_name(r->why));
        text_putc(t, ',');
        if (r->found && r->layer) text_printf(t, "%zu", r->layer);
        text_putc(t, ',');
        if (r->found && r->layer) text_printf(t, "%zu", r->head);
        text_putc(t, ',');
        put_field(t, r->label);
        text_putc(t, ',');
        if (r->found) text_printf(t, "%zu", r->position);
        text_putc(t, ',');
        put_field(t, r->string);
        text_putc(t, ',');
        put_field(t, r->obstacle);
        text_puts(t, "\r\n");
    }
}

/* ---- JSON ---- */

static void put_key(text *t, const char *key) { text_printf(t, "\"%s\":", key); }

static void put_text(text *t, const char *key, const char *value) {
    put_key(t, key);
    jwrite_string(t, value, strlen(value));
}

static void put_letters(text *t, const temper_limits *l, const temper_limits_row *r, arena *a) {
    text string;
    text_init(&string, a);
    for (size_t k = 0; k < r->wrong; k++) {
        if (k && l->letters.tokens) text_putc(&string, ' ');
        text_puts(&string, l->letters.letters[r->letters[k]]);
    }
    put_text(t, "letters", text_string(&string));
}

static void put_row(text *t, const temper_limits *l, const temper_limits_row *r, arena *a) {
    text_putc(t, '{');
    put_text(t, "type", temper_type_name(r->type));
    text_putc(t, ',');
    put_text(t, "method", temper_method_name(r->method));
    text_puts(t, ",\"proved_length\":");
    if (r->claim == TEMPER_CLAIM_NONE)
        text_puts(t, "null,");
    else
        text_printf(t, "%zu,", r->proved);
    put_text(t, "claim", temper_claim_name(r->claim));
    text_putc(t, ',');
    put_text(t, "obstacle", r->obstacle);
    text_printf(t, ",\"swept\":%zu,\"tried\":%zu,\"first_wrong\":", r->swept, r->tried);
    if (!r->found) {
        text_puts(t, "null}");
        return;
    }
    text_printf(t, "%zu,", r->wrong);
    if (r->proved) text_printf(t, "\"ratio\":%.6g,", (double)r->wrong / (double)r->proved);
    put_text(t, "why", temper_why_name(r->why));
    text_printf(t, ",\"layer\":%zu,\"head\":%zu,", r->layer, r->head);
    put_text(t, "label", r->label);
    text_printf(t, ",\"position\":%zu,", r->position);
    put_text(t, "string", r->string);
    if (r->wrong <= WHOLE_STRING) {
        text_putc(t, ',');
        put_letters(t, l, r, a);
    }
    text_putc(t, '}');
}

static void put_json(text *t, const temper_limits *l, arena *a) {
    text_putc(t, '{');
    put_text(t, "source", l->source);
    text_puts(t, ",\"rows\":[");
    for (size_t k = 0; k < l->count; k++) {
        if (k) text_putc(t, ',');
        put_row(t, l, &l->rows[k], a);
    }
    text_puts(t, "]}\n");
}

typedef struct print_call {
    char **out;
    size_t *length;
    const temper_limits *limits;
    temper_limits_format format;
} print_call;

static void print(entry *e, void *context) {
    const print_call *c = context;
    text printed;
    text_init(&printed, &e->memory);
    if (c->format == TEMPER_LIMITS_CSV)
        put_csv(&printed, c->limits);
    else
        put_json(&printed, c->limits, &e->memory);
    *c->length = printed.length;
    *c->out = entry_hand_out(e, printed.data, printed.length);
}

temper_status temper_limits_print(char **out, size_t *length, const temper_limits *limits,
                                  temper_limits_format format, temper_error *err) {
    print_call call = {out, length, limits, format};
    *out = NULL;
    return entry_run(err, print, &call);
}
