/* The border between WebAssembly and JavaScript: addresses are 32-bit numbers there, and 64-bit ones in C. */
#ifndef WEB_SHIM_H
#define WEB_SHIM_H

#include <stdint.h>

#define SHIM_EXPORT __attribute__((used, visibility("default")))

typedef uint32_t char32; /* the address of a NUL-terminated text */
#define TEXT(address)    ((const char *)(uintptr_t)(address))
#define POINTER(pointer) ((uint32_t)(uintptr_t)(pointer))

#endif
