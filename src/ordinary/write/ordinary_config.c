/* generation_config.json and Modelfile; config.json and the tokenizer are in src/model, whose readers ask for the
   same bytes. */
#include <string.h>

#include "base/json_write.h"
#include "ordinary/write/ordinary_files.h"

static void put_ids(text *out) {
    text_printf(out, "  \"bos_token_id\": %d,\n  \"eos_token_id\": %d,\n  \"pad_token_id\": %d", ORDINARY_BOS,
                ORDINARY_EOS, ORDINARY_EOS);
}

/* Neither top_k nor top_p nor a temperature may make tokens of probability 0 matter or legal ones vanish. */
void ordinary_generation_print(text *out, const struct ordinary_model *m) {
    text_printf(out,
                "{\n  \"do_sample\": true,\n  \"temperature\": 1.0,\n  \"top_k\": 0,\n  \"top_p\": 1.0,\n"
                "  \"max_length\": %u,\n",
                m->positions);
    put_ids(out);
    text_puts(out, "\n}\n");
}

/* Ollama's own sampling would cut off letters, and its template would put words around the string. */
void ordinary_modelfile_print(text *out, const struct ordinary_model *m, const ordinary_tokens *t) {
    text_printf(out,
                "FROM ./model.gguf\n"
                "TEMPLATE \"{{ .Prompt }}\"\n"
                "PARAMETER num_ctx %u\n"
                "PARAMETER num_predict %u\n"
                "PARAMETER temperature 1\n"
                "PARAMETER top_k 0\n"
                "PARAMETER top_p 1\n"
                "PARAMETER min_p 0\n"
                "PARAMETER repeat_penalty 1\n",
                m->positions, m->positions - 1);
    text_puts(out, "PARAMETER stop ");
    jwrite_string(out, t->names[ORDINARY_EOS], strlen(t->names[ORDINARY_EOS]));
    text_puts(out, "\nPARAMETER stop ");
    jwrite_string(out, t->names[ordinary_dead(t)], strlen(t->names[ordinary_dead(t)]));
    text_putc(out, '\n');
}
