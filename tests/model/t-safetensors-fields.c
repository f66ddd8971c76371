/* Models in safetensors, field by field: files made by hand that differ from a whole one in one field, with the byte
   and the words of the refusal that doc/model.md asks for; the container's types, orders and lengths; the digest of a
   record; and the limits of what is written, just met and just exceeded. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/model_metadata.h"
#include "test.h"

/* ---- files: in the text of a header ' stands for the quotes inside the text of the key temper ---- */

#define HEAD_1 "{'label':'h','mask':'all','choice':'softmax','for':'rightmost','scale':'8','query':1,'value':1}"
#define HEAD_2 "{'label':'g','mask':'all','choice':'softmax','query':2,'value':0}"
#define PART   "{'formula':'p','layer':1,'head':1,'channel':0}"
#define TENSOR(name, shape, begin, end)                                                                              \
    ",\"" name "\":{\"dtype\":\"F64\",\"shape\":" shape ",\"data_offsets\":[" #begin "," #end "]}"

/* Two channels, two heads with 1 and 2 rows of the query, 1 and 0 of the value, one unit. */
static const char SOFT[] =
    "{\"__metadata__\":{\"format\":\"pt\",\"temper\":\"{'version':1,'method':'temperature','alphabet':['a'],"
    "'channels':[{'label':'x'},{'label':'y','soft':'i/N'}],"
    "'layers':[{'heads':[" HEAD_1 "," HEAD_2 "],'units':1}],'parts':[" PART
    "]}\"}" TENSOR("embed.W_E", "[3,2]", 0, 48) TENSOR("blocks.0.attn.W_Q", "[2,2,2]", 48, 112)
        TENSOR("blocks.0.attn.W_K", "[2,2,2]", 112, 176) TENSOR("blocks.0.attn.W_V", "[2,2,2]", 176, 240)
            TENSOR("blocks.0.attn.W_O", "[2,2,2]", 240, 304) TENSOR("blocks.0.mlp.W_in", "[2,1]", 304, 320)
                TENSOR("blocks.0.mlp.b_in", "[1]", 320, 328) TENSOR("blocks.0.mlp.W_out", "[1,2]", 328, 344)
                    TENSOR("unembed.W_U", "[2,1]", 344, 360) "}";
enum { SOFT_NUMBERS = 45, QUERIES = 6, VALUES = 22, BIAS = 40 };

static const char NEXT[] =
    "{\"__metadata__\":{\"temper\":\"{'version':2,'kind':'next','outputs':['a',''],'logits':true,"
    "'alphabet':['a'],'other':'a','channels':[{'label':'x'}],'layers':[]}\"}" TENSOR("embed.W_E", "[3,1]", 0, 24)
        TENSOR("unembed.W_U", "[1,2]", 24, 40) TENSOR("unembed.W_logits", "[1,2]", 40, 56) "}";
enum { NEXT_NUMBERS = 7 };

typedef struct file {
    char *bytes;
    size_t length, header;
} file;

/* A header and its numbers. */
static file make_file(const char *header, const void *data, size_t data_bytes) {
    size_t n = strlen(header), used = 8;
    file f = {malloc(8 + 2 * n + data_bytes), 0, 0};
    for (const char *p = header; *p; p++) {
        if (*p == '\'') f.bytes[used++] = '\\';
        f.bytes[used++] = *p == '\'' ? '"' : *p;
    }
    f.header = used - 8;
    for (int k = 0; k < 8; k++) f.bytes[k] = (char)(f.header >> (8 * k));
    if (data_bytes) memcpy(f.bytes + used, data, data_bytes);
    f.length = used + data_bytes;
    f.bytes = realloc(f.bytes, f.length);
    return f;
}

