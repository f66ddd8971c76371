#include "encode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "remedy_words.h"

/* The alphabet of a specification or of a model. */
typedef struct letter_list {
    const temper_spec *spec;
    const temper_model *model;
    size_t count;
    bool tokens;
} letter_list;

static letter_list list_of(const temper_spec *spec, const temper_model *model) {
    letter_list a = {.spec = spec, .model = model};
    if (spec) {
        a.count = temper_spec_about(spec).letters;
        a.tokens = temper_spec_about(spec).tokens;
    } else {
        a.count = temper_model_about(model).letters;
        a.tokens = temper_model_about(model).tokens;
    }
    return a;
}

static const char *letter_at(const letter_list *a, size_t k) {
    return a->spec ? temper_spec_letter(a->spec, k) : temper_model_letter(a->model, k);
}

static bool has_letter(const letter_list *a, const char *letter, size_t length) {
    for (size_t k = 0; k < a->count; k++)
        if (strlen(letter_at(a, k)) == length && memcmp(letter_at(a, k), letter, length) == 0) return true;
    return false;
}

void alphabet_hint(char out[240], const temper_spec *spec, const temper_model *model) {
    letter_list a = list_of(spec, model);
    const char *what = a.tokens ? "token" : "letter";
    size_t used = (size_t)snprintf(out, 240, a.count == 1 ? "the only %s is" : "the %ss are", what);
    for (size_t k = 0; k < a.count; k++) {
        const char *letter = letter_at(&a, k);
        if (used + strlen(letter) + 8 > 100) {
            snprintf(out + used, 240 - used, " ... (%zu in all)", a.count);
            return;
        }
        used += (size_t)snprintf(out + used, 240 - used, strcmp(letter, " ") ? " %s" : " '%s'", letter);
    }
}

/* ---- pieces of a text: characters, or words between blanks ---- */

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* The next piece from *at on, which moves behind it; 0: there is none. */
static size_t next_piece(size_t *start, size_t *at, bool tokens, const char *bytes, size_t length) {
    uint32_t code;
    bool valid;
    while (tokens && *at < length && is_blank(bytes[*at])) ++*at;
    *start = *at;
    if (*at == length) return 0;
    if (tokens)
        while (*at < length && !is_blank(bytes[*at])) ++*at;
    else
        *at += char_decode(&code, &valid, bytes + *at, length - *at);
    return *at - *start;
}

/* ---- what to do about an unknown letter ---- */

enum { WISH = 60 };

static bool is_plain(const char *text) {
    for (; *text; text++)
        if (!(*text >= 'a' && *text <= 'z') && !(*text >= 'A' && *text <= 'Z') && !(*text >= '0' && *text <= '9'))
            return false;
    return true;
}

/* Adds a letter to what --alphabet should say; false: it would be long, or a shell would not take it as it is. */
static bool wish(char out[WISH], bool tokens, const char *letter, size_t length) {
    size_t used = strlen(out);
    for (size_t k = 0; k < length; k++)
        if ((unsigned char)letter[k] < 0x20 || letter[k] == '\'' || letter[k] == 0x7F) return false;
    if (used + length + 2 > WISH) return false;
    snprintf(out + used, WISH - used, "%s%.*s", tokens && used ? " " : "", (int)length, letter);
    return true;
}

