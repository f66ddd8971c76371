/* The command line. A table of commands; options are in options.h, one file per command in cmd_*.c. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heartbeat.h"
#include "job_runner.h"
#include "json.h"
#include "message.h"
#include "option_values.h"
#include "picture_file.h"
#include "repl.h"
#include "stop.h"

const command command_table[COMMAND_COUNT] = {
    {"eval", FOR_EVAL, GROUP_ASK, "the formula's own answers on strings",
     "temper eval -f FORMULA | -F FILE [options] STRING...\n"
     "temper eval MODEL [options] STRING...",
     "temper eval -f 'O a & #[b] >= 2' abab ba ''\n"
     "temper eval -f 'G (req -> F ack)' --tokens 'req ack' 'ack req'\n"
     "temper eval -F dyck.spec --per-position '(())'\n"
     "printf 'ab\\nba\\n' | temper eval -f 'F a' --alphabet ab -\n",
     "Prints one line for each string, in the order given: accept or reject, a tab, and the string. A\n"
     "string with an unknown letter gets error instead. '-' stands for the lines of standard input, '' for\n"
     "the empty string; after '--' every argument is a string. Control bytes and backslashes in a string\n"
     "are printed as \\n, \\t, \\r, \\xHH and \\\\. A MODEL carries its formula.\n",
     cmd_eval},
    {"run", FOR_RUN, GROUP_ASK, "the transformer's answers on strings",
     "temper run -f FORMULA | -F FILE [options] STRING...\n"
     "temper run MODEL [options] STRING...\n"
     "temper run MODEL --stream [options]",
     "temper run -f 'O a & #[b] >= 2' abab ba ''\n"
     "temper compile -f 'O a' --alphabet ab -o m.temper && temper run m.temper --per-position abab\n"
     "printf 'ab\\nba\\n' | temper run m.temper --hard -\n"
     "temper run -f 'a S b' --alphabet abc --method positions --errors abbca\n"
     "echo req wait ack | temper run -f 'H (ack -> O req)' --tokens --other rest --stream\n",
     "Answers as eval does, but a transformer decides: the softmax one, or the hard-attention one with\n"
     "--hard. A string beyond the model's proved length is refused (exit status 4). With --unchecked it is\n"
     "answered all the same, as 'accept (unproved)' or 'reject (unproved)'. If a hard model carries no\n"
     "proof, its choices are proved string by string; --type exact computes in rationals, where rounding\n"
     "could hide a tie.\n"
     "--type chooses the number format. With bf16/f32, numbers are stored in bf16 and added in f32, and\n"
     "every rounding of such a kernel is made; with bf16 both happen in bf16. f16 and the formats of 8\n"
     "bits, e4m3 and e5m2, work alike. Each format has a proved length of its own: certify prints it, and\n"
     "limits prints a table of them.\n"
     "With --stream standard input is one string of any length, and memory does not grow. After every\n"
     "letter a line says accept or reject, a tab, and how many letters have been read. Line ends are\n"
     "skipped; with --tokens, blanks and line ends separate letters. The formula must look back only (exit\n"
     "status 4 otherwise). An unknown letter ends the stream (exit status 2), unless --other says how to\n"
     "read it.\n",
     cmd_run},
    {"compile", FOR_COMPILE, GROUP_BUILD, "a formula to a model file",
     "temper compile -f FORMULA | -F FILE [options] [-o MODEL]\n"
     "temper compile --gallery NAME [-o MODEL]",
     "temper compile -f 'O a' --alphabet ab -o m.temper\n"
     "temper compile -F dyck.spec --method positions -o dyck.temper\n"
     "temper compile -f 'a S b' --alphabet abc --dump formula,hard\n"
     "temper compile --gallery dyck-2 -o dyck-2.temper\n",
     "Writes the model to the file that -o names. Without -o and --dump it prints the model. A model file\n"
     "is text. It is written under another name and renamed, so that it is never half there. Models of the\n"
     "gallery are hard: temper soften turns them into softmax models.\n",
     cmd_compile},
    {"explain", FOR_EXPLAIN, GROUP_ASK, "where each subformula is, and what each head costs",
     "temper explain -f FORMULA | -F FILE [options]\n"
     "temper explain MODEL [options]",
     "temper explain -f '(a S b) & #[a] % 3 = 1' --alphabet abc\n"
     "temper explain -F dyck.spec --json\n",
     "Prints the formula in words, the size of the transformer, and the proved length in three number\n"
     "formats. Two tables follow: where each subformula is computed, and what each head costs.\n",
     cmd_explain},
    {"check", FOR_CHECK, GROUP_PROVE, "compares formula, hard and soft transformer on many strings",
     "temper check -f FORMULA | -F FILE [options]\n"
     "temper check MODEL [-f FORMULA | -F FILE] [options]\n"
     "temper check -f FORMULA | -F FILE | MODEL --against FORMULA|FILE",
     "temper check -f 'a S b' --alphabet abc\n"
     "temper check -f '#[a] = #[b]' --exhaustive 10 --random 10000 --length 100\n"
     "temper compile -f 'O a' --alphabet ab -o m.temper && temper check m.temper\n"
     "temper check m.temper -f 'O a'\n"
     "temper check m.temper --exhaustive 20 --random 0 --journal m.journal\n"
     "temper check -f 'a S b' --alphabet abc --against 'b | (a & Y (a S b))'\n",
     "Compares truth at every position and the verdict, on all strings up to --exhaustive letters and then\n"
     "on --random ones. Prints how many agreed, or the shortest counterexample found (exit status 1). A\n"
     "formula alone is checked by temperature and positions, unless --method or --hard is given. A soft MODEL\n"
     "that carries no formula is compared with its own hard choices.\n"
     "--against decides whether two specifications accept the same strings, of every length: by their minimal\n"
     "automata, without any transformer. Prints same, or the shortest string that only one accepts (exit\n"
     "status 1). FILE ends in .spec, .crasp or .brasp, or is a MODEL (.temper, .safetensors), whose formula is\n"
     "taken; anything else is a formula. Counts compared without a bound have no automaton (exit status 4).\n",
     cmd_check},
    {"show", FOR_SHOW, GROUP_ASK, "the attention of each head on a string",
     "temper show -f FORMULA | -F FILE [options] STRING\n"
     "temper show MODEL [options] STRING",
     "temper show -f 'a S b' --alphabet abc abbca\n"
     "temper show -f 'a S b' --alphabet abc -o attention.svg abbca\n"
     "temper show -f 'a S b' --alphabet abc -o page.html abbca\n"
     "temper show -f 'a S b' --alphabet abc --row 1.1@3 abbca\n",
     "Draws each head's attention: rows are queries, columns are keys. --row prints the query, scores,\n"
     "softmax weights, output and rounded output of one row, beside the hard choice. --html makes a page\n"
     "that needs no network: the truth of every subformula at every position, and each head with exact\n"
     "values under the pointer. With -o the file's name chooses the form: FILE.svg, FILE.png, FILE.pdf or\n"
     "FILE.html.\n",
     cmd_show},
    {"gap", FOR_GAP, GROUP_PROVE, "how far apart each head's scores are, and where they tie",
     "temper gap MODEL [options] [STRING...]\n"
     "temper gap -f FORMULA | -F FILE [options] [STRING...]",
     "temper compile --gallery dyck-1 -o m.temper && temper gap m.temper\n"
     "temper gap m.temper --exhaustive 8 --random 0 --length 64\n"
     "temper gap m.temper '(())' '()'\n"
     "temper gap -f '#[a] > #[b]' --json\n",
     "Runs the hard transformer in exact arithmetic. The gap of a row of scores is the difference between\n"
     "the largest score and the next different one. The table gives each head's smallest gap by length, as\n"
     "a power of 2, in three columns. 'measured' is about the strings that you give, or about --random\n"
     "strings up to --length. 'exhaustive' is about all strings up to --exhaustive letters. 'proved'\n"
     "follows from denominators, for every string up to --length.\n"
     "A head is uniform if all scores of a row are equal, tieless if every row has one largest score, and\n"
     "tied otherwise; then a string shows the tie. The transformer is uniform-tieless if every average\n"
     "head is uniform or tieless. With -q the exit status is 0 if that is proved, else 1.\n",
     cmd_gap},
    {"soften", FOR_SOFTEN, GROUP_BUILD, "any hard transformer to a soft one, with a proved temperature",
     "temper soften MODEL --length N [options] [-o SOFT]\n"
     "temper soften -f FORMULA | -F FILE [options] [-o SOFT]",
     "temper compile --gallery dyck-1 -o hard.temper\n"
     "temper soften hard.temper --length 32 -o soft.temper\n"
     "temper soften hard.temper --length 8 --gap exhaustive -o soft.temper\n"
     "temper soften hard.temper --length 32 --adaptive -o soft.temper\n"
     "temper soften hard.temper --length 100 --gap 2^-10 --method positions\n"
     "temper soften hard.temper --length 2000 --journal soften.journal -o soft.temper\n",
     "Every head becomes a softmax head. Its scale is large enough for the gap between its scores, so that\n"
     "every string up to --length is decided as before: the error of the output, rounding included, is proved\n"
     "to be smaller than its distance from a wrong answer. If the proof fails, temper refuses the model and\n"
     "names the head and the length (exit status 4). With --gap VALUE nothing is proved.\n"
     "A model compiled from a formula needs no --length. Without --length and --gap it gets the formula's own\n"
     "scales, as with temper compile, up to its proved length. Without -o the model is printed.\n"
     "With --journal FILE temper keeps what it finds about each length, so that a command that was stopped can\n"
     "go on.\n",
     cmd_soften},
    {"certify", FOR_CERTIFY, GROUP_PROVE, "proves the answers for all strings up to a length, in a number format",
     "temper certify MODEL [--length N] [--type T] [-o CERTIFICATE]\n"
     "temper certify -f FORMULA | -F FILE [options]\n"
     "temper certify -f FORMULA | -F FILE --as gpt2|llama [--length N] [options]",
     "temper compile -f 'O a' --alphabet ab -o m.temper\n"
     "temper certify m.temper --length 100k --type f32 -o certificate.json\n"
     "temper certify -f 'O a' --alphabet ab --type bf16/f32 --length 1e6\n"
     "temper certify -f 'a S b' --alphabet abc --type bf16\n"
     "temper certify -f 'a S b' --alphabet abc --as llama --length 1000\n",
     "Proves that the softmax transformer, with every rounding of the number format, gives the right answer at\n"
     "every position of every string up to --length. Without --length it finds the longest such length. It\n"
     "prints one of three verdicts: proved, with each head's error bound before rounding; refuted, with a\n"
     "string that is answered wrongly (exit status 1); or unable, with the reason (exit status 4).\n"
     "-o writes the proof. It belongs to the bytes of the MODEL file; with -f, to the text that temper compile\n"
     "writes. doc/certificate.md describes it. With --journal FILE a proof of hard choices that was stopped\n"
     "can go on.\n"
     "With --as it proves the answers of the ordinary GPT-2 or Llama that temper export --as writes, in the\n"
     "runtimes that doc/ordinary.md describes. temper export --as puts the certificate into its folder.\n",
     cmd_certify},
    {"gallery", FOR_GALLERY, GROUP_BUILD, "known hard-attention transformers", "temper gallery [NAME...]",
     "temper gallery\n"
     "temper gallery dyck-2\n"
     "temper compile --gallery dyck-2 -o dyck-2.temper\n",
     "Without NAME it lists the name, the class and the language of each model. With NAME it describes one\n"
     "model: where it is known from, its heads, strings that it accepts and rejects, and what to try with\n"
     "it.\n"
     "In a UHAT every head chooses the leftmost or the rightmost of the best positions. In an AHAT heads\n"
     "average over them; it is uniform-tieless if each of its heads has either no scores or always one\n"
     "best position, and tied otherwise.\n",
     cmd_gallery},
    {"import", FOR_IMPORT, GROUP_ELSEWHERE, "weights of TransformerLens or GPT-2 to a model file",
     "temper import WEIGHTS CONFIG [-o MODEL]\n"
     "temper import FOLDER | model.gguf [-o MODEL]",
     "temper import weights.safetensors config.json -o m.temper   # your own files: doc/import.md\n"
     "temper export -f 'O a' --alphabet ab --as gpt2 --length 16 -o folder\n"
     "temper import folder/model.gguf -o m.temper && temper run m.temper --hard abab\n",
     "WEIGHTS is a plain safetensors file with the names of TransformerLens or of GPT-2 (Hugging Face).\n"
     "CONFIG is a small JSON file with what tensors do not tell: the letters, each head's choice and mask,\n"
     "and how the answer is read. The model is hard if no head is a softmax head; nothing is proved of it.\n"
     "A feature that temper's transformers do not have, such as layer norm, rotary positions, gated nets\n"
     "or an activation other than ReLU, is refused by name (exit status 4). Without -o the model is\n"
     "printed.\n"
     "A FOLDER or GGUF file that temper export --as wrote needs no CONFIG: the weights alone give the hard\n"
     "model again. A weight that does not fit is refused with its tensor and place.\n",
     cmd_import},
    {"export", FOR_EXPORT, GROUP_ELSEWHERE, "a folder for PyTorch, Hugging Face, TransformerLens and ONNX runtimes",
     "temper export MODEL [options] -o FOLDER\n"
     "temper export -f FORMULA | -F FILE [options] -o FOLDER\n"
     "temper export MODEL [options] -o GRAPH.onnx\n"
     "temper export -f FORMULA | -F FILE --as gpt2|llama --length N [options] -o FOLDER",
     "temper export -f 'H(b -> O a)' --alphabet abc -o out/\n"
     "temper compile -f 'O a' --alphabet ab -o m.temper && temper export m.temper -o out/\n"
     "temper export m.temper --type f32 --outputs patterns,channels -o graph.onnx\n"
     "temper certify m.temper --length 1000 -o proof.json\n"
     "temper export m.temper --certificate proof.json -o out/\n"
     "temper export -f 'H(b -> O a)' --alphabet abc --as llama --length 256 -o ordinary/\n",
     "Writes a folder with the weights (model.safetensors), code that loads them (modeling_temper.py,\n"
     "configuration_temper.py, lens_temper.py), the graph (onnx/model.onnx), the model (model.temper), the\n"
     "vocabulary and the tokenizer, test vectors, and a README.md that shows how to use each. A missing\n"
     "folder is made; files of an earlier export are replaced. With a name that ends in .onnx only the\n"
     "graph is written. The graph has no maximum length: it computes positions and scales from the length\n"
     "of its input. --certificate adds a certificate that passes the audit. --outputs adds attention\n"
     "patterns, the channels after each layer, and each head's output before rounding. A model without a\n"
     "proved length is refused (exit status 4) unless --unchecked is given.\n"
     "\n"
     "--as writes an ordinary GPT-2 or Llama instead, for strings of up to --length letters: model.gguf\n"
     "for llama.cpp, a folder that Hugging Face transformers loads without extra code, and onnx/model.onnx\n"
     "for transformers.js. --weights and --kv say in which numbers it runs. doc/ordinary.md tells more.\n",
     cmd_export},
    {"lab", FOR_LAB, GROUP_PROVE, "claims as experiments: tables, figures, a report",
     "temper lab [NAME...] [options]",
     "temper lab\n"
     "temper lab zoo --quick\n"
     "temper lab zoo -o results --seed 2                               # a minute\n"
     "temper lab all -o results                                        # minutes\n"
     "temper lab all --seeds 1-20 --journal sweep.journal -o results   # an hour\n"
     "temper lab schedules --scale llama4 --at 8Ki,128Ki --head-size 64\n",
     "Without NAME it lists the experiments. With NAME it runs each of them, checks its claims, and prints\n"
     "them with what it measured. -o DIR also writes the report (NAME.md), the data (NAME.json,\n"
     "NAME-TABLE.csv) and the figures (NAME-FIGURE.svg). The same seed gives the same bytes. The exit status\n"
     "is 1 if a claim does not hold.\n"
     "temper lab all writes every experiment to DIR (temper-lab by default) and one page, DIR/report.html. It\n"
     "skips experiments that are already there with the same seed, version and --quick. --seeds A-B checks\n"
     "claims only: it says for how many seeds each claim holds, and for which it fails. -o DIR then writes\n"
     "sweep.md, sweep.json, sweep-claims.csv and sweep-seeds.csv. With --journal FILE the work can go on after\n"
     "a crash; temper-mpi shares it among machines.\n",
     cmd_lab},
    {"audit", FOR_AUDIT, GROUP_PROVE, "checks a certificate against its model, with code of its own",
     "temper audit CERTIFICATE MODEL\n"
     "temper audit CERTIFICATE FOLDER | model.gguf",
     "temper compile -f 'O a' --alphabet ab -o m.temper\n"
     "temper certify m.temper --length 1000 -o proof.json\n"
     "temper audit proof.json m.temper\n"
     "temper export -f 'O a' --alphabet ab --as gpt2 --length 16 -o folder\n"
     "temper audit folder/certificate.json folder\n",
     "Finds out from the weights what every channel means and how large every head's error may be. It reads\n"
     "the source by its definitions, writes the certificate that follows, and accepts no other. It does not\n"
     "trust labels, roles or the proved length of the MODEL. It prints what is proved, or what is wrong (exit\n"
     "status 1): the first field that differs, or the layer, head or gate whose proof fails. If temper-checker\n"
     "lies beside temper, or --checker names it, it is asked, too: its soundness is a theorem. The exit status\n"
     "is 4 if a model is too large for it; --effort X lets it work X times as long.\n"
     "For an ordinary GPT-2 or Llama, give the FOLDER that export --as wrote, or its GGUF file. The audit\n"
     "reads the file that llama.cpp loads, undoes the lowering, compares what the weights compute with the\n"
     "source, and bounds every rounding. It confirms that every logit is within 32 of the right one; it does\n"
     "not check the smaller bounds that the file lists.\n",
     cmd_audit},
    {"limits", FOR_LIMITS, GROUP_PROVE, "how far each number format is right, and where it goes wrong",
     "temper limits -f FORMULA | -F FILE [options]\n"
     "temper limits MODEL [options]",
     "temper limits -f 'a S b' --alphabet abc --type bf16/f32 --method positions\n"
     "temper limits -f 'a S b' --alphabet abc --type bf16/f32 --method digits --min-length 100k -q\n"
     "temper limits -f 'O a' --alphabet ab --effort 0.01 -o limits.svg\n"
     "temper limits -f 'a S b' --alphabet abc                                       # a minute\n"
     "temper limits -f '#[a] % 2 = 1' --effort 10 --journal limits.journal --csv   # minutes\n",
     "Prints a table with a row for each number format and method. 'proved length' is the largest length\n"
     "up to which every string is proved to be answered rightly. 'first wrong' is the smallest length at\n"
     "which a wrong answer was found; 'none to n' means that none was found up to n letters, which is no\n"
     "proof. 'ratio' is the second over the first. Then come the head at fault and the reason:\n"
     "representability (stored numbers no longer tell keys apart), lost tie (logits that differ come out\n"
     "equal), absorption (sums lose terms), overflow, or a gate. The strings are made for the model, and\n"
     "are the same each time. If you give a MODEL, the row of its own method tests that file. Every other\n"
     "row tests a model compiled from the formula that it carries.\n"
     "-o writes FILE.csv, FILE.json, or a chart: FILE.svg, FILE.png or FILE.pdf. With --min-length the\n"
     "exit status is 1 if a row is proved for less.\n",
     cmd_limits},
    {"automaton", FOR_AUTOMATON, GROUP_BUILD, "the minimal automaton of a specification, and where its language sits",
     "temper automaton -f FORMULA | -F FILE [options]\n"
     "temper automaton MODEL [options]",
     "temper automaton -f 'a S b' --alphabet abc\n"
     "temper automaton -f 'G (a -> X F b)' -o automaton.svg\n"
     "temper automaton -F date.regex -o date.dot\n",
     "Any specification that a finite automaton decides will do, whether it looks back, forward or both ways;\n"
     "counts may be compared with constants, and remainders taken. It prints the table of the automaton, which\n"
     "temper reads again as FILE.dfa. Comments before the table give its size and say whether the language is\n"
     "finite, definite, reverse definite, locally testable, piecewise testable, R-trivial, star-free and\n"
     "solvable. Each no has a reason: two families of strings that no language of the class tells apart.\n"
     "With -o the name of the file chooses the form: FILE.svg is a picture, FILE.dot is for Graphviz,\n"
     "FILE.json is what --json prints. The exit status is 4 if there are too many states, or if counts are\n"
     "compared without a bound. A MODEL carries its formula.\n",
     cmd_automaton},
    {"next", FOR_NEXT, GROUP_ASK, "what may come after a prefix: legal letters, and whether the string may end",
     "temper next -f FORMULA | -F FILE [options] PREFIX...\n"
     "temper next MODEL [options] PREFIX...\n"
     "temper next MODEL --stream [options]",
     "temper next --regex '(ab|ba)*' a ab ''\n"
     "temper next -F dyck.spec --json '(()'\n"
     "echo cab | temper next -f 'H (b -> O a)' --alphabet abc --stream\n",
     "Prints a line for each PREFIX: the letters that may come next, separated by blanks, and $ if the\n"
     "string may end here; then a tab and the prefix. A dash means that no string of the language begins\n"
     "with the prefix. The letters $ and - are quoted.\n"
     "Any specification will do; temper reads it as if it had a line 'next'. Where counts are compared, a\n"
     "line 'viable' must say which prefixes can be completed; it is tested, not proved (doc/sequence.md).\n"
     "A transformer answers, as in run: beyond its proved length it is refused, unless --unchecked is\n"
     "given. With --stream standard input is one string, and a line follows every letter. With -q the exit\n"
     "status is 1 if nothing may come and the string may not end.\n",
     cmd_next},
    {"sample", FOR_SAMPLE, GROUP_ASK, "strings out of a language model",
     "temper sample -f FORMULA | -F FILE [options]\n"
     "temper sample MODEL [options]",
     "temper sample --regex '(ab|ba)*' --count 5\n"
     "temper sample -F date.regex --by strings --length 10 --count 3 --seed 7\n"
     "temper sample -F weather.spec --by weights --count 5\n",
     "Prints --count strings of the language, one a line. At every step the transformer is asked what may come\n"
     "next: each legal letter, and the end where it is legal, is equally likely. A string that has not ended\n"
     "after --length letters (100) is dropped, and another one is tried, --tries (1000) in all. With --by strings "
     "all strings of exactly\n"
     "--length letters are equally likely: they are counted, which takes a finite automaton (exit status 4\n"
     "otherwise), and the transformer must agree with every letter. --by weights goes by the probabilities of\n"
     "the specification. The same --seed gives the same strings.\n",
     cmd_sample},
    {"perplexity", FOR_PERPLEXITY, GROUP_ASK, "how likely a language model finds the lines of a file",
     "temper perplexity -f FORMULA | -F FILE [options] FILE\n"
     "temper perplexity MODEL [options] FILE",
     "printf 'ssr\\nrs\\n' > days.txt && temper perplexity -F weather.spec days.txt\n"
     "temper perplexity -F weather.spec --json days.txt\n",
     "The specification needs a line 'probabilities'. Prints the cross-entropy of the lines of FILE (- for\n"
     "standard input) in bits for each letter, ends of lines included, a bound on its error, and the\n"
     "perplexity. A line of probability 0 is named (exit status 1), and so is a line with an unknown\n"
     "letter (exit status 2).\n",
     cmd_perplexity},
    {"examples", FOR_EXAMPLES, GROUP_LEARN, "short specifications to begin with", "temper examples [NAME...]",
     "temper examples\n"
     "temper examples dyck.spec\n"
     "temper run -F dyck.spec '(())'      # examples need no file\n",
     "Lists the examples, or prints those named.\n", cmd_examples},
    {"completion", FOR_COMPLETION, GROUP_LEARN, "the script that makes a shell complete temper's command lines",
     "temper completion bash|zsh|fish",
     "eval \"$(temper completion bash)\"\n"
     "temper completion zsh > _temper     # to a folder of fpath\n"
     "temper completion fish > temper.fish # to ~/.config/fish/completions\n",
     "Prints the script. It asks the program itself what may come next.\n", cmd_completion},
    {"help", FOR_HELP, GROUP_LEARN, "help on a command, or on the language of formulas",
     "temper help [COMMAND | language]",
     "temper help run\n"
     "temper help language\n",
     "-h after a command prints its examples and forms, --help all of its options.\n", cmd_help},
};

static const command *find_command(const char *name) {
    for (size_t k = 0; k < COMMAND_COUNT; k++)
        if (strcmp(command_table[k].name, name) == 0) return &command_table[k];
    return NULL;
}

static int command_bit(const char *name, usage_error *err) {
    const command *found = find_command(name);
    if (found) return found->bit;
    const char *names[COMMAND_COUNT];
    for (size_t k = 0; k < COMMAND_COUNT; k++) names[k] = command_table[k].name;
    const char *near = nearest_name(name, names, COMMAND_COUNT);
    snprintf(err->text, sizeof err->text, "there is no command '%.60s'", name);
    if (path_ends(name, ".temper") || path_ends(name, ".safetensors"))
        snprintf(err->hint, sizeof err->hint, "a command comes first: temper run %.60s STRING", name);
    else if (strcmp(name, "version") == 0)
        snprintf(err->hint, sizeof err->hint, "temper --version prints it");
    else if (strpbrk(name, " #[(|&"))
        snprintf(err->hint, sizeof err->hint, "a command comes first: temper run -f '%.60s' STRING", name);
    else if (near)
        snprintf(err->hint, sizeof err->hint, "did you mean %s?", near);
    else
        snprintf(err->hint, sizeof err->hint, "temper help lists the commands");
    return 0;
}

/* A closed standard stream would give its number to the next file that is opened, and answers would end up there.
   Opened for the wrong direction, it fails as it should when used. */