/* The header with one text in the place of another; a ^ in it is dropped, and says where the refusal is. */
static char *changed(const char *header, const char *from, const char *to, size_t *mark) {
    const char *at = strstr(header, from), *hat = strchr(to, '^');
    char *out = malloc(strlen(header) + strlen(to) + 1);
    size_t before = at ? (size_t)(at - header) : 0;
    CHECK(at, "no %s in %s", from, header);
    sprintf(out, "%.*s%.*s%s%s", (int)before, header, hat ? (int)(hat - to) : (int)strlen(to), to, hat ? hat + 1 : "",
            at ? at + strlen(from) : "");
    *mark = before + (hat ? (size_t)(hat - to) : 0);
    return out;
}

/* The byte of the file at which a text of the header stands. */
static size_t byte_of(const char *header, size_t mark) {
    size_t byte = 8 + mark;
    for (size_t k = 0; k < mark; k++) byte += header[k] == '\'';
    return byte;
}

static temper_model *read_file(const file *f, temper_error *e) {
    temper_model *m = NULL;
    *e = (temper_error){0};
    temper_model_read(&m, f->bytes, f->length, e);
    return m;
}

/* ---- fields of headers ---- */

#define VERSIONS                   "a model of another version; this temper reads versions 1 and 2"
#define BOUND(error, margin, of)   "'parts':[" PART "],'bound':^{" error margin of "}}\""
#define SHAPE(name, found, wanted) "tensor '" name "': shape " found ", but by the metadata it is " wanted

