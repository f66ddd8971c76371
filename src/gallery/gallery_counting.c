/* The gallery: transformers that count by averaging, and two whose average heads are hard for softmax: one with a
   tiny gap, and some with ties. */
#include "gallery/gallery.h"

#define TIELESS "AHAT uniform-tieless"
#define TIED    "AHAT tied"

/* The count c comes as c/(i + 1); the score 2cj/(i + 1) - j^2/(i + 1) is largest at j = c, where the parity
   stands. */
static const char PARITY[] = "temper-model 1\n"
                             "alphabet \"0\" \"1\"\n"
                             "channel bit \"1\"\n"
                             "channel place \"position\" position \"i\"\n"
                             "channel square \"position squared\" position \"i*i\"\n"
                             "channel inverse \"1/(i + 1)\" position \"1/(i + 1)\"\n"
                             "channel odd \"at an odd position\" position \"i % 2\"\n"
                             "channel mean \"(number of 1)/(i + 1)\"\n"
                             "channel answer \"an odd number of 1\"\n"
                             "embed \"0\"\n"
                             "embed \"1\" bit\n"
                             "embed start\n"
                             "embed end\n"
                             "layer 1\n"
                             "head \"how many 1\" mask j<=i choice average\n"
                             "value bit\n"
                             "output mean\n"
                             "layer 2\n"
                             "head \"the parity at the position of that number\" mask j<=i choice average\n"
                             "query mean\n"
                             "query inverse\n"
                             "key place:2\n"
                             "key -square\n"
                             "value odd\n"
                             "output answer\n"
                             "read answer\n";

/* Half a unit on the start sentinel keeps the sum that is compared away from 0. */
static const char MAJORITY[] =
    "temper-model 1\n"
    "alphabet \"0\" \"1\"\n" GALLERY_ONE GALLERY_START GALLERY_COMPARING "channel zero \"0\"\n"
    "channel bit \"1\"\n"
    "channel sum \"(number of 0 - number of 1 + 1/2)/(i + 1)\"\n"
    "channel answer \"more 1 than 0\"\n"
    "embed \"0\" zero\n"
    "embed \"1\" bit\n"
    "embed start start\n"
    "embed end\n"
    "layer 1\n"
    "head \"more 0 or more 1\" mask j<=i choice average\n"
    "value zero -bit start:0.5\n"
    "output sum\n"
    "layer 2\n" GALLERY_COMPARE("more 1 than 0", "sum", "answer") "read answer\n";

static const char EXACT_HALF[] =
    "temper-model 1\n"
    "alphabet \"a\" \"b\"\n"
    "empty accept\n" GALLERY_ONE GALLERY_START GALLERY_COMPARING "channel a\n"
    "channel b\n"
    "channel more-a \"(number of a - number of b + 1/2)/(i + 1)\"\n"
    "channel more-b \"(number of b - number of a + 1/2)/(i + 1)\"\n"
    "channel fewer-a \"fewer a than b\"\n"
    "channel fewer-b \"fewer b than a\"\n"
    "channel answer \"as many a as b\"\n"
    "embed \"a\" a\n"
    "embed \"b\" b\n"
    "embed start start\n"
    "embed end\n"
    "layer 1\n"
    "head \"the difference\" mask j<=i choice average\n"
    "value a -b start:0.5\n"
    "value b -a start:0.5\n"
    "output more-a\n"
    "output more-b\n"
    "layer 2\n" GALLERY_COMPARE("fewer a than b", "more-a", "fewer-a")
        GALLERY_COMPARE("fewer b than a", "more-b", "fewer-b") "step 1 -fewer-a -fewer-b -> answer\n"
                                                               "read answer\n";

