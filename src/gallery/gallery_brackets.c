/* The gallery: Dyck languages, by counting (average-hard) and, with bounded depth, by cancelling pairs
   (unique-hard). */
#include "gallery/gallery.h"

#define TIELESS "AHAT uniform-tieless"

/* Depth is (opens - closes), which a uniform head gives divided by i + 1. Half a unit on the start sentinel keeps the
   sums that are compared away from 0. */
static const char DYCK_1[] =
    "temper-model 1\n"
    "alphabet \"(\" \")\"\n"
    "empty accept\n" GALLERY_ONE GALLERY_START GALLERY_COMPARING GALLERY_LATER "channel open\n"
    "channel close\n"
    "channel up \"(depth + 1/2)/(i + 1)\"\n"
    "channel down \"(1/2 - depth)/(i + 1)\"\n"
    "channel below \"depth < 0 here\"\n"
    "channel above \"depth > 0 here\"\n"
    "channel failed \"depth was < 0\"\n"
    "channel answer \"balanced\"\n"
    "embed \"(\" open\n"
    "embed \")\" close\n"
    "embed start start\n"
    "embed end\n"
    "layer 1\n"
    "head \"depth\" mask j<=i choice average\n"
    "value open -close start:0.5\n"
    "value close -open start:0.5\n"
    "output up\n"
    "output down\n"
    "layer 2\n" GALLERY_COMPARE("depth < 0", "up", "below")
        GALLERY_COMPARE("depth > 0", "down", "above") "layer 3\n" GALLERY_LAST(
            "the last place with depth < 0", "below", "failed") "step 1 -failed -above -> answer\n"
                                                                "read answer\n";

static const char SHUFFLE[] =
    "temper-model 1\n"
    "alphabet \"(\" \")\" \"[\" \"]\"\n"
    "empty accept\n" GALLERY_ONE GALLERY_START GALLERY_COMPARING GALLERY_LATER "channel open-1 \"(\"\n"
    "channel close-1 \")\"\n"
    "channel open-2 \"[\"\n"
    "channel close-2 \"]\"\n"
    "channel up-1 \"(depth of () + 1/2)/(i + 1)\"\n"
    "channel up-2 \"(depth of [] + 1/2)/(i + 1)\"\n"
    "channel down \"(1/2 - both depths)/(i + 1)\"\n"
    "channel below-1 \"depth of () < 0 here\"\n"
    "channel below-2 \"depth of [] < 0 here\"\n"
    "channel above \"both depths together > 0 here\"\n"
    "channel failed \"a depth was < 0\"\n"
    "channel answer \"both balanced\"\n"
    "embed \"(\" open-1\n"
    "embed \")\" close-1\n"
    "embed \"[\" open-2\n"
    "embed \"]\" close-2\n"
    "embed start start\n"
    "embed end\n"
    "layer 1\n"
    "head \"depths\" mask j<=i choice average\n"
    "value open-1 -close-1 start:0.5\n"
    "value open-2 -close-2 start:0.5\n"
    "value close-1 -open-1 close-2 -open-2 start:0.5\n"
    "output up-1\n"
    "output up-2\n"
    "output down\n"
    "layer 2\n" GALLERY_COMPARE("depth of () < 0", "up-1", "below-1")
        GALLERY_COMPARE("depth of [] < 0", "up-2", "below-2")
            GALLERY_COMPARE("depths together > 0", "down", "above") "layer 3\n" GALLERY_LAST(
                "the last place with a depth < 0", "below-1 below-2", "failed") "step 1 -failed -above -> answer\n"
                                                                                "read answer\n";

/* A closing bracket that leaves depth d was opened by the last opening one that led to depth d + 1. Depths are looked
   up as whole numbers; a negative one is looked up as 0, and `below` says so. The third layer's head gives opening
   brackets of the right depth the score (d + 1)^2 + 1, all others at least 1 less, and `later` adds less than 1/2. */
