/* Proves a model's answers for every string up to a length, writes the certificate, and has it audited.

       cc certify.c $(pkg-config --cflags --libs temper) -o certify
       ./certify model.temper 10000 certificate.json */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <temper.h>

static int failed(const temper_error *e) {
    fprintf(stderr, "%s\n", e->text);
    return 2;
}

/* A certificate is about the bytes of the model's file, so they are read as they are. The audit shares no code with
   the proof. */
static int write_and_audit(const temper_certificate *certificate, const char *path, const char *bytes, size_t size,
                           temper_error *e) {
    char *json;
    size_t length;
    int status = temper_certificate_print(&json, &length, certificate, e);
    if (!status) status = temper_file_write(path, json, length, e);
    if (!status) status = temper_audit(json, length, bytes, size, NULL, e);
    temper_free(json);
    return status;
}

int main(int argc, char **argv) {
    temper_model *model = NULL;
    temper_certificate *certificate = NULL;
    temper_certify_options options;
    temper_error e;
    char *bytes;
    size_t size;
    if (argc != 4) {
        fprintf(stderr, "usage: certify MODEL LENGTH CERTIFICATE\n");
        return 2;
    }
    memset(&options, 0, sizeof options);
    options.length = (size_t)strtoull(argv[2], NULL, 10);
    options.type = TEMPER_TYPE_F32;
    options.search = 1;
    int status = temper_file_read(&bytes, &size, argv[1], &e);
    if (!status) status = temper_model_read(&model, bytes, size, &e);
    if (!status) status = temper_certify(&certificate, model, bytes, size, &options, &e);
    if (!status && temper_certificate_about(certificate).verdict == TEMPER_PROVED) {
        status = write_and_audit(certificate, argv[3], bytes, size, &e);
        if (!status) printf("proved and audited: every string up to length %zu, in f32\n", options.length);
    } else if (!status) {
        printf("not proved: %s\n", temper_certificate_about(certificate).reason);
    }
    temper_certificate_free(certificate);
    temper_model_free(model);
    temper_free(bytes);
    return status ? failed(&e) : 0;
}
