/* temper_ordinary_write: the folder. It has ONNX graphs, so not every program links it. */
#include "model/letter_clients.h"
#include "ordinary/ordinary.h"

typedef struct write_call {
    const temper_ordinary *x;
    const char *folder;
} write_call;

static void write_folder(entry *e, void *context) {
    const write_call *c = context;
    ordinary_need(e, c->x, CLIENTS_OF_ORDINARY);
    ordinary_folder_write(e, c->folder, &c->x->made);
}

temper_status temper_ordinary_write(const temper_ordinary *x, const char *folder, temper_error *err) {
    write_call call = {x, folder};
    return entry_run(err, write_folder, &call);
}
