#include "xml_check.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"

static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == ':';
}

static const char *reference_fault(const char **at) {
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#10;"};
    for (size_t k = 0; k < 6; k++) {
        if (strncmp(*at, known[k], strlen(known[k]))) continue;
        *at += strlen(known[k]);
        return NULL;
    }
    return "bare ampersand";
}

static const char *character_fault(const char **at) {
    uint32_t code;
    size_t size = utf8_decode(&code, *at, 4); /* stops at the closing NUL */
    if (size == 0) return "invalid UTF-8";
    if ((code < 0x20 && code != '\n') || code == 0xFFFE || code == 0xFFFF) return "forbidden character";
    *at += size;
    return NULL;
}

static const char *attribute_fault(const char **at) {
    const char *fault = NULL;
    while (is_name(**at)) ++*at;
    if (**at != '=' || (*at)[1] != '"') return "attribute without quoted value";
    *at += 2;
    while (!fault && **at && **at != '"') {
        if (**at == '<') return "tag inside an attribute";
        fault = **at == '&' ? reference_fault(at) : character_fault(at);
    }
    if (!fault && **at != '"') return "attribute not closed";
    ++*at;
    return fault;
}

const char *xml_fault(const char *at, size_t *texts) {
    const char *names[32], *fault = NULL;
    size_t lengths[32], depth = 0, roots = 0;
    *texts = 0;
    if (strncmp(at, "<?xml", 5) == 0) at = strstr(at, "?>") + 2;
    if (strncmp(at, "<!DOCTYPE html>", 15) == 0) at += 15;
    while (*at && !fault) {
        if (*at == '&') {
            fault = reference_fault(&at);
        } else if (*at != '<') {
            if (depth == 0 && *at != '\n') return "text outside the root";
            fault = character_fault(&at);
        } else if (at[1] == '/') {
            if (depth == 0) return "closing tag too many";
            depth--;
            if (strncmp(at + 2, names[depth], lengths[depth]) || at[2 + lengths[depth]] != '>')
                return "wrong closing tag";
            at += lengths[depth] + 3;
        } else {
            const char *name = ++at;
            while (is_name(*at)) at++;
            if (at == name || depth == 32) return "bad tag";
            if (depth == 0 && roots++) return "two roots";
            size_t length = (size_t)(at - name);
            if (length == 4 && !strncmp(name, "text", 4)) ++*texts;
            while (!fault && *at == ' ') {
                at++;
                fault = attribute_fault(&at);
            }
            if (fault) break;
            if (at[0] == '/' && at[1] == '>') {
                at += 2;
            } else if (*at == '>') {
                at++;
                names[depth] = name;
                lengths[depth++] = length;
            } else {
                return "tag not closed";
            }
        }
    }
    return fault ? fault : depth ? "element not closed" : roots == 1 ? NULL : "no root";
}
