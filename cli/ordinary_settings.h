/* Ordinary transformers on the command line: what --as, --weights, --kv and --positions say, and verdicts. */
#ifndef CLI_ORDINARY_SETTINGS_H
#define CLI_ORDINARY_SETTINGS_H

#include "json.h"
#include "subject.h"

/* Whether options go together; false after a message. */
bool ordinary_settings_check(session *s);

/* requires ordinary_settings_check; the length is 0 without --length */
temper_ordinary_options ordinary_settings(const session *s);

/* Members "proved" and so on of an object. */
void ordinary_verdict_json(json *j, const temper_ordinary_verdict *v);

/* "not proved: head 2.1: ..." as a line. */
void ordinary_reason_print(const temper_ordinary_verdict *v);

/* certify --as and limits --as. */
void ordinary_certify(session *s);
void ordinary_limits(session *s);

#endif
