/* The gallery: transformers whose heads are all unique-hard (leftmost or rightmost). */
#include "gallery/gallery.h"

#define UHAT "UHAT"

static const char FIRST[] = "temper-model 1\n"
                            "alphabet \"0\" \"1\"\n" GALLERY_ONE "channel bit \"1\"\n"
                            "channel initial \"the first letter\" position \"[i = 1]\"\n"
                            "channel answer \"begins with 1\"\n"
                            "embed \"0\"\n"
                            "embed \"1\" bit\n"
                            "embed start\n"
                            "embed end\n"
                            "layer 1\n"
                            "head \"the first letter\" mask j<=i choice leftmost\n"
                            "query one\n"
                            "key initial\n"
                            "value bit\n"
                            "output answer\n"
                            "read answer\n";

/* Both witnesses: without one all scores are 0, and the sentinel (leftmost) or a c (rightmost) is chosen, which holds
   no a. */
#define WITNESS(choice, label)                                                                                       \
    "temper-model 1\n"                                                                                               \
    "alphabet \"a\" \"b\" \"c\"\n" GALLERY_ONE "channel a\n"                                                         \
    "channel other \"a or b\"\n"                                                                                     \
    "channel answer \"" label " is a\"\n"                                                                            \
    "embed \"a\" a other\n"                                                                                          \
    "embed \"b\" other\n"                                                                                            \
    "embed \"c\"\n"                                                                                                  \
    "embed start\n"                                                                                                  \
    "embed end\n"                                                                                                    \
    "layer 1\n"                                                                                                      \
    "head \"" label "\" mask j<=i choice " choice "\n"                                                               \
    "query one\n"                                                                                                    \
    "key other\n"                                                                                                    \
    "value a\n"                                                                                                      \
    "output answer\n"                                                                                                \
    "read answer\n"

static const char LEFTMOST[] = WITNESS("leftmost", "the first letter that is not c");
static const char RIGHTMOST[] = WITNESS("rightmost", "the last letter that is not c");

static const char SECOND_HALF[] = "temper-model 1\n"
                                  "alphabet \"a\" \"b\"\n" GALLERY_ONE "channel a\n"
                                  "channel half \"in the second half\" position \"[n < 2*i]\"\n"
                                  "channel both \"an a in the second half\"\n"
                                  "channel answer \"there is one\"\n"
                                  "embed \"a\" a\n"
                                  "embed \"b\"\n"
                                  "embed start\n"
                                  "embed end\n"
                                  "layer 1\n"
                                  "step -1 a half -> both\n"
                                  "layer 2\n"
                                  "head \"some a in the second half\" mask all choice rightmost\n"
                                  "query one\n"
                                  "key both\n"
                                  "value both\n"
                                  "output answer\n"
                                  "read answer\n";

static const char FLIP_FLOP[] = "temper-model 1\n"
                                "alphabet \"w\" \"r\" \"i\" \"0\" \"1\"\n"
                                "empty accept\n" GALLERY_ONE "channel w\n"
                                "channel r\n"
                                "channel order \"w, r or i\"\n"
                                "channel zero \"0\"\n"
                                "channel bit \"1\"\n"
                                "channel odd \"at an odd position\" position \"i % 2\"\n"
                                "channel initial \"the first letter\" position \"[i = 1]\"\n"
                                "channel after-w \"after w\"\n"
                                "channel after-r \"after r\"\n"
                                "channel wrote-0 \"0 is written\"\n"
                                "channel wrote-1 \"1 is written\"\n"
                                "channel wrong \"something is wrong here\"\n"
                                "channel holds-0 \"the last bit written is 0\"\n"
                                "channel holds-1 \"the last bit written is 1\"\n"
                                "channel failed \"something was wrong\"\n"
                                "channel answer \"a flip-flop string\"\n"
                                "embed \"w\" w order\n"
                                "embed \"r\" r order\n"
                                "embed \"i\" order\n"
                                "embed \"0\" zero\n"
                                "embed \"1\" bit\n"
                                "embed start\n"
                                "embed end\n"
                                "layer 1\n"
                                "head \"the letter before\" mask j<i choice rightmost\n"
                                "value w\n"
                                "value r\n"
                                "output after-w\n"
                                "output after-r\n"
                                "step -1 after-w zero -> wrote-0\n"
                                "step -1 after-w bit -> wrote-1\n"
                                "step 0 order -odd -> wrong\n"
                                "step -1 zero bit odd -> wrong\n"
                                "step 0 initial -w -> wrong\n"
                                "layer 2\n"
                                "head \"the last write\" mask j<=i choice rightmost\n"
                                "query one\n"
                                "key wrote-0 wrote-1\n"
                                "value wrote-0\n"
                                "value wrote-1\n"
                                "output holds-0\n"
                                "output holds-1\n"
                                "step -1 after-r zero -holds-0 -> wrong\n"
                                "step -1 after-r bit -holds-1 -> wrong\n"
                                "layer 3\n"
                                "head \"the last error\" mask j<=i choice rightmost\n"
                                "query one\n"
                                "key wrong\n"
                                "value wrong\n"
                                "output failed\n"
                                "step 1 -failed -order -> answer\n"
                                "read answer\n";

