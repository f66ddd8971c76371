/* temper completion: the script that teaches a shell to complete temper's command lines. */
#include <stdio.h>
#include <string.h>

#include "message.h"
#include "session.h"
#include "text_files.h"

void cmd_completion(session *s) {
    static const char *const shells[] = {"bash", "zsh", "fish"};
    char name[32] = "";
    if (s->opt.count == 1)
        for (size_t k = 0; k < sizeof shells / sizeof *shells; k++)
            if (strcmp(s->opt.arguments[0].text, shells[k]) == 0) snprintf(name, sizeof name, "temper.%s", shells[k]);
    const text_file *script = text_file_find(name);
    if (!script) {
        message_usage(s, "for example: eval \"$(temper completion bash)\"",
                      "completion needs the name of a shell: bash, zsh or fish");
        return;
    }
    fwrite(script->bytes, 1, script->size, stdout);
}