static void hold_streams(void) {
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0) _exit(EXIT_IO);
}

static bool wants_colour(const session *s, int fd) {
    const char *off = getenv("NO_COLOR"), *term = getenv("TERM");
    return !is_given(s, OPT_NO_COLOR) && !(off && *off) && isatty(fd) && !(term && strcmp(term, "dumb") == 0);
}

static void print_version(const session *s) {
    if (!s->json) {
        printf("temper %s\n", temper_version());
        return;
    }
    json j;
    json_open(&j, stdout);
    json_text(&j, "version", temper_version());
    json_close(&j);
}

/* What is left in the buffer goes out; a reader that has gone away is no news to anybody. */
static void finish_output(session *s) {
    if (memory_was_short() && s->exit_code != EXIT_LIMIT)
        message_print(s, EXIT_LIMIT, NULL, "out of memory: some of the output is missing", NULL);
    if (output_flush(s)) return;
    session_fail(s, EXIT_IO);
    if (s->write_error == EPIPE) return;
    char text[200];
    snprintf(text, sizeof text, "cannot write standard output: %s", strerror(s->write_error));
    message_print(s, EXIT_IO, NULL, text, NULL);
}

static bool can_run(const session *s, const command *c) { return !s->runner || (c->bit & FOR_JOBS); }