static const char INDUCTION[] =
    "temper-model 1\n"
    "alphabet \"a\" \"b\" \"c\"\n" GALLERY_ONE GALLERY_START "channel a\n"
    "channel b\n"
    "channel c\n"
    "channel after-a \"after a\"\n"
    "channel after-b \"after b\"\n"
    "channel after-c \"after c\"\n"
    "channel next-a \"a is predicted\"\n"
    "channel next-b \"b is predicted\"\n"
    "channel next-c \"c is predicted\"\n"
    "channel answer \"as predicted\"\n"
    "embed \"a\" a\n"
    "embed \"b\" b\n"
    "embed \"c\" c\n"
    "embed start start\n"
    "embed end\n"
    "layer 1\n"
    "head \"previous token\" mask j<i choice rightmost\n"
    "value a\n"
    "value b\n"
    "value c\n"
    "output after-a\n"
    "output after-b\n"
    "output after-c\n"
    "layer 2\n" /* the sentinel scores 1/2: it is chosen, and predicts nothing, if no earlier token has the same predecessor */
    "head \"induction\" mask j<i choice rightmost\n"
    "query after-a\n"
    "query after-b\n"
    "query after-c\n"
    "query one\n"
    "key after-a\n"
    "key after-b\n"
    "key after-c\n"
    "key start:0.5\n"
    "value a\n"
    "value b\n"
    "value c\n"
    "output next-a\n"
    "output next-b\n"
    "output next-c\n"
    "step -1 a next-a -> answer\n"
    "step -1 b next-b -> answer\n"
    "step -1 c next-c -> answer\n"
    "read answer\n";

#define PREDICTS(token, last) "(Y " last " & Y (!(Y " last ") S (" token " & Y " last ")))"
#define PREDICTED(token)                                                                                             \
    "(" token " & (" PREDICTS(token, "a") " | " PREDICTS(token, "b") " | " PREDICTS(token, "c") "))"

static const char RETRIEVE[] = "temper-model 1\n"
                               "alphabet \"a\" \"b\" \"c\" \"0\" \"1\"\n" GALLERY_ONE GALLERY_START "channel a\n"
                               "channel b\n"
                               "channel c\n"
                               "channel zero \"0\"\n"
                               "channel bit \"1\"\n"
                               "channel after-a \"after a\"\n"
                               "channel after-b \"after b\"\n"
                               "channel after-c \"after c\"\n"
                               "channel of-a \"a value of a\"\n"
                               "channel of-b \"a value of b\"\n"
                               "channel of-c \"a value of c\"\n"
                               "channel stored-0 \"0 is stored\"\n"
                               "channel stored-1 \"1 is stored\"\n"
                               "channel answer \"the stored value\"\n"
                               "embed \"a\" a\n"
                               "embed \"b\" b\n"
                               "embed \"c\" c\n"
                               "embed \"0\" zero\n"
                               "embed \"1\" bit\n"
                               "embed start start\n"
                               "embed end\n"
                               "layer 1\n"
                               "head \"the letter before\" mask j<i choice rightmost\n"
                               "value a\n"
                               "value b\n"
                               "value c\n"
                               "output after-a\n"
                               "output after-b\n"
                               "output after-c\n"
                               "step -1 after-a zero bit -> of-a\n"
                               "step -1 after-b zero bit -> of-b\n"
                               "step -1 after-c zero bit -> of-c\n"
                               "layer 2\n" /* the sentinel scores 1/2, and stands for a key that is not there */
                               "head \"the first value of this key\" mask j<i choice leftmost\n"
                               "query of-a\n"
                               "query of-b\n"
                               "query of-c\n"
                               "query one\n"
                               "key of-a\n"
                               "key of-b\n"
                               "key of-c\n"
                               "key start:0.5\n"
                               "value zero\n"
                               "value bit\n"
                               "output stored-0\n"
                               "output stored-1\n"
                               "step -1 zero stored-0 -> answer\n"
                               "step -1 bit stored-1 -> answer\n"
                               "read answer\n";

