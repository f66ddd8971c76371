/* What -o writes: texts as they are, pictures as SVG, or as PNG and PDF through rsvg-convert. */
#ifndef CLI_PICTURE_FILE_H
#define CLI_PICTURE_FILE_H

#include "session.h"

/* Whether the name of a file ends in `end`, such as ".svg". */
bool path_ends(const char *path, const char *end);

/* .svg, .png or .pdf. */
bool is_picture_path(const char *path);

/* Writes the file and says so on standard error, unless -q is given; false after a message. */
bool file_write(session *s, const char *path, const char *bytes, size_t length);

/* Writes the picture in the form that the name of the file asks for; false after a message. */
bool picture_write(session *s, const char *path, const char *svg);

#endif
