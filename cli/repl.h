/* temper without arguments on a terminal: a formula, then strings. */
#ifndef CLI_REPL_H
#define CLI_REPL_H

/* Does one command line as temper_main would; its exit code. */
typedef int repl_call(int argc, char **argv);

int repl_run(repl_call *call);

#endif
