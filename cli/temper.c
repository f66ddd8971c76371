/* temper: one process, all commands. */
#include "job_runner.h"

int main(int argc, char **argv) { return temper_main(argc, argv, NULL); }