static const struct {
    const char *header, *from, *to, *at, *words; /* at: where, if `to` has no ^; words NULL: it is read */
} FIELDS[] = {
    {SOFT, "'version':1", "'version':^0", NULL, "__metadata__: version: " VERSIONS},
    {SOFT, "'version':1", "'version':^3", NULL, "__metadata__: version: " VERSIONS},
    {SOFT, "'version':1", "'version':2", NULL, NULL},
    {SOFT, "'version':1", "'version':1,'logits':false", NULL, NULL},
    {SOFT, "'version':1", "'version':1,'logits':^true", NULL,
     "__metadata__: logits: a model that is not of kind next has none"},
    {SOFT, "'version':1", "'version':1,'other':^'a'", NULL,
     "__metadata__: other: in version 1 a model has no other letter"},
    {SOFT, "'version':1", "'version':1,'kind':^'next','outputs':['a','']", NULL,
     "__metadata__: kind: in version 1 a model has one output and no kind"},
    {NEXT, "'other':'a'", "'other':^'b'", NULL, "__metadata__: other: a letter that is not in the alphabet"},
    {NEXT, "{'version':2,'kind':'next','outputs':['a',''],", "^{'version':2,'kind':'next',", NULL,
     "__metadata__: a kind, but no outputs"},
    {NEXT, "'outputs':['a','']", "'outputs':['a',^'a']", NULL, "__metadata__: outputs: a name that is there already"},
    /* the bound */
    {SOFT, "'parts':[" PART "]}\"", BOUND("'error':'0',", "'margin':'1',", "'of':'verdict'"), NULL, NULL},
    {SOFT, "'parts':[" PART "]}\"", BOUND("", "'margin':'1',", "'of':'verdict'"), NULL,
     "__metadata__: bound: no key 'error'"},
    {SOFT, "'parts':[" PART "]}\"", BOUND("'error':'0',", "", "'of':'verdict'"), NULL,
     "__metadata__: bound: no key 'margin'"},
    {SOFT, "'parts':[" PART "]}\"", BOUND("'error':'0',", "'margin':'1'", ""), NULL,
     "__metadata__: bound: no key 'of'"},
    {SOFT, "'parts':[" PART "]}\"", BOUND("'error':'1',", "'margin':'1',", "'of':'verdict'"), NULL,
     "__metadata__: bound: an error that is not below the margin proves nothing"},
    {SOFT, "'parts':[" PART "]}\"", BOUND("'error':'0',", "'margin':'0',", "'of':'verdict'"), NULL,
     "__metadata__: bound: an error that is not below the margin proves nothing"},
    /* channels and layers */
    {SOFT, "{'label':'y','soft':'i/N'}", "^{'soft':'i/N'}", NULL, "__metadata__: channels: no key 'label'"},
    {SOFT, "{'label':'y','soft':'i/N'}", "{'soft':'i/N','label':'y'}", NULL, NULL},
    {SOFT, "{'label':'h',", "^{", NULL, "__metadata__: layers: no key 'label'"},
    {SOFT, "{'label':'h','mask':'all',", "^{'label':'h',", NULL, "__metadata__: layers: no key 'mask'"},
    {SOFT, "{'label':'g','mask':'all','choice':'softmax',", "^{'label':'g','mask':'all',", NULL,
     "__metadata__: layers: no key 'choice'"},
    {SOFT, HEAD_2, "^{'label':'g','mask':'all','choice':'softmax','value':0}", NULL,
     "__metadata__: layers: no key 'query'"},
    {SOFT, HEAD_2, "^{'label':'g','mask':'all','choice':'softmax','query':2}", NULL,
     "__metadata__: layers: no key 'value'"},
    {SOFT, "'query':1,", "'query':^4294967295,", NULL,
     "__metadata__: layers: query: expected a number of rows, found 4294967295"},
    {SOFT, "'query':1,", "'query':4294967294,", "\"blocks.0.attn.W_Q\"",
     SHAPE("blocks.0.attn.W_Q", "[2, 2, 2]", "[2, 2, 4294967294]")},
    {SOFT, "'value':1", "'value':^4294967295", NULL,
     "__metadata__: layers: value: expected a number of rows, found 4294967295"},
    {SOFT, "'value':1", "'value':4294967294", "\"blocks.0.attn.W_Q\"",
     SHAPE("blocks.0.attn.W_Q", "[2, 2, 2]", "[2, 2, 4294967294]")},
    {SOFT, "'units':1", "'units':^4294967295", NULL,
     "__metadata__: layers: units: expected a number of units, found 4294967295"},
    {SOFT, "'units':1", "'units':4294967294", "\"blocks.0.mlp.W_in\"",
     SHAPE("blocks.0.mlp.W_in", "[2, 1]", "[2, 4294967294]")},
    {SOFT, "{'heads':[" HEAD_1 "," HEAD_2 "],'units':1}", "^{'heads':[" HEAD_1 "," HEAD_2 "]}", NULL,
     "__metadata__: layers: no key 'units'"},
    {SOFT, "{'heads':[" HEAD_1 "," HEAD_2 "],'units':1}", "^{'units':1}", NULL,
     "__metadata__: layers: no key 'heads'"},
    {SOFT, "{'label':'h','mask':'all','choice':'softmax','for':'rightmost','scale':'8'",
     "^{'label':'h','mask':'all','choice':'softmax','for':'rightmost','scale':'i'", NULL,
     "__metadata__: layers: scale: in version 1 it may depend on n and N, not on the position i"},
    {SOFT, "'scale':'8'", "'adaptive':'8'", NULL, NULL},
    /* parts */
    {SOFT, PART, "{'formula':'p','layer':0}", NULL, NULL},
    {SOFT, PART, "{'formula':'p','layer':1,'head':2,'channel':1}", NULL, NULL},
    {SOFT, PART, "{'formula':'p','layer':1,'channel':1}", NULL, NULL},
    {SOFT, PART, "{'formula':'p','layer':^2}", NULL,
     "__metadata__: parts: layer: expected the number of a layer of this model, found 2"},
    {SOFT, PART, "^{'formula':'p','layer':0,'head':1}", NULL,
     "__metadata__: parts: head: there is no such head in that layer"},
    {SOFT, PART, "^{'formula':'p','layer':1,'head':0}", NULL,
     "__metadata__: parts: head: there is no such head in that layer"},
    {SOFT, PART, "^{'formula':'p','layer':1,'head':3}", NULL,
     "__metadata__: parts: head: there is no such head in that layer"},
    {SOFT, PART, "^{'formula':'p','layer':1,'channel':2}", NULL,
     "__metadata__: parts: channel: there is no such channel"},
    /* the container */
    {SOFT, "\"format\":", "^\"a\":\"b\",\"format\":", NULL, "header: __metadata__: unknown key 'a'"},
    {SOFT, "\"format\":", "^\"z\":\"b\",\"format\":", NULL, "header: __metadata__: unknown key 'z'"},
    {SOFT, "\"embed.W_E\"", "^\"__metadata__\":{},\"embed.W_E\"", NULL, "header: a second key '__metadata__'"},
    {SOFT, "[0,48]", "[0,48,^0]", NULL, "tensor 'embed.W_E': data_offsets: more than two numbers"},
    {SOFT, "[0,48]", "^[0]", NULL, "tensor 'embed.W_E': data_offsets: fewer than two numbers"},
    {SOFT, "{\"dtype\":\"F64\",\"shape\":[3,2],", "^{\"shape\":[3,2],", NULL, "tensor 'embed.W_E': no key 'dtype'"},
    {SOFT, "{\"dtype\":\"F64\",\"shape\":[3,2],", "^{\"dtype\":\"F64\",", NULL, "tensor 'embed.W_E': no key 'shape'"},
    {SOFT, "\"embed.W_E\"", "^\"none\":{\"dtype\":\"F64\",\"shape\":[0],\"data_offsets\":[0,0]},\"embed.W_E\"", NULL,
     "tensor 'none': not a tensor of the model that the metadata describe"},
    {SOFT, "\"F64\",\"shape\":[3,2]", "^\"F128\",\"shape\":[3,2]", NULL,
     "tensor 'embed.W_E': dtype: unknown type 'F128'"},
};

