/* The mutator of safetensors: 8 bytes with the length of the header, the header, numbers. Either the header changes
   as a text and its length is set right, or bytes change anywhere, or whole numbers do. */
#include <string.h>

#include "fuzz.h"

enum { LENGTH_BYTES = 8, NUMBER_BYTES = 8, LONGEST = 1 << 16 };

static uint64_t length_of(const uint8_t *data) {
    uint64_t length = 0;
    for (size_t k = LENGTH_BYTES; k-- > 0;) length = length << 8 | data[k];
    return length;
}

static size_t change_header(uint8_t *data, size_t size, size_t header, size_t most, unsigned seed) {
    static uint8_t text[LONGEST];
    size_t rest = size - LENGTH_BYTES - header, room = most - LENGTH_BYTES - rest;
    memcpy(text, data + LENGTH_BYTES, header);
    size_t changed = fuzz_change_text(text, header, room < sizeof text ? room : sizeof text, seed);
    memmove(data + LENGTH_BYTES + changed, data + LENGTH_BYTES + header, rest);
    memcpy(data + LENGTH_BYTES, text, changed);
    for (size_t k = 0; k < LENGTH_BYTES; k++) data[k] = (uint8_t)((uint64_t)changed >> 8 * k);
    return LENGTH_BYTES + changed + rest;
}

static void change_number(uint8_t *data, size_t count, unsigned seed) {
    static const double corners[] = {0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0, 0x1p-1074, 0x1p53, 0x1p1023, 1e300, 1e-300};
    static const uint64_t odd[] = {UINT64_C(0x7ff0000000000000), UINT64_C(0x7ff8000000000001), UINT64_MAX};
    size_t k = seed / 8 % (sizeof corners / sizeof *corners + 3), corner_count = sizeof corners / sizeof *corners;
    memcpy(data + seed / 128 % count * NUMBER_BYTES,
           k < corner_count ? (const void *)&corners[k] : &odd[k - corner_count], NUMBER_BYTES);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    uint64_t header = size > LENGTH_BYTES ? length_of(data) : UINT64_MAX;
    if (header == 0 || header > size - LENGTH_BYTES || header > LONGEST / 2 || seed % 8 == 0)
        return LLVMFuzzerMutate(data, size, most);
    size_t numbers = (size - LENGTH_BYTES - (size_t)header) / NUMBER_BYTES;
    if (seed % 8 < 6 || !numbers) return change_header(data, size, (size_t)header, most, seed / 8);
    change_number(data + LENGTH_BYTES + header, numbers, seed);
    return size;
}