#define STORED(key, value)                                                                                           \
    "('" value "' & Y " key " & Y O ('" value "' & Y " key " & !Y O (('0' | '1') & Y " key ")))"
#define RETRIEVED(key) STORED(key, "0") " | " STORED(key, "1")

/* Position i looks at the position that the channel `partner` names: the score 2pj - j^2 is largest at j = p. */
#define PARTNERS(partner)                                                                                            \
    "temper-model 1\n"                                                                                               \
    "alphabet \"a\" \"b\"\n"                                                                                         \
    "empty accept\n" GALLERY_ONE "channel a\n"                                                                       \
    "channel b\n"                                                                                                    \
    "channel place \"position\" position \"i\"\n"                                                                    \
    "channel square \"position squared\" position \"i*i\"\n"                                                         \
    "channel partner \"the position to compare with\" position \"" partner "\"\n"
#define PARTNER_HEAD                                                                                                 \
    "embed \"a\" a\n"                                                                                                \
    "embed \"b\" b\n"                                                                                                \
    "embed start\n"                                                                                                  \
    "embed end\n"                                                                                                    \
    "layer 1\n"                                                                                                      \
    "head \"the letter to compare with\" mask all choice leftmost\n"                                                 \
    "query partner\n"                                                                                                \
    "query one\n"                                                                                                    \
    "key place:2\n"                                                                                                  \
    "key -square\n"                                                                                                  \
    "value a\n"                                                                                                      \
    "value b\n"                                                                                                      \
    "output sees-a\n"                                                                                                \
    "output sees-b\n"
#define PARTNER_CHANNELS                                                                                             \
    "channel sees-a \"the other is a\"\n"                                                                            \
    "channel sees-b \"the other is b\"\n"                                                                            \
    "channel differ \"they differ\"\n"                                                                               \
    "channel failed \"some pair differs\"\n"
#define PARTNER_END                                                                                                  \
    "layer 2\n"                                                                                                      \
    "head \"some pair differs\" mask all choice rightmost\n"                                                         \
    "query one\n"                                                                                                    \
    "key differ\n"                                                                                                   \
    "value differ\n"                                                                                                 \
    "output failed\n"

static const char PALINDROME[] = PARTNERS("n + 1 - i") PARTNER_CHANNELS
    "channel answer \"a palindrome\"\n" PARTNER_HEAD "step -1 a sees-b -> differ\n"
    "step -1 b sees-a -> differ\n" PARTNER_END "step 1 -failed -> answer\n"
    "read answer\n";

static const char COPY[] =
    PARTNERS("i + floor(n/2)") "channel half \"in the first half\" position \"[2*i <= n]\"\n"
                               "channel odd \"the length is odd\" position \"n % 2\"\n" PARTNER_CHANNELS
                               "channel answer \"a word twice\"\n" PARTNER_HEAD "step -2 half a sees-b -> differ\n"
                               "step -2 half b sees-a -> differ\n" PARTNER_END "step 1 -failed -odd -> answer\n"
                               "read answer\n";

