/* spawn REPEATS TIMEOUT INPUT OUTPUT COMMAND...: runs a command again and again and prints a line for each run:
   seconds from before fork to after wait, user and system seconds, peak resident KiB, exit status (-1: timed out).
   INPUT and OUTPUT are files, - for /dev/null.

   A program of its own, because a child's peak memory counts that of the process it was forked from until exec:
   forked from the driver, with PyTorch inside, every command would seem to need hundreds of megabytes. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t timed_out;
static volatile pid_t child;

static void stop(int sig) {
    (void)sig;
    timed_out = 1;
    if (child > 0) kill(child, SIGKILL);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double seconds(struct timeval t) { return (double)t.tv_sec + 1e-6 * (double)t.tv_usec; }

static void redirect(int to, const char *path, int flags) {
    int fd = open(strcmp(path, "-") ? path : "/dev/null", flags, 0666);
    if (fd < 0 || dup2(fd, to) < 0) _exit(126);
    if (fd != to) close(fd);
}

int main(int argc, char **argv) {
    if (argc < 6) {
        fprintf(stderr, "usage: spawn REPEATS TIMEOUT INPUT OUTPUT COMMAND...\n");
        return 2;
    }
    struct sigaction action = {.sa_handler = stop, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    for (long left = strtol(argv[1], NULL, 10); left > 0; left--) {
        timed_out = 0;
        double start = now();
        child = fork();
        if (child < 0) {
            perror("spawn: fork");
            return 3;
        }
        if (child == 0) {
            redirect(0, argv[3], O_RDONLY);
            redirect(1, argv[4], O_WRONLY | O_CREAT | O_TRUNC);
            execv(argv[5], argv + 5);
            _exit(127);
        }
        alarm((unsigned)strtoul(argv[2], NULL, 10));
        struct rusage usage;
        int status;
        if (wait4(child, &status, 0, &usage) < 0) {
            perror("spawn: wait");
            return 3;
        }
        double end = now();
        child = 0;
        alarm(0);
        int code = timed_out ? -1 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        printf("%.7f %.6f %.6f %ld %d\n", end - start, seconds(usage.ru_utime), seconds(usage.ru_stime),
               usage.ru_maxrss, code);
        fflush(stdout);
    }
    return 0;
}
