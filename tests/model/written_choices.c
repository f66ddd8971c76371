#include "written_choices.h"

#include <stdio.h>
#include <string.h>

static const char *const EMBEDDING =
    "temper-model 1\nmethod temperature\nalphabet \"a\" \"b\"\n"
    "channel 0 \"one\" position \"1\"\nchannel 1 \"a\"\nchannel 2 \"x\"\n"
    "channel 3 \"i\" position \"i\"\nchannel 4 \"y\"\nchannel 5 \"share\" position \"i/N\"\n"
    "channel 6 \"place\" soft \"i\"\nchannel 7 \"tiny\" position \"i/4096\"\n"
    "embed \"a\" 1:%s\nembed \"b\"\nembed start\nembed end\nlayer 1\n";
static const char *const HEADS[] = {
    "head \"h\" mask j<=i choice softmax for average scale \"%s\"\n query 0:1\n key 1:1\n value 1:1\n output "
    "2:1\n",
    "head \"h\" mask j<=i choice softmax for average scale \"%s\"\n query 0:1\n key 5:1\n value 1:1\n output "
    "2:0.3\n",
    "head \"h\" mask all choice softmax for average scale \"%s\"\n query 0:1\n query 1:1\n key 1:1\n key "
    "5:0.25\n "
    "value 1:1\n value 5:0.1\n output 2:1\n output 2:0.7\n",
    "head \"h\" mask j<=i choice softmax for rightmost scale \"%s\"\n query 0:1\n query 0:0.125\n key 1:1\n key "
    "6:1\n value 1:1\n output 2:1\n",
    "head \"h\" mask j<=i choice softmax for leftmost scale \"%s\"\n query 0:1\n query 0:0.125\n key 5:1\n key "
    "6:-1\n value 5:1\n output 2:1\n",
    "head \"h\" mask j<=i choice softmax for leftmost adaptive \"%s\"\n query 0:1\n key 3:1\n value 1:1\n "
    "output 2:1\n",
    "head \"h\" mask j<=i choice softmax for average adaptive \"%s\"\n query 0:1\n key 7:1\n value 1:1\n "
    "output 2:1\n",
    "head \"h\" mask j<=i choice softmax for average\n query 0:1\n key 1:3\n value 1:1\n output 2:1\n",
    "head \"h\" mask j<=i choice softmax for average\n value 1:1\n output 2:1\n",
    "head \"h\" mask j<=i choice softmax for average\n value 5:1\n output 2:1\n",
    "head \"h\" mask all choice rightmost\n query 0:1\n key 7:1\n value 1:1\n output 2:1\n",
    "head \"h\" mask j<=i choice average\n query 0:1\n key 5:1\n value 1:1\n output 2:1\n",
};
static const char *const NETS[] = {
    "unit -0.5 2:2 -> 4:1\nunit -1.5 2:2 -> 4:-1\nread 4:1\n",
    "unit -0.5 2:1 -> 4:0.5\nunit -1.5 2:1 -> 4:-0.5\nread 4:1\n",
    "unit 0.3 2:1 5:0.1 -> 2:0.2 4:0.7\nunit -0.1 2:-2 5:-0.2 -> 4:0.3\nread 2:0.01 4:1\n",
    "read 2:1\n",
    "unit -64.5 2:128 -> 4:1\nunit -65.5 2:128 -> 4:-1\nread 4:1\n", /* ramps at the ends of f16 */
    "unit -128.5 2:200 -> 4:1\nunit -129.5 2:200 -> 4:-1\nread 4:1\n",
    "unit -64.5 2:300 -> 4:1\nunit -65.5 2:300 -> 4:-1\nread 4:1\n",
    "unit -128 2:200 -> 4:1\nunit -129 2:200 -> 4:-1\nread 4:1\n",
    "unit 0 2:2 -> 4:1\nunit -1 2:2 -> 4:-1\nread 4:1\n",                  /* no ramp: it begins at 0 */
    "unit -0.5 2:2 -> 4:0x1p-14\nunit -1.5 2:2 -> 4:-0x1p-14\nread 4:1\n", /* weights around the least normal one */
    "unit -0.5 2:2 -> 4:0x1p-15\nunit -1.5 2:2 -> 4:-0x1p-15\nread 4:1\n",
};
static const char *const WEIGHTS[] = {"1", "0.3", "0x1p-12"};
static const char *const SCALES[] = {"ln(N) + 8", "64", "0.2", "0.25", "0x1p-9", "1024"};

enum {
    HEAD_COUNT = sizeof HEADS / sizeof *HEADS,
    NET_COUNT = sizeof NETS / sizeof *NETS,
    WEIGHT_COUNT = sizeof WEIGHTS / sizeof *WEIGHTS,
    SCALE_COUNT = sizeof SCALES / sizeof *SCALES
};

size_t written_choice_count(void) { return (size_t)HEAD_COUNT * NET_COUNT * WEIGHT_COUNT * SCALE_COUNT; }

bool written_choice(char out[WRITTEN_CHOICE], size_t k) {
    size_t scale = k % SCALE_COUNT, weight = k / SCALE_COUNT % WEIGHT_COUNT,
           net = k / SCALE_COUNT / WEIGHT_COUNT % NET_COUNT, head = k / SCALE_COUNT / WEIGHT_COUNT / NET_COUNT;
    char top[1500], middle[1000];
    if (scale && !strstr(HEADS[head], "%s")) return false;
    snprintf(top, sizeof top, EMBEDDING, WEIGHTS[weight]);
    snprintf(middle, sizeof middle, HEADS[head], SCALES[scale]);
    snprintf(out, WRITTEN_CHOICE, "%s%s%s", top, middle, NETS[net]);
    return true;
}