/* #a >= #b >= #c >= #a, and no two neighbours out of order. */
static const char ANBNCN[] =
    "temper-model 1\n"
    "alphabet \"a\" \"b\" \"c\"\n"
    "empty accept\n" GALLERY_ONE GALLERY_START GALLERY_COMPARING GALLERY_LATER "channel a\n"
    "channel b\n"
    "channel c\n"
    "channel after-b \"after b\"\n"
    "channel after-c \"after c\"\n"
    "channel wrong \"before its predecessor in the alphabet\"\n"
    "channel ab \"(number of a - number of b + 1/2)/(i + 1)\"\n"
    "channel bc \"(number of b - number of c + 1/2)/(i + 1)\"\n"
    "channel ca \"(number of c - number of a + 1/2)/(i + 1)\"\n"
    "channel fewer-a \"fewer a than b\"\n"
    "channel fewer-b \"fewer b than c\"\n"
    "channel fewer-c \"fewer c than a\"\n"
    "channel failed \"something was out of order\"\n"
    "channel answer \"a, b, c in order, as many of each\"\n"
    "embed \"a\" a\n"
    "embed \"b\" b\n"
    "embed \"c\" c\n"
    "embed start start\n"
    "embed end\n"
    "layer 1\n"
    "head \"the letter before\" mask j<i choice average\n"
    "query one\n"
    "key later\n"
    "value b\n"
    "value c\n"
    "output after-b\n"
    "output after-c\n"
    "head \"differences\" mask j<=i choice average\n"
    "value a -b start:0.5\n"
    "value b -c start:0.5\n"
    "value c -a start:0.5\n"
    "output ab\n"
    "output bc\n"
    "output ca\n"
    "step -1 a after-b after-c -> wrong\n"
    "step -1 b after-c -> wrong\n"
    "layer 2\n" GALLERY_COMPARE("fewer a than b", "ab", "fewer-a") GALLERY_COMPARE("fewer b than c", "bc", "fewer-b")
        GALLERY_COMPARE("fewer c than a", "ca", "fewer-c") GALLERY_LAST(
            "the last place out of order", "wrong", "failed") "step 1 -failed -fewer-a -fewer-b -fewer-c -> answer\n"
                                                              "read answer\n";

/* u|v. With d_x = (number of x in u) - (number of x in v): all d_x >= 0 and their sum <= 0. */
static const char SORT[] =
    "temper-model 1\n"
    "alphabet \"a\" \"b\" \"c\" \"|\"\n" GALLERY_ONE GALLERY_START GALLERY_COMPARING GALLERY_LATER "channel a\n"
    "channel b\n"
    "channel c\n"
    "channel bar \"|\"\n"
    "channel right \"after a |\"\n"
    "channel after-b \"after b\"\n"
    "channel after-c \"after c\"\n"
    "channel right-a \"a after a |\"\n"
    "channel right-b \"b after a |\"\n"
    "channel right-c \"c after a |\"\n"
    "channel wrong \"out of order, or a second |\"\n"
    "channel more-a \"(a before | - a after + 1/2)/(i + 1)\"\n"
    "channel more-b \"(b before | - b after + 1/2)/(i + 1)\"\n"
    "channel more-c \"(c before | - c after + 1/2)/(i + 1)\"\n"
    "channel fewer \"(letters after | - letters before + 1/2)/(i + 1)\"\n"
    "channel lacks-a \"too many a after |\"\n"
    "channel lacks-b \"too many b after |\"\n"
    "channel lacks-c \"too many c after |\"\n"
    "channel lacks \"too few after |\"\n"
    "channel failed \"something was wrong\"\n"
    "channel answer \"sorted\"\n"
    "embed \"a\" a\n"
    "embed \"b\" b\n"
    "embed \"c\" c\n"
    "embed \"|\" bar\n"
    "embed start start\n"
    "embed end\n"
    "layer 1\n"
    "head \"a | before\" mask j<i choice average\n"
    "query one\n"
    "key bar later\n"
    "value bar\n"
    "output right\n"
    "head \"the letter before\" mask j<i choice average\n"
    "query one\n"
    "key later\n"
    "value b\n"
    "value c\n"
    "output after-b\n"
    "output after-c\n"
    "step -1 right a -> right-a\n"
    "step -1 right b -> right-b\n"
    "step -1 right c -> right-c\n"
    "step -2 right a after-b after-c -> wrong\n"
    "step -2 right b after-c -> wrong\n"
    "step -1 right bar -> wrong\n"
    "layer 2\n"
    "head \"differences between the two sides\" mask j<=i choice average\n"
    "value a right-a:-2 start:0.5\n"
    "value b right-b:-2 start:0.5\n"
    "value c right-c:-2 start:0.5\n"
    "value -a -b -c right-a:2 right-b:2 right-c:2 start:0.5\n"
    "output more-a\n"
    "output more-b\n"
    "output more-c\n"
    "output fewer\n" GALLERY_LAST("the last error", "wrong",
                                  "failed") "layer 3\n" GALLERY_COMPARE("too many a", "more-a", "lacks-a")
        GALLERY_COMPARE("too many b", "more-b", "lacks-b") GALLERY_COMPARE("too many c", "more-c", "lacks-c")
            GALLERY_COMPARE("too few", "fewer",
                            "lacks") "step 0 right bar failed:-2 -lacks-a -lacks-b -lacks-c -lacks -> answer\n"
                                     "read answer\n";