static void check_field(const char *header, size_t mark, const char *words, const void *data, size_t data_bytes) {
    temper_error e;
    char expected[300];
    file f = make_file(header, data, data_bytes);
    temper_model *m = read_file(&f, &e);
    if (words) {
        snprintf(expected, sizeof expected, "byte %zu: %s", byte_of(header, mark), words);
        CHECK(!m && e.code == TEMPER_FORMAT && !strcmp(e.text, expected), "%s\nnot %s\n%s", m ? "accepted" : e.text,
              expected, header);
    } else {
        CHECK(m, "%s\n%s", e.text, header);
    }
    temper_model_free(m);
    free(f.bytes);
}

static void check_fields(void) {
    static const double zeros[SOFT_NUMBERS];
    check_field(SOFT, 0, NULL, zeros, sizeof zeros);
    check_field(NEXT, 0, NULL, zeros, NEXT_NUMBERS * sizeof *zeros);
    for (size_t k = 0; k < sizeof FIELDS / sizeof *FIELDS; k++) {
        size_t mark;
        char *header = changed(FIELDS[k].header, FIELDS[k].from, FIELDS[k].to, &mark);
        if (FIELDS[k].at) mark = (size_t)(strstr(header, FIELDS[k].at) - header);
        check_field(header, mark, FIELDS[k].words, zeros,
                    (FIELDS[k].header == SOFT ? SOFT_NUMBERS : NEXT_NUMBERS) * sizeof *zeros);
        free(header);
    }
    /* In version 2 a scale may read the position. */
    size_t mark;
    char *second = changed(SOFT, "'version':1", "'version':2", &mark), *both = changed(second, "'8'", "'i'", &mark);
    check_field(both, 0, NULL, zeros, sizeof zeros);
    free(both);
    free(second);
    /* A shape is shown in at most 79 characters. */
    char shape[200] = "[0", shown[200] = "[0", header[600], words[300];
    for (int k = 0; k < 7; k++) strcat(shape, ",18446744073709551615"), strcat(shown, ", 18446744073709551615");
    snprintf(header, sizeof header,
             "{\"__metadata__\":{\"temper\":\"{'version':1,'alphabet':['a'],'channels':[],'layers':[]}\"},"
             "\"embed.W_E\":{\"dtype\":\"F64\",\"shape\":%s],\"data_offsets\":[0,0]}}",
             shape);
    snprintf(words, sizeof words, SHAPE("embed.W_E", "%.79s", "[3, 0]"), shown);
    check_field(header, (size_t)(strstr(header, "\"embed") - header), words, zeros, 0);
}

