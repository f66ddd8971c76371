#define _POSIX_C_SOURCE 200809L
#include "picture_file.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "escape.h"
#include "message.h"

bool path_ends(const char *path, const char *end) {
    size_t n = strlen(path), m = strlen(end);
    return n >= m && strcmp(path + n - m, end) == 0;
}

bool is_picture_path(const char *path) {
    return path_ends(path, ".svg") || path_ends(path, ".png") || path_ends(path, ".pdf");
}

extern char **environ;

/* rsvg-convert with these files as its standard input and output; 0, or an errno. */
static int start(pid_t *pid, int in, int out, int unused, const char *format) {
    char program[] = "rsvg-convert", as[] = "-f", zoom[] = "-z", twice[] = "2", kind[8];
    char *words[] = {program, as, kind, strcmp(format, "png") == 0 ? zoom : NULL, twice, NULL};
    posix_spawn_file_actions_t actions;
    snprintf(kind, sizeof kind, "%s", format);
    int code = posix_spawn_file_actions_init(&actions);
    if (code) return code;
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, unused);
    code = posix_spawnp(pid, program, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

/* All that comes out of the pipe, from malloc; NULL if reading failed or memory is short. */
static char *read_all(size_t *length, int fd) {
    size_t size = 1 << 16;
    char *bytes = malloc(size);
    *length = 0;
    while (bytes) {
        if (*length == size) {
            char *more = realloc(bytes, size *= 2);
            if (!more) break;
            bytes = more;
        }
        ssize_t got = read(fd, bytes + *length, size - *length);
        if (got == 0) return bytes;
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) break;
        *length += (size_t)got;
    }
    free(bytes);
    return NULL;
}

/* The picture in another format, from malloc; NULL and an errno. */
static char *convert(size_t *length, int *code, const char *svg, const char *format) {
    int ends[2], status = 0;
    pid_t pid;
    char *bytes = NULL;
    FILE *in = tmpfile();
    if (!in || fputs(svg, in) < 0 || fflush(in) || lseek(fileno(in), 0, SEEK_SET) < 0 || pipe(ends)) {
        *code = errno;
        if (in) fclose(in);
        return NULL;
    }
    *code = start(&pid, fileno(in), ends[1], ends[0], format);
    close(ends[1]);
    if (!*code) {
        bytes = read_all(length, ends[0]);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
        *code = !bytes ? ENOMEM : WIFEXITED(status) && WEXITSTATUS(status) == 0 && *length ? 0 : ECHILD;
        if (*code) {
            free(bytes);
            bytes = NULL;
        }
    }
    close(ends[0]);
    fclose(in);
    return bytes;
}

bool file_write(session *s, const char *path, const char *bytes, size_t length) {
    temper_error err;
    if (temper_file_write(path, bytes, length, &err) != TEMPER_OK) {
        message_error(s, &err, NULL, NULL, 0);
        return false;
    }
    if (s->quiet) return true;
    fputs("wrote ", stderr);
    show_write(stderr, path, strlen(path), 0);
    putc('\n', stderr);
    return true;
}

bool picture_write(session *s, const char *path, const char *svg) {
    char *bytes = NULL;
    size_t length = strlen(svg);
    const char *format = path_ends(path, ".png") ? "png" : path_ends(path, ".pdf") ? "pdf" : NULL;
    int code = 0;
    if (format && !(bytes = convert(&length, &code, svg, format))) {
        char text[120];
        snprintf(text, sizeof text, "a .%s file needs rsvg-convert, which %s", format,
                 code == ENOENT ? "is not installed" : "failed");
        message_print(s, EXIT_IO, NULL, text,
                      code == ENOENT ? "install librsvg2-bin, or write FILE.svg instead" : "write FILE.svg instead");
        return false;
    }
    bool written = file_write(s, path, bytes ? bytes : svg, length);
    free(bytes);
    return written;
}
