/* Ordinary transformers on the command line: what --as, --weights, --kv and --positions say, and verdicts. */
#ifndef CLI_STOCK_SETTINGS_H
#define CLI_STOCK_SETTINGS_H

#include "json.h"
#include "subject.h"

/* Whether options go together; false after a message. */
bool stock_settings_check(session *s);

/* requires stock_settings_check; the length is 0 without --length */
temper_stock_options stock_settings(const session *s);

/* Members "proved" and so on of an object. */
void stock_verdict_json(json *j, const temper_stock_verdict *v);

/* "not proved: head 2.1: ..." as a line. */
void stock_reason_print(const temper_stock_verdict *v);

/* certify --as and limits --as. */
void stock_certify(session *s);
void stock_limits(session *s);

#endif