/* ---- numbers: where each goes, and what is beyond the size of a head ---- */

static void check_numbers(void) {
    static const struct {
        int at;
        const char *tensor, *words;
    } beyond[] = {{QUERIES + 1, "W_Q", "head 1: row 2 is beyond its size, but not zero"},
                  {QUERIES + 3, "W_Q", "head 1: row 2 is beyond its size, but not zero"},
                  {VALUES + 1, "W_V", "head 1: row 2 is beyond its size, but not zero"},
                  {VALUES + 4, "W_V", "head 2: row 1 is beyond its size, but not zero"},
                  {VALUES + 7, "W_V", "head 2: row 2 is beyond its size, but not zero"}};
    for (size_t k = 0; k < sizeof beyond / sizeof *beyond; k++) {
        double numbers[SOFT_NUMBERS] = {0};
        char words[120], name[40];
        numbers[beyond[k].at] = 1;
        snprintf(name, sizeof name, "\"blocks.0.attn.%s\"", beyond[k].tensor);
        snprintf(words, sizeof words, "tensor 'blocks.0.attn.%s': %s", beyond[k].tensor, beyond[k].words);
        check_field(SOFT, (size_t)(strstr(SOFT, name) - SOFT), words, numbers, sizeof numbers);
    }
    double numbers[SOFT_NUMBERS] = {0};
    temper_error e;
    for (int k = 0; k < 6; k++) numbers[k] = 1 + k;               /* embed.W_E [3, 2] */
    numbers[QUERIES] = 7, numbers[QUERIES + 2] = 8;               /* head 1, channels 0 and 1 */
    for (int k = 0; k < 4; k++) numbers[QUERIES + 4 + k] = 9 + k; /* head 2: [channel, row] */
    numbers[BIAS] = 20;
    numbers[43] = 30, numbers[44] = 31; /* unembed.W_U */
    file f = make_file(SOFT, numbers, sizeof numbers);
    temper_model *m = read_file(&f, &e);
    if (CHECK(m, "%s", e.text)) {
        const model_rows *q = &m->layers[0].heads[1].query;
        for (uint32_t k = 0; k < 6; k++) CHECK(m->embedding.terms[k].weight == 1 + k, "embedding %u", k);
        CHECK(q->count == 2 && q->start[1] == 2 && q->start[2] == 4 && q->terms[0].weight == 9 &&
                  q->terms[1].weight == 11 && q->terms[2].weight == 10 && q->terms[3].weight == 12,
              "the second head's query");
        CHECK(m->layers[0].bias[0] == 20 && m->read.terms[0].weight == 30 && m->read.terms[1].weight == 31, "others");
    }
    temper_model_free(m);
    free(f.bytes);
}

/* ---- the record and its digest ---- */

static uint64_t fnv(uint64_t x, const void *bytes, size_t length) {
    for (size_t k = 0; k < length; k++) x = (x ^ ((const unsigned char *)bytes)[k]) * 0x100000001b3;
    return x;
}

/* What the key temper of a header says, with quotes as they are there. */
static char *inner_of(const char *header, size_t *length) {
    const char *begin = strstr(header, "\"temper\":\"") + 10, *end = strchr(begin, '"');
    char *inner = malloc((size_t)(end - begin) + 1);
    *length = (size_t)(end - begin);
    for (size_t k = 0; k < *length; k++) inner[k] = (char)(begin[k] == '\'' ? '"' : begin[k]);
    return inner;
}

