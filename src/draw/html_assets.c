/* Style and script of pages, which are files of src/draw/page. They are the same for every page, so that their
   digests can stand in its security policy: nothing else in it can style or run. */
#include "draw/html.h"
#include "draw/page_files.h"

#include <string.h>

static const char *file(const char *name) {
    for (size_t k = 0; k < page_file_count; k++)
        if (!strcmp(page_files[k].name, name)) return (const char *)page_files[k].bytes;
    return "";
}

const char *html_style(arena *a, bool is_part) {
    text t;
    text_init(&t, a);
    text_puts(&t, "\n");
    text_puts(&t, file("components.css"));
    if (!is_part) text_puts(&t, file("page.css"));
    return text_string(&t);
}

const char *html_script(void) { return file("page.js"); }

const char *temper_draw_style(void) { return file("components.css"); }
