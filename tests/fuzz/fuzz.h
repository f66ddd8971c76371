/* What the fuzz targets share. Each target is a file fuzz_NAME.c with LLVMFuzzerTestOneInput; `make fuzz` builds them
   with clang's sanitizers. A target that finds a contradiction ends the program with a message: libFuzzer keeps the
   input. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "temper.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

/* One to three changes of words, numbers and lines; returns the new size. */
size_t fuzz_change_text(uint8_t *data, size_t size, size_t most, unsigned seed);

/* Ends the program unless the condition holds. */
#define MUST(condition, ...) ((condition) ? (void)0 : fuzz_fail(#condition, __VA_ARGS__))
_Noreturn void fuzz_fail(const char *condition, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether an input was read, or refused: the program says at its end how many were, since a million refusals of the
   first byte would be no test. */
void fuzz_count(bool was_read);

/* A copy in memory of its own, so that the sanitizers see one byte too far; freed by the next call. */
const char *fuzz_copy(const uint8_t *data, size_t size);

/* The bytes in a file, for functions that take a path; the same path every time. */
const char *fuzz_file(const uint8_t *data, size_t size);

/* Of targets that read regular expressions: whether automata are built (else a limit is raised), FNV-1a of the input
   by which some are chosen, so that an input that fails does so again, and how many digits its repeats have together,
   SIZE_MAX if one has more than `longest`: a{99}{99} meets the limits of automata after a second, tests/bad has some,
   and thousands of others are not tried meanwhile. */
extern bool fuzz_automata;
uint32_t fuzz_hash(const uint8_t *data, size_t size);
size_t fuzz_repeats(const uint8_t *data, size_t size, size_t longest);

/* All words over `letters` letters, shortest first: the next one of at most `longest` letters. False: that was the
   last one. Begins with n = 0. */
int fuzz_next_word(uint32_t *word, size_t *n, size_t letters, size_t longest);

#endif