static const char DYCK_2[] =
    "temper-model 1\n"
    "alphabet \"(\" \")\" \"[\" \"]\"\n"
    "empty accept\n" GALLERY_ONE GALLERY_START GALLERY_COMPARING GALLERY_LATER "channel open-1 \"(\"\n"
    "channel close-1 \")\"\n"
    "channel open-2 \"[\"\n"
    "channel close-2 \"]\"\n"
    "channel place \"position\" position \"i\"\n"
    "channel square \"position squared\" position \"i*i\"\n"
    "channel inverse \"1/(i + 1)\" position \"1/(i + 1)\"\n"
    "channel mean \"depth/(i + 1)\"\n"
    "channel up \"(depth + 1/2)/(i + 1)\"\n"
    "channel depth \"depth\"\n"
    "channel depth-square \"depth squared\"\n"
    "channel below \"depth < 0 here\"\n"
    "channel match-1 \"the partner is (\"\n"
    "channel match-2 \"the partner is [\"\n"
    "channel wrong \"depth < 0 or a wrong partner here\"\n"
    "channel failed \"something was wrong\"\n"
    "channel answer \"balanced\"\n"
    "embed \"(\" open-1\n"
    "embed \")\" close-1\n"
    "embed \"[\" open-2\n"
    "embed \"]\" close-2\n"
    "embed start start\n"
    "embed end\n"
    "layer 1\n"
    "head \"depth\" mask j<=i choice average\n"
    "value open-1 -close-1 open-2 -close-2\n"
    "value open-1 -close-1 open-2 -close-2 start:0.5\n"
    "output mean\n"
    "output up\n"
    "layer 2\n"
    "head \"depth as a whole number\" mask j<=i choice average\n"
    "query mean\n"
    "query inverse\n"
    "key place:2\n"
    "key -square\n"
    "value place\n"
    "value square\n"
    "output depth\n"
    "output depth-square\n" GALLERY_COMPARE(
        "depth < 0", "up",
        "below") "layer 3\n"
                 "head \"the opening bracket that a closing one belongs to\" mask j<=i choice average\n"
                 "query depth close-1 close-2\n"
                 "query one\n"
                 "key depth:2\n"
                 "key open-1 open-2 -depth-square later\n"
                 "value open-1\n"
                 "value open-2\n"
                 "output match-1\n"
                 "output match-2\n"
                 "step 0 close-1 -match-1 -> wrong\n"
                 "step 0 close-2 -match-2 -> wrong\n"
                 "step 0 below -> wrong\n"
                 "layer 4\n" GALLERY_LAST("the last error", "wrong", "failed") "step 1 -failed -depth -> answer\n"
                                                                               "read answer\n";

/* ---- bounded depth ---- */

static const char *const OPENS[] = {"(", "["}, *const CLOSES[] = {")", "]"};

/* Every layer but the last cancels the innermost pairs: a live opening bracket whose next live bracket to the right
   closes it, and that one. So `depth` layers leave nothing of a balanced string that is at most so deep, and
   something of every other. */
static void write_bounded(text *t, unsigned kinds, unsigned depth) {
    text_puts(t, "temper-model 1\nalphabet");
    for (unsigned k = 0; k < kinds; k++) text_printf(t, " \"%s\" \"%s\"", OPENS[k], CLOSES[k]);
    text_puts(t, "\nempty accept\n" GALLERY_ONE);
    for (unsigned k = 0; k < kinds; k++)
        text_printf(t, "channel open-%u \"live %s\"\nchannel close-%u \"live %s\"\n", k, OPENS[k], k, CLOSES[k]);
    for (unsigned l = 1; l <= depth; l++)
        for (unsigned k = 0; k < kinds; k++)
            text_printf(t,
                        "channel left-%u-%u \"layer %u: %s is the live bracket before\"\n"
                        "channel right-%u-%u \"layer %u: %s is the live bracket after\"\n",
                        l, k, l, OPENS[k], l, k, l, CLOSES[k]);
    text_puts(t, "channel left-over \"something is live\"\nchannel answer \"all cancelled\"\n");
    for (unsigned k = 0; k < kinds; k++)
        text_printf(t, "embed \"%s\" open-%u\nembed \"%s\" close-%u\n", OPENS[k], k, CLOSES[k], k);
    text_puts(t, "embed start\nembed end\n");
    const char *live = kinds == 1 ? "open-0 close-0" : "open-0 close-0 open-1 close-1";
    for (unsigned l = 1; l <= depth; l++) {
        text_printf(t, "layer %u\n", l);
        text_printf(t, "head \"the live bracket before\" mask j<i choice rightmost\nquery one\nkey %s\n", live);
        for (unsigned k = 0; k < kinds; k++) text_printf(t, "value open-%u\noutput left-%u-%u\n", k, l, k);
        text_printf(t, "head \"the live bracket after\" mask j>i choice leftmost\nquery one\nkey %s\n", live);
        for (unsigned k = 0; k < kinds; k++) text_printf(t, "value close-%u\noutput right-%u-%u\n", k, l, k);
        for (unsigned k = 0; k < kinds; k++)
            text_printf(t, "step -1 open-%u right-%u-%u -> -open-%u\nstep -1 close-%u left-%u-%u -> -close-%u\n", k,
                        l, k, k, k, l, k, k);
    }
    text_printf(t,
                "layer %u\nhead \"something is live\" mask all choice rightmost\nquery one\nkey %s\nvalue %s\n"
                "output left-over\nstep 1 -left-over -> answer\nread answer\n",
                depth + 1, live, live);
}

