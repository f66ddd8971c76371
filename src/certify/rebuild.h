/* Whether a model is what the compiler makes of the specification it carries: made again and compared number by number. */
#ifndef CERTIFY_REBUILD_H
#define CERTIFY_REBUILD_H

#include "bound/certification.h"

/* NULL: it is; else what differs, in a few words. */
const char *rebuild_difference(certification *c);

#endif