/* The mean over the prefixes of x_j = (2d_j + 1)/(2(j + 1)), d_j the a's less the b's. The numerators are odd, so the
   term with the largest power of two in j + 1 has more twos below the line than all others, and the sum is never 0;
   but it can be as small as 1/lcm(2, 4, ..., 2N). */
static const char TWO_AVERAGES[] =
    "temper-model 1\n"
    "alphabet \"a\" \"b\"\n"
    "empty accept\n" GALLERY_ONE GALLERY_START GALLERY_COMPARING "channel a\n"
    "channel b\n"
    "channel lead \"(number of a - number of b + 1/2)/(i + 1)\"\n"
    "channel mean \"its mean over the prefixes\"\n"
    "channel negative \"the mean is negative\"\n"
    "channel answer \"the mean is positive\"\n"
    "embed \"a\" a\n"
    "embed \"b\" b\n"
    "embed start start\n"
    "embed end\n"
    "layer 1\n"
    "head \"the lead of a\" mask j<=i choice average\n"
    "value a -b start:0.5\n"
    "output lead\n"
    "layer 2\n"
    "head \"the mean of the leads\" mask j<=i choice average\n"
    "value lead\n"
    "output mean\n"
    "layer 3\n" GALLERY_COMPARE("the sign of the mean", "mean", "negative") "step 1 -negative -> answer\n"
                                                                            "read answer\n";

/* The second head ties on purpose, on scores that the first one computes and nothing rounds: a softmax version must
   keep the first head's error far below the second's temperature. The start sentinel ties too, and its half keeps the
   mean from 0. */
static const char TIED_MODEL[] =
    "temper-model 1\n"
    "alphabet \"a\" \"b\"\n" GALLERY_ONE GALLERY_START GALLERY_COMPARING GALLERY_LATER "channel a\n"
    "channel b\n"
    "channel after-a \"after a\"\n"
    "channel lead \"(number of ab - number of aa + 1/2)/(their number + 1)\"\n"
    "channel answer \"more aa than ab\"\n"
    "embed \"a\" a\n"
    "embed \"b\" b\n"
    "embed start start\n"
    "embed end\n"
    "layer 1\n"
    "head \"the letter before\" mask j<i choice average\n"
    "query one\n"
    "key later\n"
    "value a\n"
    "output after-a\n"
    "layer 2\n"
    "head \"all letters after an a\" mask j<=i choice average\n"
    "query one\n"
    "key after-a start\n"
    "value b -a start:0.5\n"
    "output lead\n"
    "layer 3\n" GALLERY_COMPARE_BY("leftmost", "more aa than ab", "lead", "answer") "read answer\n";

/* Ties on scores that are fractions: 1/2 after the first letter and 2/4 after the third. */
static const char BEST_PREFIX[] =
    "temper-model 1\n"
    "alphabet \"a\" \"A\" \"b\"\n" GALLERY_ONE GALLERY_START GALLERY_COMPARING "channel small \"a\"\n"
    "channel large \"A\"\n"
    "channel share \"(number of a and A)/(i + 1)\"\n"
    "channel lead \"the mean of a - A over the best prefixes\"\n"
    "channel answer \"more best prefixes end with A than with a\"\n"
    "embed \"a\" small\n"
    "embed \"A\" large\n"
    "embed \"b\"\n"
    "embed start start\n"
    "embed end\n"
    "layer 1\n"
    "head \"the share of a and A\" mask j<=i choice average\n"
    "value small large\n"
    "output share\n"
    "layer 2\n"
    "head \"all prefixes with the largest share\" mask j<=i choice average\n"
    "query one\n"
    "key share\n"
    "value small -large\n"
    "output lead\n"
    "layer 3\n" GALLERY_COMPARE_BY("leftmost", "more A than a", "lead", "answer") "read answer\n";

#define RIGHT        "Y O '|'"
#define SAME(letter) "#[" letter " & " RIGHT "] = #[" letter " & !" RIGHT "]"