/* For `limits` it may be less work, too. */
static bool set_effort(session *s, const command *c) {
    double least = c->bit == FOR_LIMITS ? 0.001 : 1;
    const char *text = s->opt.value[OPT_EFFORT].text;
    s->effort = 1;
    if (text && !(decimal_read(&s->effort, text) && s->effort >= least && s->effort <= 1e6)) {
        message_usage(s, NULL, "--effort must be a number from %s to 1000000", c->bit == FOR_LIMITS ? "0.001" : "1");
        return false;
    }
    temper_limit_work(s->effort);
    return true;
}

static void run_command(session *s, const command *c, bool at_prompt) {
    if (!set_effort(s, c)) return;
    stop_prepare(s, c, at_prompt);
    heartbeat_start(s, c->name);
    c->run(s);
    heartbeat_stop();
    stop_forget();
}

static int do_line(int argc, char **argv, const job_runner *runner, bool at_prompt) {
    session s = {.runner = runner, .at_prompt = at_prompt};
    usage_error err;
    bool ok = options_parse(&s.opt, argc, argv, command_bit, &err);
    s.json = is_given(&s, OPT_JSON);
    s.quiet = is_given(&s, OPT_QUIET);
    s.colour_out = wants_colour(&s, STDOUT_FILENO);
    s.colour_err = wants_colour(&s, STDERR_FILENO);
    const command *c = ok && s.opt.command ? find_command(s.opt.command) : NULL;
    if (!ok && err.no_memory)
        message_print(&s, EXIT_LIMIT, NULL, "out of memory", NULL);
    else if (!ok)
        message_usage(&s, err.hint, "%s", err.text);
    else if (is_given(&s, OPT_HELP))
        help_print(c, s.opt.value[OPT_HELP].is_short);
    else if (is_given(&s, OPT_VERSION))
        print_version(&s);
    else if (c && can_run(&s, c))
        run_command(&s, c, at_prompt);
    else if (c)
        message_usage(&s, "temper does it", "temper-mpi does not do %s", c->name);
    else
        message_usage(&s, "temper help lists the commands", "a command is missing");
    finish_output(&s);
    free(s.opt.arguments);
    return s.exit_code;
}

static int do_typed(int argc, char **argv) { return do_line(argc, argv, NULL, true); }

int temper_main(int argc, char **argv, const job_runner *runner) {
    hold_streams();
    signal(SIGPIPE, SIG_IGN);
    if (argc == 1 && !runner && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) return repl_run(do_typed);
    return do_line(argc, argv, runner, false);
}