static bool has_record(const file *f) {
    temper_error e;
    temper_model *m = read_file(f, &e);
    bool has = CHECK(m, "%s", e.text) && m->record.margin > 0;
    if (has)
        CHECK(m->record.length == 7 && m->record.error == 0.5 && m->record.margin == 1 && m->record.verdict_only &&
                  !strcmp(m->record.reason, "r"),
              "a record of %zu", m->record.length);
    temper_model_free(m);
    return has;
}

/* Numbers whose bytes all differ, so that every byte and its place matter. */
static void check_digest(void) {
    double numbers[SOFT_NUMBERS] = {0};
    size_t mark, length;
    for (int k = 0; k < 6; k++) {
        uint64_t bits = 0x3f12345678abcdef + (uint64_t)k * 0x11111111111;
        memcpy(&numbers[k], &bits, sizeof bits);
    }
    numbers[BIAS] = 1;
    char *recorded =
        changed(SOFT, "'version':1,",
                "'version':1,'safe':7,'reason':'r','bound':{'error':'0.5','margin':'1','of':'verdict'},", &mark);
    char *inner = inner_of(recorded, &length), to[80];
    uint64_t digest = fnv(fnv(0xcbf29ce484222325, inner, length), numbers, sizeof numbers);
    snprintf(to, sizeof to, "\"digest\":\"%016llx\",\"format\":", (unsigned long long)digest);
    char *header = changed(recorded, "\"format\":", to, &mark);
    file none = make_file(recorded, numbers, sizeof numbers), f = make_file(header, numbers, sizeof numbers);
    CHECK(!has_record(&none), "a record without a digest");
    CHECK(has_record(&f), "the right digest");
    char *digits = strstr(f.bytes + 8, "\"digest\":\"") + 10, *data = f.bytes + f.length - sizeof numbers;
    for (int k = 0; k < 16; k++) {
        char right = digits[k];
        digits[k] = (char)toupper(right);
        CHECK(has_record(&f), "digit %d in upper case", k);
        digits[k] = right == '0' ? '1' : '0';
        CHECK(!has_record(&f), "digit %d is another one", k);
        digits[k] = right;
    }
    for (int k = 0; k < 48; k++) {
        data[k] ^= 1;
        CHECK(!has_record(&f), "byte %d of the numbers is another one", k);
        data[k] ^= 1;
    }
    data[BIAS * 8 + 7] ^= (char)0x80;
    CHECK(!has_record(&f), "a bias of the other sign");
    free(none.bytes);
    free(f.bytes);
    free(header);
    free(inner);
    free(recorded);
}

/* ---- limits ---- */

typedef struct page {
    char *bytes;
    size_t length, room;
} page;

static void put(page *p, const char *format, const char *word, size_t number) {
    if (p->room - p->length < 1000) p->bytes = realloc(p->bytes, p->room = 2 * p->room + 2000);
    p->length += (size_t)snprintf(p->bytes + p->length, p->room - p->length, format, number, word);
}

/* A model with so many letters, channels and units; `position`: behind the label of each channel. */
static temper_model *make_model(size_t letters, size_t channels, size_t units, const char *position) {
    page p = {0};
    temper_error e;
    temper_model *m = NULL;
    put(&p, "temper-model 1\nmethod temperature\ntokens yes\nalphabet", "", 0);
    for (size_t k = 0; k < letters; k++) put(&p, " \"x%zu\"", "", k);
    for (size_t k = 0; k < channels; k++) put(&p, "\nchannel %zu \"\"%s", position, k);
    for (size_t k = 0; k < letters; k++) put(&p, "\nembed \"x%zu\"", "", k);
    put(&p, "\nembed start\nembed end\nlayer 1\n", "", 0);
    for (size_t k = 0; k < units; k++) put(&p, "unit 1 ->\n", "", 0);
    put(&p, "read\n", "", 0);
    CHECK(temper_model_read(&m, p.bytes, p.length, &e) == TEMPER_OK, "%s", e.text);
    free(p.bytes);
    return m;
}