/* "; --alphabet abx has x, too": the letters there are, and those of the text. */
static void say_remedy(char out[240], const letter_list *a, const session *s, const line *l) {
    char all[WISH] = "", added[WISH] = "";
    size_t used = strlen(out), at = 0, start, piece;
    bool ok = true;
    for (size_t k = 0; k < a->count && ok; k++) ok = wish(all, a->tokens, letter_at(a, k), strlen(letter_at(a, k)));
    while (ok && (piece = next_piece(&start, &at, a->tokens, l->bytes, l->length)) != 0) {
        const char *letter = l->bytes + start;
        if (has_letter(a, letter, piece)) continue;
        size_t seen = 0, begin, size; /* not twice */
        bool known = false;
        while (!known && (size = next_piece(&begin, &seen, a->tokens, added, strlen(added))) != 0)
            known = size == piece && memcmp(added + begin, letter, size) == 0;
        if (!known) ok = wish(added, a->tokens, letter, piece) && wish(all, a->tokens, letter, piece);
    }
    bool made_here =
        is_given(s, OPT_FORMULA) || is_given(s, OPT_FILE) || is_given(s, OPT_REGEX) || is_given(s, OPT_DFA);
    if (made_here && l->length > 7 && memcmp(l->bytes + l->length - 7, ".temper", 7) == 0) {
        snprintf(out + used, 240 - used, "; a MODEL is given without -f, -F, --regex and --dfa");
        return;
    }
    bool stated = a->spec && temper_spec_about(a->spec).alphabet_stated && !s->opt.value[OPT_ALPHABET].given;
    const char *quote = is_plain(all) ? "" : "'", *them = a->tokens ? strchr(added, ' ') ? "them" : "it" : added;
    const char *around = !a->tokens && strchr(added, ' ') ? "'" : "";
    if (!ok)
        snprintf(out + used, 240 - used, "; --alphabet gives others");
    else if (s->opt.value[OPT_ASCII].given)
        snprintf(out + used, 240 - used, "; without --ascii, --alphabet says what they are");
    else if (stated)
        snprintf(out + used, 240 - used, "; a letter more goes into the line 'alphabet'");
    else
        snprintf(out + used, 240 - used, "; %s--alphabet %s%s%s adds %s%s%s",
                 made_here || a->spec ? "" : "compiling with ", quote, all, quote, around, them, around);
    used = strlen(out);
    if (a->tokens && (s->opt.command_bit & option_table[OPT_OTHER].commands))
        snprintf(out + used, 240 - used, "; --other NAME reads unknown ones as NAME");
}

void note_one_letter(session *s, const temper_spec *spec) {
    if (s->quiet || !spec || temper_spec_about(spec).letters != 1 || temper_spec_about(spec).alphabet_stated) return;
    const char *letter = temper_spec_letter(spec, 0);
    if (temper_spec_about(spec).tokens)
        message_warning(s, "the alphabet is the only word that is named, %s; --alphabet adds others", letter);
    else
        message_warning(s, "the alphabet is the only letter that is named, %s; --alphabet %s%s adds others", letter,
                        letter, strcmp(letter, "b") == 0 ? "a" : "b");
}

/* ---- encoding ---- */

bool other_model(temper_model **model, session *s) {
    const char *other = s->opt.value[OPT_OTHER].text;
    char hint[240];
    temper_error err;
    temper_model *copy;
    if (!other) return true;
    temper_status status = temper_model_with_other(&copy, *model, other, &err);
    if (status == TEMPER_OK) {
        temper_model_free(*model);
        *model = copy;
        return true;
    }
    alphabet_hint(hint, NULL, *model);
    if (status == TEMPER_RANGE)
        message_usage(s, hint, "--other: %s", err.text);
    else
        message_error(s, &err, NULL, NULL, 0);
    return false;
}

/* The character column where token number `token` (from 1) begins. */
static size_t token_column(const line *l, size_t token) {
    size_t column = 1, seen = 0;
    for (size_t k = 0, size; k < l->length; k += size, column++) {
        uint32_t code;
        bool valid;
        size = char_decode(&code, &valid, l->bytes + k, l->length - k);
        if (!is_blank(l->bytes[k]) && (k == 0 || is_blank(l->bytes[k - 1])) && ++seen == token) return column;
    }
    return column;
}

static temper_status encode(uint32_t **letters, size_t *n, temper_error *err, const letter_list *a, const char *bytes,
                            size_t length) {
    return a->spec ? temper_spec_encode(letters, n, a->spec, bytes, length, err)
                   : temper_model_encode(letters, n, a->model, bytes, length, err);
}

bool subject_encode(uint32_t **letters, size_t *n, temper_error *err, session *s, const temper_spec *spec,
                    const temper_model *model, const line *l) {
    char origin[40], hint[240];
    place at = {line_origin(origin, l), l->input ? l->number : 0, 0, l->bytes, l->length};
    letter_list a = list_of(spec, spec ? NULL : model);
    if (l->cut) {
        *err = (temper_error){.code = TEMPER_LIMIT};
        snprintf(err->text, sizeof err->text, "%s", l->cut);
        message_print(s, EXIT_LIMIT, &at, err->text, NULL);
        return false;
    }
    temper_status status = encode(letters, n, err, &a, l->bytes, l->length);
    if (status == TEMPER_OK) return true;
    at.column = err->column && a.tokens ? token_column(l, err->column) : err->column;
    if (status == TEMPER_RANGE && !*err->hint) {
        alphabet_hint(hint, spec, model);
        say_remedy(hint, &a, s, l);
    } else {
        snprintf(hint, sizeof hint, "%s", error_hint(err));
    }
    message_print(s, exit_code_of(status), &at, err->text, hint);
    return false;
}
