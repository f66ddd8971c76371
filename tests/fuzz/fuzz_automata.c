/* Automata of regular expressions are built or not: to build one may take a thousand times as long as to read it. */
#include "automata/regex.h"
#include "fuzz.h"

bool fuzz_automata;

/* The linker puts it in the place of dfa_from_regex (--wrap). */
dfa *__real_dfa_from_regex(arena *a, const regex *r, const alphabet *letters, arena *scratch);
dfa *__wrap_dfa_from_regex(arena *a, const regex *r, const alphabet *letters, arena *scratch);
dfa *__wrap_dfa_from_regex(arena *a, const regex *r, const alphabet *letters, arena *scratch) {
    if (!fuzz_automata) trap_raise(a->trap, TEMPER_LIMIT, 0, 0, "the automaton is not built");
    return __real_dfa_from_regex(a, r, letters, scratch);
}

uint32_t fuzz_hash(const uint8_t *data, size_t size) {
    uint32_t hash = 2166136261;
    for (size_t k = 0; k < size; k++) hash = (hash ^ data[k]) * 16777619;
    return hash >> 8;
}

size_t fuzz_repeats(const uint8_t *data, size_t size, size_t longest) {
    size_t all = 0;
    for (size_t k = 0; k + 2 < size; k++)
        if (data[k] == '{' || data[k] == ',') {
            size_t digits = 0;
            while (k + 1 + digits < size && data[k + 1 + digits] >= '0' && data[k + 1 + digits] <= '9') digits++;
            all += digits;
            if (digits > longest) return SIZE_MAX;
        }
    return all;
}
