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

enum { NOT_READ = 2, NOT_ACCEPTED = 4 };   /* exit statuses of temper-checker; 2: no model in text form */
enum { PATH_SIZE = 4096, END_SIZE = 256 }; /* bytes */

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

/* What the program writes is read to its end; the last bytes of it, ended by a zero. */
static void read_end(int from, char end[END_SIZE]) {
    char some[4096];
    size_t used = 0;
    for (ssize_t n; (n = read(from, some, sizeof some)) != 0;) {
        if (n < 0 && errno != EINTR) break;
        size_t fresh = n < 0 ? 0 : (size_t)n, kept = fresh < END_SIZE - 1 ? END_SIZE - 1 - fresh : 0;
        if (kept > used) kept = used;
        memmove(end, end + used - kept, kept);
        used = fresh < END_SIZE - 1 ? fresh : END_SIZE - 1;
        memcpy(end + kept, some + fresh - used, used);
        used += kept;
    }
    end[used] = 0;
}

/* An unnamed file with this text, which is read from its beginning; NULL and an errno. */
static FILE *file_of(const char *text) {
    FILE *f = tmpfile();
    if (f && fputs(text, f) >= 0 && fflush(f) == 0 && lseek(fileno(f), 0, SEEK_SET) == 0) return f;
    int why = errno;
    if (f) fclose(f);
    errno = why;
    return NULL;
}

/* Its exit status, or -1 and an errno; and the end of what it says. It reads the certificate that was audited, not
   what may stand at its path by now: another one may claim less. */
static int run(const char *path, const char *model, const char *certificate, char end[END_SIZE]) {
    char program[] = "temper-checker", files[] = "--", second[] = "/dev/stdin";
    char *first = strdup(model), *words[] = {program, files, first, second, NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int ends[2] = {-1, -1}, status = -1, code = first ? 0 : ENOMEM;
    FILE *input = code ? NULL : file_of(certificate);
    if (!code && !input) code = errno;
    if (!code && pipe(ends) != 0) code = errno;
    if (!code && !(code = posix_spawn_file_actions_init(&actions))) {
        posix_spawn_file_actions_adddup2(&actions, fileno(input), STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_addclose(&actions, ends[0]);
        code = posix_spawn(&pid, path, &actions, NULL, words, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    if (ends[1] >= 0) close(ends[1]);
    if (!code) read_end(ends[0], end);
    if (ends[0] >= 0) close(ends[0]);
    free(first);
    if (input) fclose(input);
    errno = code;
    if (code) return -1;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return -1;
    errno = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Is it about the model of this certificate? Another file may have come in its place, and `true` says nothing. */
static bool is_about(const char *end, const char *text) {
    static const char key[] = "\"model\": {\"sha256\": \"", theorem[] = "_sound, SHA-256 ";
    const char *sha256 = strstr(text, key), *said = strstr(end, theorem);
    enum { DIGITS = 64 };
    if (!sha256 || !said) return false;
    said += strlen(theorem);
    return strlen(said) == DIGITS + 2 && strncmp(said, sha256 + strlen(key), DIGITS) == 0;
}

checker_answer proved_checker_ask(session *s, const char *model, const char *certificate) {
    char beside[PATH_SIZE], end[END_SIZE] = "";
    bool named = is_given(s, OPT_CHECKER);
    if (!named && !is_beside(beside)) return CHECKER_NONE;
    const char *path = named ? s->opt.value[OPT_CHECKER].text : beside;
    int code = run(path, model, certificate, end);
    if (code == 0 && is_about(end, certificate)) return CHECKER_ACCEPTS;
    if (code == NOT_ACCEPTED || code == NOT_READ) return CHECKER_DECLINES;
    if (!named) return CHECKER_NONE;
    char why[120];
    if (errno)
        snprintf(why, sizeof why, "the checker cannot be run: %s", strerror(errno));
    else if (code == 0)
        snprintf(why, sizeof why, "the program says nothing about this model, so it is no checker");
    else
        snprintf(why, sizeof why, "the checker ends with the exit status %d", code);
    place at = {.name = path};
    message_print(s, EXIT_IO, &at, why, "make checker builds build/temper-checker");
    return CHECKER_FAILED;
}
