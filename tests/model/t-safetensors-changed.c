/* A file that changes while it is read: weights are read twice, and the second time one number is another one. That
   is noticed for every number, whether it has a place in the model or not, and nothing is written behind an array. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "temper.h"
#include "test.h"

/* What the library calls: the second time that a byte is read it is another one. */
static struct {
    off_t at, times;
    unsigned char mask;
} change;

ssize_t pread(int fd, void *out, size_t size, off_t offset) {
    ssize_t got = syscall(SYS_pread64, fd, out, size, offset);
    if (got > 0 && change.at >= offset && change.at < offset + got && change.times++ > 0)
        ((unsigned char *)out)[change.at - offset] ^= change.mask;
    return got;
}

/* Heads of different sizes, so that some numbers are padding; rows with no term, one, and two. */
static const char MODEL[] = "temper-model 1\nalphabet \"a\"\nchannel 0 \"x\"\nchannel 1 \"y\"\n"
                            "embed \"a\" 0:1\nembed start 0:1 1:1\nembed end\nlayer 1\n"
                            "head \"g\" mask all choice rightmost\nquery 0:1\nkey 1:1\nvalue 0:1\noutput 1:1\n"
                            "head \"h\" mask all choice average\nquery\nkey\nquery 1:1\nkey 0:1\n"
                            "unit 1 0:1 -> 1:1\nread 0:1 1:1\n";

int main(void) {
    char folder[TEST_FOLDER], path[TEST_FOLDER + 40];
    temper_error e = {0};
    temper_model *m = NULL;
    char *bytes = NULL;
    size_t length = 0, numbers = 45 * 8; /* 6, 4 times 8, 2, 1, 2, 2 */
    if (!test_folder(folder)) return test_finish("t-safetensors-changed");
    snprintf(path, sizeof path, "%s/%d.safetensors", folder, (int)getpid());
    change.at = -1;
    CHECK(temper_model_read(&m, MODEL, sizeof MODEL - 1, &e) == TEMPER_OK &&
              temper_model_save(path, m, &e) == TEMPER_OK && temper_file_read(&bytes, &length, path, &e) == TEMPER_OK,
          "%s", e.text);
    temper_model_free(m);
    for (size_t k = 0; k < numbers && length > numbers; k++) {
        if (k % 8 != 7) continue; /* the sign and most of the exponent */
        for (int b = 0; b < 3; b++) {
            static const unsigned char masks[] = {0x80, 0x3f, 0x41}; /* 0 and 1 become other finite numbers */
            change.at = (off_t)(length - numbers + k);
            change.times = 0;
            change.mask = masks[b];
            temper_status s = temper_model_load(&m, path, &e);
            CHECK(s == TEMPER_IO && !strcmp(e.text, "the file was changed while it was read"), "number %zu: %s",
                  k / 8, s == TEMPER_OK ? "accepted" : e.text);
            temper_model_free(m);
            CHECK(change.times == 2, "read %d times", (int)change.times);
        }
    }
    change.at = -1;
    CHECK(temper_model_load(&m, path, &e) == TEMPER_OK, "%s", e.text);
    temper_model_free(m);
    temper_free(bytes);
    unlink(path);
    rmdir(folder);
    return test_finish("t-safetensors-changed");
}