static const gallery_entry ENTRIES[] = {
    {.about =
         {.name = "parity",
          .alphabet = "01",
          .title = "PARITY",
          .class_name = TIELESS,
          .language = "strings of 0 and 1 with an odd number of 1",
          .source =
              "Chiang and Cholak 2022 (ACL): the share of 1, then a head that finds its parity; the look-up by a "
              "quadratic score is re-derived",
          .formula = "alphabet 0 1\n#['1'] % 2 = 1"},
     .sketch = PARITY,
     .oracle = oracle_parity,
     .prefixes = true},
    {.about = {.name = "majority",
               .alphabet = "01",
               .title = "MAJORITY",
               .class_name = TIELESS,
               .language = "strings of 0 and 1 with more 1 than 0",
               .source = "Merrill, Sabharwal and Smith 2022 (TACL), Hao, Angluin and Frank 2022 (TACL): MAJORITY by "
                         "averaging; re-derived with an exact comparison",
               .formula = "alphabet 0 1\n#['1'] > #['0']"},
     .sketch = MAJORITY,
     .oracle = oracle_majority,
     .prefixes = true},
    {.about = {.name = "exact-half",
               .alphabet = "ab",
               .title = "as many a as b",
               .class_name = TIELESS,
               .language = "strings with as many a as b",
               .source = "as majority, compared both ways; re-derived",
               .formula = "alphabet a b\nempty accept\n#[a] = #[b]"},
     .sketch = EXACT_HALF,
     .oracle = oracle_exact_half,
     .prefixes = true},
    {.about = {.name = "anbncn",
               .alphabet = "abc",
               .title = "a^n b^n c^n",
               .class_name = TIELESS,
               .language = "strings of n times a, then n times b, then n times c",
               .source = "a counter language in the sense of Bhattamishra, Ahuja and Goyal 2020 (EMNLP); re-derived",
               .formula = "alphabet a b c\nempty accept\n"
                          "#[a] = #[b] & #[b] = #[c] & H (a -> !Y (b | c)) & H (b -> !Y c)"},
     .sketch = ANBNCN,
     .oracle = oracle_anbncn,
     .prefixes = true},
    {.about =
         {.name = "sort",
          .alphabet = "abc|",
          .title = "sorting",
          .class_name = TIELESS,
          .language = "strings u|v, where v is u with its letters a, b, c in order",
          .source =
              "sorting is a standard program of RASP (Weiss, Goldberg and Yahav 2021, ICML); here as a language, by "
              "counting, re-derived",
          .formula = "alphabet a b c |\nO '|' & H ('|' -> !" RIGHT ") & " SAME("a") " & " SAME("b") " & " SAME(
              "c") " & H (a & " RIGHT " -> !Y (b | c)) & H (b & " RIGHT " -> !Y c)"},
     .sketch = SORT,
     .oracle = oracle_sorted_copy,
     .prefixes = true},
    {.about =
         {.name = "two-averages",
          .alphabet = "ab",
          .title = "an average of averages",
          .class_name = TIELESS,
          .language = "strings of a and b for which the mean of (a's - b's + 1/2)/(length + 1) over all prefixes is "
                      "positive",
          .source =
              "made for temper: the gap that the temperature of Yang, Strobl, Chiang and Angluin 2026 (TACL) depends "
              "on shrinks like 1/lcm(1...N); that it is never 0 is the classical argument on harmonic numbers",
          .formula = ""},
     .sketch = TWO_AVERAGES,
     .oracle = oracle_two_averages},
    {.about = {.name = "tied",
               .alphabet = "ab",
               .title = "ties on computed scores",
               .class_name = TIED,
               .language = "strings of a and b in which aa occurs more often than ab",
               .source =
                   "made for temper: outside the uniform-tieless class of Yang, Strobl, Chiang and Angluin 2024 "
                   "(arXiv 2412.09925, first version)",
               .formula = "alphabet a b\n#[a & Y a] > #[b & Y a]"},
     .sketch = TIED_MODEL,
     .oracle = oracle_tied,
     .prefixes = true},
    {.about = {.name = "best-prefix",
               .alphabet = "aAb",
               .title = "ties on fractions",
               .class_name = TIED,
               .language =
                   "strings of a, A and b where of the prefixes with the largest (a's and A's)/(length + 1) more end "
                   "with A than with a",
               .source = "made for temper: an average head whose ties are between different fractions of one value",
               .formula = ""},
     .sketch = BEST_PREFIX,
     .oracle = oracle_best_prefix},
};

const gallery_family gallery_counting = {ENTRIES, sizeof ENTRIES / sizeof *ENTRIES};
