/* One call of temper: its options and its exit code. main owns the only one; every command is handed it. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include <stdbool.h>

#include "options.h"
#include "temper.h"

/* The exit codes. When several things went wrong the largest is returned. */
enum {
    EXIT_FINE = 0,
    EXIT_NO = 1,    /* the answer is no: reject with -q, a counterexample */
    EXIT_INPUT = 2, /* wrong input: usage, syntax, unknown letter, malformed file */
    EXIT_IO = 3,    /* reading or writing failed */
    EXIT_LIMIT = 4  /* beyond a limit: length, memory, unsupported */
};

typedef struct session {
    options opt;
    const struct job_runner *runner; /* NULL: jobs are done in this process */
    bool json, quiet, at_prompt;
    double effort; /* of --effort */
    bool colour_out, colour_err;
    int exit_code;
    int write_error; /* errno of the first failed write to standard output */
} session;

/* What a command is for; help lists them so. */
typedef enum command_group {
    GROUP_ASK,
    GROUP_BUILD,
    GROUP_PROVE,
    GROUP_ELSEWHERE,
    GROUP_LEARN,
    GROUP_COUNT
} command_group;

typedef struct command {
    const char *name;
    int bit;
    command_group group;
    const char *summary;
    const char *usage;    /* one form a line */
    const char *examples; /* shown first */
    const char *details;
    void (*run)(session *s);
} command;

enum { COMMAND_COUNT = 22 };
extern const command command_table[COMMAND_COUNT];

void cmd_eval(session *s);
void cmd_run(session *s);
void cmd_compile(session *s);
void cmd_explain(session *s);
void cmd_check(session *s);
void cmd_show(session *s);
void cmd_gap(session *s);
void cmd_soften(session *s);
void cmd_certify(session *s);
void cmd_gallery(session *s);
void cmd_import(session *s);
void cmd_export(session *s);
void cmd_lab(session *s);
void cmd_audit(session *s);
void cmd_limits(session *s);
void cmd_automaton(session *s);
void cmd_next(session *s);
void cmd_sample(session *s);
void cmd_perplexity(session *s);
void cmd_examples(session *s);
void cmd_completion(session *s);
void cmd_help(session *s);

void help_print(const command *about, bool is_short); /* NULL: on temper itself */
void help_language(void);                             /* one screen of operators */

static inline bool is_given(const session *s, option_id id) { return s->opt.value[id].given; }

static inline void session_fail(session *s, int code) {
    if (code > s->exit_code) s->exit_code = code;
}

#endif