static void write_depth_2(text *t) { write_bounded(t, 1, 2); }
static void write_depth_3(text *t) { write_bounded(t, 1, 3); }
static void write_depth_4(text *t) { write_bounded(t, 1, 4); }
static void write_dyck_2_depth_3(text *t) { write_bounded(t, 2, 3); }

#define BALANCED_1 "#['('] = #[')'] & H (#['('] >= #[')'])"
#define BALANCED_2 "#['['] = #[']'] & H (#['['] >= #[']'])"
#define YAO                                                                                                          \
    "Yao, Peng, Papadimitriou and Narasimhan 2021 (ACL): D + 1 hard-attention layers for Dyck languages of depth "   \
    "D; "                                                                                                            \
    "re-derived"

/* A closing bracket that leads down to a level closes the last opening one that led up from it. */
#define CLOSED_AT(open, close, down, up) "H ('" close "' & " down " -> (!(open & " up ") S ('" open "' & " up ")))"
#define CLOSED(open, close)                                                                                          \
    CLOSED_AT(open, close, "low", "mid")                                                                             \
    " & " CLOSED_AT(open, close, "mid", "high") " & " CLOSED_AT(open, close, "high", "top")

#define DEPTH_ENTRY(d)                                                                                               \
    {                                                                                                                \
        .about = {.name = "dyck-1-depth-" #d,                                                                        \
                  .alphabet = "()",                                                                                  \
                  .title = "Dyck-1 of depth " #d,                                                                    \
                  .class_name = "UHAT",                                                                              \
                  .language = "balanced strings of ( and ) that are at most " #d " deep",                            \
                  .source = YAO,                                                                                     \
                  .formula = "alphabet ( )\nempty accept\n" BALANCED_1 " & H (#['('] <= #[')'] + " #d ")"},          \
        .write = write_depth_##d, .oracle = oracle_dyck_1_depth_##d                                                  \
    }

static const gallery_entry ENTRIES[] = {
    {.about = {.name = "dyck-1",
               .alphabet = "()",
               .title = "Dyck-1",
               .class_name = TIELESS,
               .language = "balanced strings of ( and )",
               .source =
                   "Hao, Angluin and Frank 2022 (TACL) and Bhattamishra, Ahuja and Goyal 2020 (EMNLP): Dyck-1 by "
                   "averaging; re-derived with an exact comparison",
               .formula = "alphabet ( )\nempty accept\n" BALANCED_1},
     .sketch = DYCK_1,
     .oracle = oracle_dyck_1,
     .prefixes = true},
    DEPTH_ENTRY(2),
    DEPTH_ENTRY(3),
    DEPTH_ENTRY(4),
    {.about = {.name = "dyck-2",
               .alphabet = "()[]",
               .title = "Dyck-2",
               .class_name = TIELESS,
               .language = "balanced strings of ( ) [ ]",
               .source =
                   "depth first, then the last opening bracket of that depth: Yao et al. 2021 (ACL), and the Dyck "
                   "programs of Weiss, Goldberg and Yahav 2021 (ICML); without a bound on the depth, re-derived",
               .formula = ""},
     .sketch = DYCK_2,
     .oracle = oracle_dyck_2},
    {.about = {.name = "dyck-2-depth-3",
               .alphabet = "()[]",
               .title = "Dyck-2 of depth 3",
               .class_name = "UHAT",
               .language = "balanced strings of ( ) [ ] that are at most 3 deep",
               .source = YAO,
               .formula = "alphabet ( ) [ ]\nempty accept\nopen = '(' | '['\nclose = ')' | ']'\n"
                          "low = #[open] = #[close]\nmid = #[open] = #[close] + 1\nhigh = #[open] = #[close] + 2\n"
                          "top = #[open] = #[close] + 3\nlow & H (low | mid | high | top) & " CLOSED(
                              "(", ")") " & " CLOSED("[", "]")},
     .write = write_dyck_2_depth_3,
     .oracle = oracle_dyck_2_depth_3},
    {.about = {.name = "shuffle-dyck-2",
               .alphabet = "()[]",
               .title = "SHUFFLE-Dyck-2",
               .class_name = TIELESS,
               .language = "strings whose ( ) are balanced and whose [ ] are balanced, shuffled in any way",
               .source =
                   "Bhattamishra, Ahuja and Goyal 2020 (EMNLP): Shuffle-Dyck by averaging; re-derived with an exact "
                   "comparison",
               .formula = "alphabet ( ) [ ]\nempty accept\n" BALANCED_1 " & " BALANCED_2},
     .sketch = SHUFFLE,
     .oracle = oracle_shuffle_dyck,
     .prefixes = true},
};

const gallery_family gallery_brackets = {ENTRIES, sizeof ENTRIES / sizeof *ENTRIES};
