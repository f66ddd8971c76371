/* The clients that tests run exported folders in. README files of folders name these versions, and
   tests/clients/install.sh reads them from here. `make test-newest` tries what is newest today beside them. */
#ifndef EXPORT_TESTED_CLIENTS_H
#define EXPORT_TESTED_CLIENTS_H

#define TESTED_TORCH           "2.15.0"
#define TESTED_TRANSFORMERS    "5.22.2"
#define TESTED_TRANSFORMERS_4  "4.49.0"
#define TESTED_TOKENIZERS      "0.23.3"
#define TESTED_SAFETENSORS     "0.8.0"
#define TESTED_GGUF            "0.19.0"
#define TESTED_ONNXRUNTIME     "1.31.1"
#define TESTED_LENS_2          "2.18.0"
#define TESTED_LENS_3          "3.9.0"
#define TESTED_LENS_4          "4.3.0"
#define TESTED_LLAMA           "3.22.1"
#define TESTED_TRANSFORMERS_JS "4.3.1"

/* What both kinds of folders are tested in. */
#define TESTED_IN_BOTH                                                                                               \
    "torch " TESTED_TORCH ", transformers " TESTED_TRANSFORMERS " and " TESTED_TRANSFORMERS_4                        \
    ", tokenizers " TESTED_TOKENIZERS ", safetensors " TESTED_SAFETENSORS ", onnxruntime " TESTED_ONNXRUNTIME        \
    ", transformers.js " TESTED_TRANSFORMERS_JS ", TransformerLens " TESTED_LENS_2 ", " TESTED_LENS_3                \
    " and " TESTED_LENS_4
#define TESTED_NOT "Not tested: vLLM and SGLang."

#endif
