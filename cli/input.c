#define _GNU_SOURCE
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void say_failure(const input *in) {
    char text[400];
    bool is_standard = in->fd == STDIN_FILENO;
    snprintf(text, sizeof text, "cannot read %s%.200s%s: %s", is_standard ? "" : "'", in->name,
             is_standard ? "" : "'", strerror(errno));
    message_print(in->session, EXIT_IO, NULL, text, NULL);
}

/* What is still to be read of a file, for who watches. */
static uint64_t bytes_left(int fd) {
    struct stat about;
    off_t at = lseek(fd, 0, SEEK_CUR);
    if (at < 0 || fstat(fd, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size < at) return 0;
    return (uint64_t)(about.st_size - at);
}

bool input_open(input *in, session *s, const char *path) {
    bool is_standard = strcmp(path, "-") == 0;
    in->session = s;
    in->name = is_standard ? "standard input" : path;
    in->fd = is_standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    in->begun = in->ended = false;
    in->at = in->filled = 0;
    in->read = 0;
    in->size = in->fd < 0 ? 0 : bytes_left(in->fd);
    if (in->fd < 0) say_failure(in);
    return in->fd >= 0;
}

void input_close(input *in) {
    if (in->fd > STDIN_FILENO) close(in->fd);
    in->fd = -1;
}

static bool read_some(input *in) {
    if (in->ended || !output_flush(in->session)) return false;
    memmove(in->buffer, in->buffer + in->at, in->filled - in->at);
    in->filled -= in->at;
    in->at = 0;
    if (in->filled == INPUT_BUFFER) return false;
    ssize_t got;
    do got = read(in->fd, in->buffer + in->filled, INPUT_BUFFER - in->filled);
    while (got < 0 && errno == EINTR);
    if (got < 0) say_failure(in);
    in->ended = got <= 0;
    if (got > 0) in->filled += (size_t)got;
    if (got > 0) in->read += (uint64_t)got;
    return got > 0;
}

static void skip_mark(input *in) {
    static const char mark[3] = {'\xEF', '\xBB', '\xBF'};
    size_t k = 0;
    while (k < 3 && (k < in->filled || read_some(in)) && in->buffer[k] == mark[k]) k++;
    if (k == 3) in->at = 3;
}

bool input_more(input *in) {
    if (in->begun) return read_some(in);
    in->begun = true;
    skip_mark(in);
    return in->at < in->filled || read_some(in);
}

size_t input_line_end(input *in) {
    if (in->at == in->filled && !input_more(in)) return 0;
    if (in->buffer[in->at] == '\n') return 1;
    if (in->buffer[in->at] != '\r' || (in->at + 1 == in->filled && !input_more(in))) return 0;
    return in->buffer[in->at + 1] == '\n' ? 2 : 0;
}
