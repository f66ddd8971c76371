/* The mutator of targets that read text. */
#include "fuzz.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    return fuzz_change_text(data, size, most, seed);
}
