/* A safetensors file, made of lines that people read:

       spaced                              blanks behind , and : of the header
       __metadata__ KEY TEXT               an entry of __metadata__, escaped as JSON wants it
       NAME DTYPE [2,3]: 1 0 0.5           a tensor, its offsets are counted; values are repeated until it is full
       header TEXT                         a header as it stands; more such lines are joined by line ends
       data N                              N bytes of 0 behind the tensors
       length N                            what the file says of the length of its header
       cut N                               no more than N bytes of the file */
#ifndef TESTS_TENSOR_TEXT_H
#define TESTS_TENSOR_TEXT_H

#include <stddef.h>

/* The file, freed by the caller; NULL and a failed check with `name`: a line is not understood. */
char *tensor_text_file(size_t *size, const char *name, const char *text, size_t length);

#endif
