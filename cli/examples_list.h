/* The examples that the program carries with it, in the order of the table in examples/README.md. */
#ifndef CLI_EXAMPLES_LIST_H
#define CLI_EXAMPLES_LIST_H

#include <stddef.h>

size_t examples_count(void);
const char *examples_name(size_t k);  /* such as "dyck.spec" */
const char *examples_about(size_t k); /* what the table says of it */

/* The text of the example of this very name, such as "dyck.spec"; NULL: there is none. */
const char *examples_text(size_t *length, const char *name);

#endif
