#include "option_words.h"

#include <stddef.h>

/* The first row that fits wins; NULL: as in the table. */
static const struct {
    option_id id;
    int commands;
    option_text text;
} words[] = {
    {OPT_OUTPUT,
     FOR_COMPILE | FOR_SOFTEN | FOR_IMPORT,
     {"MODEL", NULL, "write the model there, as text, or as safetensors to NAME.safetensors"}},
    {OPT_OUTPUT,
     FOR_SHOW,
     {"FILE", NULL,
      "write a picture to FILE.svg, .png or .pdf (the last two need rsvg-convert), or a page to FILE.html; - is "
      "standard output"}},
    {OPT_OUTPUT, FOR_CERTIFY, {"CERTIFICATE", NULL, "write the proof there, as JSON; - is standard output"}},
    {OPT_OUTPUT,
     FOR_LIMITS,
     {"FILE", NULL, "write the table to FILE.csv or .json, or a chart to FILE.svg, .png or .pdf"}},
    {OPT_OUTPUT,
     FOR_AUTOMATON,
     {"FILE", NULL,
      "write a table to FILE.dfa, a picture to FILE.svg, .png or .pdf, FILE.dot for Graphviz, or FILE.json; - is "
      "standard output"}},
    {OPT_OUTPUT, FOR_EXPORT, {"DIR", NULL, "the folder to write; with a name that ends in .onnx only the graph"}},
    {OPT_OUTPUT,
     FOR_LAB,
     {"DIR", NULL, "the folder for reports, tables and figures; with --scale a picture, FILE.svg"}},

    {OPT_TYPE,
     FOR_LANGUAGE_MODEL | FOR_RUN,
     {NULL, NULL,
      "the number format to compute in; STORED/SUMMED: kept in one, added in the other, every rounding emulated; "
      "@tile64, @tile128 or @tile512 behind it: in the order of fused kernels; exact: rationals, for hard choices"}},
    {OPT_TYPE, FOR_SHOW, {NULL, NULL, "the number format of the run that is drawn; STORED/SUMMED as in temper run"}},
    {OPT_TYPE,
     FOR_CERTIFY,
     {"f64|f32|bf16/f32|bf16|f16/f32|f16|e4m3/f32|e4m3|e5m2/f32|e5m2|f32/f64|bf16/f64", NULL,
      "the number format to prove the answers in; STORED/SUMMED: kept in one, added in the other; @tile64, @tile128 "
      "or "
      "@tile512 behind it: in the order of fused kernels"}},
    {OPT_TYPE,
     FOR_LIMITS,
     {"f64|f32|bf16/f32|bf16|f16/f32|f16|e4m3/f32|e4m3|e5m2/f32|e5m2|f32/f64|bf16/f64", "all",
      "only the rows of this number format; also with @tile64, @tile128 or @tile512, as in temper run"}},
    {OPT_TYPE,
     FOR_LAB,
     {NULL, NULL, "schedules with --scale, --bias or --at: the number format that models are run in"}},
    {OPT_TYPE, FOR_EXPORT, {"f64|f32", NULL, "the number format of the ONNX graph"}},

    {OPT_SCALE,
     FOR_LAB,
     {"EXPR", "",
      "schedules: how far this scale of your own, an expression of N, n and i times the base, or a name such as "
      "llama4, "
      "yarn:4, ssmax:0.43 or log, carries each operator, beside published ones; with --bias: each bias with this "
      "scale, "
      "too"}},

    {OPT_EFFORT,
     FOR_AUDIT,
     {NULL, NULL, "work X times as long before a model is too large; exit status 4 beyond it"}},
    {OPT_EFFORT,
     FOR_LIMITS,
     {NULL, NULL,
      "how long to look for wrong answers: 1 is about a minute for all types; and how long to work on automata"}},

    {OPT_METHOD, FOR_CHECK, {NULL, "temperature, then positions", "check the model that this method makes"}},
    {OPT_METHOD, FOR_LIMITS, {NULL, "all", "only the rows of this method"}},

    {OPT_LENGTH, FOR_CHECK, {NULL, "200, or the proved length if that is less", "the longest random string"}},
    {OPT_LENGTH, FOR_GAP, {NULL, "32", "the longest random string, and the length up to which gaps are proved"}},
    {OPT_LENGTH,
     FOR_SOFTEN,
     {NULL, "of a compiled formula: its proved length", "the length up to which answers are to be proved right"}},
    {OPT_LENGTH, FOR_CERTIFY, {NULL, "the longest there is", "the length up to which answers are to be proved"}},
    {OPT_LENGTH, FOR_LIMITS, {NULL, "16Mi", "look for wrong answers up to this length only"}},
    {OPT_LENGTH, FOR_SAMPLE, {NULL, "100", "the longest string to print; with --by strings, their length"}},
    {OPT_LENGTH, FOR_EXPORT, {NULL, "", "with --as: the longest string that the model is for"}},

    {OPT_EXHAUSTIVE, FOR_CHECK, {NULL, NULL, "compare on all strings up to length L"}},
    {OPT_EXHAUSTIVE, FOR_GAP, {NULL, NULL, "measure gaps on all strings up to length L"}},
    {OPT_RANDOM, FOR_CHECK, {NULL, "1000", "then compare on K random strings"}},
    {OPT_RANDOM, FOR_GAP, {NULL, "200", "measure gaps on K random strings"}},
    {OPT_PER_POSITION,
     FOR_COMPILE,
     {NULL, NULL, "a model that answers at every position, also of a regular language"}},
    {OPT_PER_POSITION, FOR_EVAL | FOR_RUN, {NULL, NULL, "add a row of 0 and 1: the truth at each position"}},
    {OPT_UNCHECKED, FOR_EXPORT, {NULL, NULL, "also write a model of which nothing is proved"}},
    {OPT_STREAM, FOR_NEXT, {NULL, NULL, "standard input is one endless prefix: a line after every letter"}},
};

option_text option_text_for(option_id id, int command_bit) {
    const option_row *row = &option_table[id];
    option_text out = {row->argument, row->fallback, row->help};
    for (size_t k = 0; command_bit != FOR_ALL && k < sizeof words / sizeof *words; k++) {
        if (words[k].id != id || !(words[k].commands & command_bit)) continue;
        if (words[k].text.argument) out.argument = words[k].text.argument;
        if (words[k].text.fallback) out.fallback = words[k].text.fallback;
        if (words[k].text.help) out.help = words[k].text.help;
        break;
    }
    return out;
}
