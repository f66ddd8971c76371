/* temper automaton: the minimal automaton of a specification, and where its language sits. */
#include <stdio.h>
#include <string.h>

#include "message.h"
#include "picture_file.h"
#include "remedy_words.h"
#include "subject.h"

typedef enum form { FORM_TABLE, FORM_JSON, FORM_DOT, FORM_SVG } form;

/* --dot, --json, or the end of the file's name. */
static bool choose_form(form *out, session *s, const char *path) {
    *out = is_given(s, OPT_DOT) ? FORM_DOT : s->json ? FORM_JSON : FORM_TABLE;
    if (is_given(s, OPT_DOT) && s->json) {
        message_usage(s, NULL, "--dot and --json exclude each other");
        return false;
    }
    if (!path || *out != FORM_TABLE) return true;
    if (is_picture_path(path)) *out = FORM_SVG;
    if (path_ends(path, ".dot") || path_ends(path, ".gv")) *out = FORM_DOT;
    if (path_ends(path, ".json")) *out = FORM_JSON;
    return true;
}

static temper_status render(char **out, const temper_automaton *automaton, form f, temper_error *err) {
    static const temper_automaton_format formats[] = {TEMPER_AUTOMATON_TABLE, TEMPER_AUTOMATON_JSON,
                                                      TEMPER_AUTOMATON_DOT};
    if (f == FORM_SVG) return temper_draw_automaton(out, automaton, err);
    return temper_automaton_print(out, automaton, formats[f], err);
}

static void write_out(session *s, const char *path, const char *shown, form f) {
    if (path && f == FORM_SVG) {
        picture_write(s, path, shown);
        return;
    }
    if (path && strcmp(path, "-") != 0) {
        file_write(s, path, shown, strlen(shown));
        return;
    }
    if (s->quiet) return;
    fputs(shown, stdout);
    if (f == FORM_JSON) putchar('\n');
}

/* Classes whose tests would take more work than the limit; the automaton is printed all the same. */
static void warn_undecided(session *s, const temper_automaton *automaton) {
    char names[200] = "";
    size_t length = 0;
    for (int k = 0; k <= TEMPER_LANGUAGE_SOLVABLE; k++) {
        temper_language_place at;
        if (!is_done(temper_automaton_place(&at, automaton, (temper_language_class)k, NULL)) || at.holds >= 0)
            continue;
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", length ? ", " : "", at.name);
    }
    if (length && !s->quiet)
        message_warning(s, "not decided: %s; %s", names, error_hint(&(temper_error){.remedy = TEMPER_REMEDY_EFFORT}));
}

void cmd_automaton(session *s) {
    subject x = {0};
    temper_automaton *automaton = NULL;
    temper_error err;
    char *shown = NULL;
    const char *path = s->opt.value[OPT_OUTPUT].text;
    form f;
    if (s->opt.count > (has_formula(s) ? 0 : 1)) {
        message_usage(s, NULL, "automaton takes a formula or one MODEL, and no strings");
        return;
    }
    if (!choose_form(&f, s, path)) return;
    if (subject_formula(&x, s)) {
        if (temper_automaton_make(&automaton, x.spec, &err) != TEMPER_OK)
            message_error(s, &err, x.name, x.source, x.length);
        else if (render(&shown, automaton, f, &err) != TEMPER_OK)
            message_error(s, &err, NULL, NULL, 0);
        else {
            write_out(s, path, shown, f);
            warn_undecided(s, automaton);
        }
    }
    temper_free(shown);
    temper_automaton_free(automaton);
    subject_free(&x);
}
