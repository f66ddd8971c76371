/* temper gallery: the known hard-attention transformers, as a table, or one in detail. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "message.h"

enum {
    EXAMPLES = 8, /* strings shown of each kind, one of each length */
    LONGEST_EXAMPLE = 14,
    MOST_STRINGS = 50000, /* looked at in search of them */
    NAME_COLUMN = 12,
    PAGE = 100
};

/* ---- examples, found by the oracle ---- */

typedef struct examples {
    char text[2][EXAMPLES][LONGEST_EXAMPLE + 1]; /* rejected, accepted */
    size_t count[2];
} examples;

/* The next string of the same length, letters counting like digits; false after the last. */
static bool next_string(uint32_t *letters, size_t n, size_t alphabet) {
    for (size_t i = n; i-- > 0;) {
        if (++letters[i] < alphabet) return true;
        letters[i] = 0;
    }
    return false;
}

/* Of each length one string, each as likely as any other; the same ones every time. */
static temper_status find_examples(examples *out, const temper_gallery_info *about, temper_error *err) {
    uint32_t letters[LONGEST_EXAMPLE] = {0};
    uint64_t dice = 1;
    size_t alphabet = strlen(about->alphabet), tried = 0;
    memset(out, 0, sizeof *out);
    for (size_t n = 0; n <= LONGEST_EXAMPLE && tried < MOST_STRINGS; n++) {
        size_t seen[2] = {0, 0};
        do {
            int accept;
            temper_status status = temper_gallery_oracle(&accept, about->name, letters, n, err);
            if (status != TEMPER_OK) return status;
            dice = dice * 6364136223846793005u + 1442695040888963407u;
            if (out->count[accept] == EXAMPLES || (dice >> 33) % ++seen[accept]) continue;
            for (size_t i = 0; i < n; i++) out->text[accept][out->count[accept]][i] = about->alphabet[letters[i]];
        } while (tried++ < MOST_STRINGS && next_string(letters, n, alphabet));
        for (int accept = 0; accept < 2; accept++) out->count[accept] += seen[accept] > 0;
        memset(letters, 0, sizeof letters);
    }
    return TEMPER_OK;
}

/* ---- JSON ---- */

static void json_examples(json *j, const char *key, const examples *e, int accept) {
    json_begin(j, key, '[');
    for (size_t k = 0; k < e->count[accept]; k++) json_text(j, NULL, e->text[accept][k]);
    json_end(j, ']');
}

static void json_heads(json *j, const temper_model *model, size_t layers) {
    json_begin(j, "heads", '[');
    for (size_t l = 1; l <= layers; l++)
        for (size_t h = 1; h <= temper_model_layer(model, l).heads; h++) {
            temper_head_info head;
            if (!is_done(temper_model_head(&head, model, l, h, NULL))) continue;
            json_begin(j, NULL, '{');
            json_count(j, "layer", l);
            json_count(j, "head", h);
            json_text(j, "choice", temper_choice_name(head.choice));
            json_text(j, "mask", temper_mask_name(head.mask));
            json_text(j, "label", head.label);
            json_end(j, '}');
        }
    json_end(j, ']');
}

/* `model` and `e` are NULL in a list. */
static void json_entry(const temper_gallery_info *about, const temper_model *model, const examples *e) {
    json j;
    json_open(&j, stdout);
    json_text(&j, "name", about->name);
    json_text(&j, "title", about->title);
    json_text(&j, "class", about->class_name);
    json_text(&j, "alphabet", about->alphabet);
    json_text(&j, "language", about->language);
    json_text(&j, "source", about->source);
    json_text(&j, "formula", about->formula);
    if (model && e) {
        temper_model_info info = temper_model_about(model);
        json_count(&j, "layers", info.layers);
        json_count(&j, "channels", info.channels);
        json_count(&j, "hidden", info.hidden);
        json_count(&j, "parameters", info.parameters);
        json_heads(&j, model, info.layers);
        json_examples(&j, "accepted", e, 1);
        json_examples(&j, "rejected", e, 0);
    }
    json_close(&j);
}

/* ---- for people ---- */

/* "title       text", broken between words at the width of a page. */
static void print_field(const char *title, const char *text) {
    size_t column = NAME_COLUMN + 2;
    printf("  %-*s", NAME_COLUMN, title);
    while (*text) {
        size_t length = strcspn(text, " "), next = length + (text[length] == ' ');
        printf("%.*s", (int)length, text);
        column += next;
        text += next;
        if (!*text) break;
        bool full = column + strcspn(text, " ") > PAGE;
        if (full)
            printf("\n  %*s", NAME_COLUMN, "");
        else
            putchar(' ');
        if (full) column = NAME_COLUMN + 2;
    }
    putchar('\n');
}

