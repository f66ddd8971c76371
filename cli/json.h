/* A small JSON writer: one object a line. Text is escaped to plain ASCII-safe JSON; bytes that are not UTF-8 become
   U+FFFD; infinite numbers become the strings "Infinity" and "-Infinity", NaN becomes null. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct json {
    FILE *to;
    bool comma; /* something stands before in the innermost object or array */
} json;

/* `key` is NULL inside arrays and for the outermost object. */
void json_open(json *j, FILE *to); /* the outermost object */
void json_close(json *j);          /* and the end of its line */
void json_begin(json *j, const char *key, char bracket);
void json_end(json *j, char bracket);

void json_text(json *j, const char *key, const char *string);
void json_bytes(json *j, const char *key, const char *bytes, size_t length);
void json_count(json *j, const char *key, uint64_t value);
void json_real(json *j, const char *key, double value);
void json_flag(json *j, const char *key, bool value);
void json_null(json *j, const char *key);
void json_reals(json *j, const char *key, const double *values, size_t count);

#endif
