#define _POSIX_C_SOURCE 200809L
#include "proved_checker.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "message.h"

extern char **environ;

enum { NOT_ACCEPTED = 4, PATH_SIZE = 4096 }; /* temper-checker's exit status; bytes */

/* The program beside the one that runs, if there is one. */
static bool is_beside(char path[PATH_SIZE]) {
    static const char name[] = "temper-checker";
    ssize_t length = readlink("/proc/self/exe", path, PATH_SIZE - 1);
    if (length <= 0 || length >= PATH_SIZE - 1) return false;
    path[length] = 0;
    char *slash = strrchr(path, '/');
    if (!slash || (size_t)(slash + 1 - path) + sizeof name > PATH_SIZE) return false;
    memcpy(slash + 1, name, sizeof name);
    return access(path, X_OK) == 0;
}

/* Its exit status, or -1 and an errno. It prints nothing here. */
static int run(const char *path, const char *model, const char *certificate) {
    char program[] = "temper-checker", files[] = "--";
    char *first = strdup(model), *second = strdup(certificate), *words[] = {program, files, first, second, NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status = -1, code = first && second ? posix_spawn_file_actions_init(&actions) : ENOMEM;
    if (!code) {
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        code = posix_spawn(&pid, path, &actions, NULL, words, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    free(first);
    free(second);
    errno = code;
    if (code) return -1;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return -1;
    errno = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

checker_answer proved_checker_ask(session *s, const char *model, const char *certificate) {
    char beside[PATH_SIZE];
    bool named = is_given(s, OPT_CHECKER);
    if (!named && !is_beside(beside)) return CHECKER_NONE;
    const char *path = named ? s->opt.value[OPT_CHECKER].text : beside;
    int code = run(path, model, certificate);
    if (code == 0) return CHECKER_ACCEPTS;
    if (code == NOT_ACCEPTED) return CHECKER_DECLINES;
    if (!named) return CHECKER_NONE;
    char why[120];
    if (errno)
        snprintf(why, sizeof why, "the checker cannot be run: %s", strerror(errno));
    else
        snprintf(why, sizeof why, "the checker has the exit status %d, which none of temper's has", code);
    place at = {.name = path};
    message_print(s, EXIT_IO, &at, why, "make checker builds build/temper-checker");
    return CHECKER_FAILED;
}