static const gallery_entry ENTRIES[] = {
    {.about = {.name = "first",
               .alphabet = "01",
               .title = "FIRST",
               .class_name = UHAT,
               .language = "strings of 0 and 1 that begin with 1",
               .source =
                   "Chiang and Cholak 2022 (ACL) build a softmax transformer for FIRST; one hard head, re-derived",
               .formula = "alphabet 0 1\nO (first & '1')"},
     .sketch = FIRST,
     .oracle = oracle_first,
     .prefixes = true},
    {.about = {.name = "leftmost",
               .alphabet = "abc",
               .title = "the leftmost witness",
               .class_name = UHAT,
               .language = "strings of a, b and c whose first letter that is not c is an a",
               .source = "leftmost choice of masked hard attention: Yang, Chiang and Angluin 2024 (arXiv "
                         "2310.13897); re-derived",
               .formula = "alphabet a b c\nO (a & !O b)"},
     .sketch = LEFTMOST,
     .oracle = oracle_leftmost,
     .prefixes = true},
    {.about = {.name = "rightmost",
               .alphabet = "abc",
               .title = "the rightmost witness",
               .class_name = UHAT,
               .language = "strings of a, b and c whose last letter that is not c is an a",
               .source = "'since' by rightmost choice: Yang, Chiang and Angluin 2024 (arXiv 2310.13897); re-derived",
               .formula = "alphabet a b c\nc S a"},
     .sketch = RIGHTMOST,
     .oracle = oracle_rightmost,
     .prefixes = true},
    {.about = {.name = "second-half",
               .alphabet = "ab",
               .title = "an a in the second half",
               .class_name = UHAT,
               .language = "strings of a and b with an a at some position i > n/2",
               .source =
                   "an instance of first-order logic with unary numerical predicates, which unique-hard attention "
                   "recognises: Barcelo, Kozachinskiy, Lin and Podolskii 2024 (ICLR); re-derived",
               .formula = ""},
     .sketch = SECOND_HALF,
     .oracle = oracle_second_half},
    {.about = {.name = "flip-flop",
               .alphabet = "wri01",
               .title = "a flip-flop",
               .class_name = UHAT,
               .language =
                   "orders w, r, i in turn with bits 0, 1, beginning with w, where a bit after r is the bit after "
                   "the last w",
               .source = "after the flip-flop language of Liu, Ash, Goel, Krishnamurthy and Zhang 2023 (NeurIPS); "
                         "re-derived",
               .formula = "alphabet w r i 0 1\nempty accept\norder = w | r | i\nbit = '0' | '1'\n"
                          "H (first -> w) & H (order -> !Y order) & H (bit -> Y order) & bit"
                          " & H ('0' & Y r -> (!(Y w) S ('0' & Y w))) & H ('1' & Y r -> (!(Y w) S ('1' & Y w)))"},
     .sketch = FLIP_FLOP,
     .oracle = oracle_flip_flop,
     .prefixes = true},
    {.about = {.name = "induction-head",
               .alphabet = "abc",
               .title = "an induction head",
               .class_name = UHAT,
               .language =
                   "strings of a, b and c whose last letter followed its predecessor also the last time before",
               .source =
                   "the two heads described by Elhage et al. 2021 and Olsson et al. 2022 (In-context Learning and "
                   "Induction Heads), with rightmost choice; re-derived",
               .formula = "alphabet a b c\n" PREDICTED("a") " | " PREDICTED("b") " | " PREDICTED("c")},
     .sketch = INDUCTION,
     .oracle = oracle_induction,
     .prefixes = true},
    {.about = {.name = "retrieve-by-key",
               .alphabet = "abc01",
               .title = "retrieval by key",
               .class_name = UHAT,
               .language =
                   "strings that end with a key (a, b, c) and the value (0, 1) that stood after that key the first "
                   "time a value did",
               .source =
                   "associative recall, as in Arora et al. 2023 (Zoology, arXiv 2312.04927), made a language whose "
                   "first entry counts; re-derived",
               .formula = "alphabet a b c 0 1\n" RETRIEVED("a") " | " RETRIEVED("b") " | " RETRIEVED("c")},
     .sketch = RETRIEVE,
     .oracle = oracle_retrieve,
     .prefixes = true},
    {.about = {.name = "palindrome",
               .alphabet = "ab",
               .title = "PALINDROME",
               .class_name = UHAT,
               .language = "strings of a and b that read the same backwards",
               .source =
                   "position arithmetic as in the reversal program of Weiss, Goldberg and Yahav 2021 (Thinking Like "
                   "Transformers, ICML); the quadratic score is re-derived",
               .formula = ""},
     .sketch = PALINDROME,
     .oracle = oracle_palindrome},
    {.about = {.name = "copy",
               .alphabet = "ab",
               .title = "a word twice",
               .class_name = UHAT,
               .language = "strings ww, w of a and b",
               .source = "as palindrome, with the partner half a string away; re-derived",
               .formula = ""},
     .sketch = COPY,
     .oracle = oracle_copy},
};

const gallery_family gallery_unique = {ENTRIES, sizeof ENTRIES / sizeof *ENTRIES};