/* The same with the lines as they are, so that they can be copied. */
static void print_lines(const char *title, const char *text) {
    for (; *text; title = "") {
        size_t length = strcspn(text, "\n");
        printf("  %-*s%.*s\n", NAME_COLUMN, title, (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void print_heads(const temper_model *model, size_t layers) {
    const char *title = "heads";
    for (size_t l = 1; l <= layers; l++)
        for (size_t h = 1; h <= temper_model_layer(model, l).heads; h++) {
            temper_head_info head;
            if (!is_done(temper_model_head(&head, model, l, h, NULL))) continue;
            printf("  %-*s%zu.%zu  %-9s  %-4s  %s\n", NAME_COLUMN, title, l, h, temper_choice_name(head.choice),
                   temper_mask_name(head.mask), head.label);
            title = "";
        }
}

static void print_examples(const char *title, const examples *e, int accept) {
    printf("  %-*s", NAME_COLUMN, title);
    for (size_t k = 0; k < e->count[accept]; k++) {
        const char *text = e->text[accept][k];
        printf("%s%s", k ? "  " : "", *text ? text : "(the empty string)");
    }
    putchar('\n');
}

static const char *last_example(const examples *e, int accept) {
    return e->count[accept] ? e->text[accept][e->count[accept] - 1] : "";
}

static void print_entry(const temper_gallery_info *about, const temper_model *model, const examples *e) {
    temper_model_info info;
    const char *name = about->name;
    info = temper_model_about(model);
    printf("%s: %s\n", name, about->title);
    print_field("language", about->language);
    print_field("class", about->class_name);
    print_field("source", about->source);
    print_lines("formula", *about->formula ? about->formula : "none");
    printf("  %-*s%zu layer%s, %zu head%s, %zu channels, %zu units, %zu parameters\n", NAME_COLUMN, "size",
           info.layers, info.layers == 1 ? "" : "s", info.heads, info.heads == 1 ? "" : "s", info.channels,
           info.hidden, info.parameters);
    print_heads(model, info.layers);
    print_examples("accepted", e, 1);
    print_examples("rejected", e, 0);
    printf("  %-*stemper compile --gallery %s -o %s.temper\n", NAME_COLUMN, "try", name, name);
    printf("  %*stemper run %s.temper -- '%s' '%s'\n", NAME_COLUMN, "", name, last_example(e, 1), last_example(e, 0));
    if (*info.source) printf("  %*stemper check %s.temper\n", NAME_COLUMN, "", name);
    printf("  %*stemper gap %s.temper\n", NAME_COLUMN, "", name);
    /* ties are proved to survive only in shorter strings */
    printf("  %*stemper soften %s.temper -o soft.temper --length %d\n", NAME_COLUMN, "", name,
           strcmp(about->class_name, "AHAT tied") == 0 ? 8 : 20);
}

static void list(const session *s) {
    temper_gallery_info about;
    size_t count = temper_gallery_count(), name = 4, class_width = 5;
    for (size_t k = 0; k < count && is_done(temper_gallery_about(&about, k, NULL)); k++) {
        if (strlen(about.name) > name) name = strlen(about.name);
        if (strlen(about.class_name) > class_width) class_width = strlen(about.class_name);
    }
    if (!s->json) printf("%-*s  %-*s  language\n", (int)name, "name", (int)class_width, "class");
    for (size_t k = 0; k < count && is_done(temper_gallery_about(&about, k, NULL)); k++)
        if (s->json)
            json_entry(&about, NULL, NULL);
        else
            printf("%-*s  %-*s  %s\n", (int)name, about.name, (int)class_width, about.class_name, about.language);
}

/* The model says whether there is such a name; the entry is then found by it. */
static bool show(session *s, const char *name, bool first) {
    temper_model *model;
    temper_error err;
    temper_gallery_info about = {0};
    examples e;
    if (temper_gallery_model(&model, name, &err) != TEMPER_OK) {
        message_error(s, &err, NULL, NULL, 0);
        return false;
    }
    for (size_t k = 0; is_done(temper_gallery_about(&about, k, NULL)) && strcmp(about.name, name) != 0;) k++;
    bool found = s->quiet || find_examples(&e, &about, &err) == TEMPER_OK;
    if (!found) message_error(s, &err, NULL, NULL, 0);
    if (found && !s->quiet) {
        if (!first && !s->json) putchar('\n');
        if (s->json)
            json_entry(&about, model, &e);
        else
            print_entry(&about, model, &e);
    }
    temper_model_free(model);
    return found;
}

void cmd_gallery(session *s) {
    if (s->opt.count == 0 && !s->quiet) list(s);
    for (size_t k = 0; k < s->opt.count; k++)
        if (!show(s, s->opt.arguments[k].text, k == 0)) return;
}