static void check_save(const char *path, const temper_model *m, const char *words, const char *hint) {
    temper_error e = {0};
    temper_model *back = NULL;
    temper_status s = m ? temper_model_save(path, m, &e) : TEMPER_OK;
    if (words)
        CHECK(s == TEMPER_LIMIT && !strcmp(e.text, words) && !strcmp(e.hint, hint), "%s (%s)\nnot %s", e.text, e.hint,
              words);
    else
        CHECK(s == TEMPER_OK && temper_model_load(&back, path, &e) == TEMPER_OK, "%s", e.text);
    temper_model_free(back);
    unlink(path);
}

static void check_limits(void) {
    char folder[TEST_FOLDER], path[TEST_FOLDER + 40], chain[400], words[200];
    temper_error e = {0};
    if (!test_folder(folder)) return;
    snprintf(path, sizeof path, "%s/%d.safetensors", folder, (int)getpid());
    /* The embedding alone has 2^13 * 2^16 * 8 bytes: 4 GiB, which are no more than the limit. W_in has 0.1 GiB. */
    temper_model *m = make_model(8190, 65536, 205, "");
    check_save(path, m, "dense weights would take at least 4.1 GiB; safetensors files are limited to 4 GiB",
               "the text form holds only the weights that are not zero");
    temper_model_free(m);
    /* Long expressions take more memory than their text has bytes: what would not load is not written. */
    size_t written = 0, refused = 0;
    for (int terms = 44; terms < 52; terms += 3) {
        strcpy(chain, " position \"N");
        for (int k = 1; k < terms; k++) strcat(chain, "+N");
        strcat(chain, "\"");
        m = make_model(1, 4096, 0, chain);
        bool fits = m && temper_model_save(path, m, &e) == TEMPER_OK;
        if (fits)
            check_save(path, m, NULL, "");
        else
            CHECK(e.code == TEMPER_LIMIT && !strcmp(e.hint, "the text form has no such limit") &&
                      strstr(e.text, "loading the model would take more than the "),
                  "%s (%s)", e.text, e.hint);
        *(fits ? &written : &refused) += 1;
        temper_model_free(m);
    }
    CHECK(written && refused, "%zu written, %zu refused", written, refused);
    rmdir(folder);
    /* What loading may take is twice the file and 48 MiB: layers take more than they have bytes. */
    page p = {0};
    put(&p, "{\"__metadata__\":{\"temper\":\"{'version':1,'alphabet':['a'],'channels':[],'layers':[{}", "", 0);
    for (int k = 0; k < 1500000; k++) put(&p, ",{}", "", 0);
    put(&p, "]}\"}}", "", 0);
    file f = make_file(p.bytes, "", 0);
    m = read_file(&f, &e);
    snprintf(words, sizeof words, "loading the model would take more than the %zu bytes that a file of its size may",
             2 * f.length + (48u << 20));
    CHECK(!m && e.code == TEMPER_LIMIT && !strcmp(e.text, words), "%s\nnot %s", e.text, words);
    temper_model_free(m);
    free(f.bytes);
    free(p.bytes);
}

static void check_budget(void) {
    for (volatile int more = 0; more < 2; more++) {
        temper_error e = {0};
        trap t;
        memory_budget b = {.most = 20, .trap = &t};
        if (trap_set(&t, &e)) {
            CHECK(more && e.code == TEMPER_LIMIT, "%s", e.text);
            continue;
        }
        budget_spend(&b, 5, 2);
        budget_spend(&b, 10, 1);
        if (more) budget_spend(&b, 1, 1);
        CHECK(!more && b.spent == 20, "spent %llu", (unsigned long long)b.spent);
    }
}

int main(void) {
    check_fields();
    check_numbers();
    check_digest();
    check_limits();
    check_budget();
    return test_finish("t-safetensors-fields");
}
