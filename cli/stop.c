#define _GNU_SOURCE
#include "stop.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "json.h"

/* Written before, since a handler may only write and end: [0] for signals, [1] for the timer. */
static char messages[2][600];

static const char *how_to_go_on(const session *s, const command *c) {
    static char text[400];
    if (is_given(s, OPT_JOURNAL))
        snprintf(text, sizeof text, "'%.200s' has what was done, and the same command goes on from there",
                 s->opt.value[OPT_JOURNAL].text);
    else if (c->bit == FOR_LAB)
        snprintf(text, sizeof text, "the same command goes on after the last whole experiment");
    else if (c->bit & (FOR_JOBS | FOR_SOFTEN | FOR_CERTIFY) && !is_given(s, OPT_AS))
        snprintf(text, sizeof text, "with --journal FILE the same command would go on from here");
    else
        snprintf(text, sizeof text, "files are as they were, or complete");
    return text;
}

static void compose(char *out, size_t size, const session *s, const char *what, const char *rest, int code) {
    char *text = NULL;
    size_t length = 0;
    FILE *to = s->json ? open_memstream(&text, &length) : NULL;
    if (!to) {
        snprintf(out, size, "temper: %s: %s\n", what, rest);
        return;
    }
    json j;
    json_open(&j, to);
    json_text(&j, "error", what);
    json_text(&j, "hint", rest);
    json_count(&j, "exit", (uint64_t)code);
    json_close(&j);
    fclose(to);
    snprintf(out, size, "%s", text ? text : "");
    free(text);
}

static void say(const char *message) {
    static const char clear[] = "\r\033[K"; /* a progress bar may stand there */
    if (isatty(STDERR_FILENO) && write(STDERR_FILENO, clear, sizeof clear - 1) < 0) return;
    if (write(STDERR_FILENO, message, strlen(message)) < 0) return;
}

static void on_signal(int number) {
    temper_files_abandon();
    say(messages[0]);
    signal(number, SIG_DFL); /* whoever waits for the program sees what ended it */
    raise(number);
}

static void on_timer(int number) {
    (void)number;
    temper_files_abandon();
    say(messages[1]);
    _exit(EXIT_LIMIT);
}

static void catch (int number, void (*handler)(int)) {
    struct sigaction now, a = {.sa_handler = handler, .sa_flags = (int)SA_RESETHAND | SA_NODEFER | SA_RESTART};
    if (sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN) return; /* as nohup wishes */
    sigaction(number, &a, NULL);
}

void stop_prepare(const session *s, const command *c, bool at_prompt) {
    const char *rest = how_to_go_on(s, c);
    if (!at_prompt) {
        compose(messages[0], sizeof messages[0], s, "interrupted", rest, EXIT_LIMIT);
        catch (SIGINT, on_signal);
        catch (SIGTERM, on_signal);
    }
    if (is_given(s, OPT_MAX_MEMORY)) temper_limit_memory((size_t)s->opt.value[OPT_MAX_MEMORY].number);
    if (!is_given(s, OPT_TIMEOUT)) return;
    uint64_t seconds = s->opt.value[OPT_TIMEOUT].number;
    char what[80];
    snprintf(what, sizeof what, "stopped after %llu second%s (--timeout)", (unsigned long long)seconds,
             seconds == 1 ? "" : "s");
    compose(messages[1], sizeof messages[1], s, what, rest, EXIT_LIMIT);
    catch (SIGALRM, on_timer);
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value.tv_sec = (time_t)seconds}, NULL);
}

void stop_forget(void) {
    temper_limit_memory(0);
    temper_limit_work(1);
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
}
