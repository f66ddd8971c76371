/* A tiny XML checker, for what pictures and pages are made of. */
#ifndef TESTS_XML_CHECK_H
#define TESTS_XML_CHECK_H

#include <stddef.h>

/* NULL if the text is well-formed, else what is wrong; *texts: how many <text> elements there are. */
const char *xml_fault(const char *at, size_t *texts);

#endif
