/* SHA-256: the vectors of FIPS 180-4 and of other programs, whole and in pieces of random sizes, and blocks by the
   processor's instructions against blocks in C. */
#include <stdio.h>
#include <string.h>

#include "base/sha256.h"
#include "base/sha256_blocks.h"
#include "test.h"

/* `text` again and again, `times` times, in pieces whose sizes lean to the borders of blocks. */
static void digest_in_pieces(char out[SHA256_HEX + 1], test_random *r, const char *text, size_t times) {
    static char bytes[1 << 20];
    size_t length = strlen(text), total = 0;
    for (size_t k = 0; k < times; k++, total += length) memcpy(bytes + total, text, length);
    sha256 h;
    unsigned char digest[SHA256_SIZE];
    sha256_start(&h);
    for (size_t at = 0; at < total;) {
        size_t piece = random_below(r, 3) ? 62 + random_below(r, 5) : random_below(r, 300);
        if (piece > total - at) piece = total - at;
        sha256_add(&h, bytes + at, piece);
        at += piece;
    }
    sha256_finish(digest, &h);
    sha256_hex(out, digest);
}

static void compare_ways(test_random *r, sha256_blocks *fast) {
    unsigned char bytes[64 * 9 + 1];
    uint32_t plain[8], other[8];
    for (size_t k = 0; k < sizeof bytes; k++) bytes[k] = (unsigned char)random_u64(r);
    for (int k = 0; k < 8; k++) plain[k] = (uint32_t)random_u64(r);
    memcpy(other, plain, sizeof plain);
    size_t count = random_below(r, 10), from = random_below(r, 2);
    sha256_blocks_plain(plain, bytes + from, count);
    fast(other, bytes + from, count);
    CHECK(memcmp(plain, other, sizeof plain) == 0, "%zu blocks: %08x, not %08x", count, other[0], plain[0]);
}

int main(void) {
    static const struct {
        const char *text;
        size_t times;
        const char *digest;
    } known[] = {
        {"", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnop"
         "q"
         "rstu",
         1, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
        {"a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
        {"x", 55, "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072"},
        {"x", 56, "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e"},
        {"x", 57, "ae14a2563ccf969d99aca69ce6bb74981f734bbf9f655f73b8f06db68cab5217"},
        {"x", 63, "75220b47218278e656f2013bb8f0c455a25eaf01e86c64924e9d48d89776d6f2"},
        {"x", 64, "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c"},
        {"x", 65, "9537c5fdf120482f7d58d25e9ed583f52c02b4e304ea814db1633ad565aed7e9"},
        {"x", 119, "000b48d4edf0fa7bee3c6236ecd2785baa5db4eeb8bb54341b029e0d9fa5fb0c"},
        {"x", 120, "13f05a0b594787f5ecd315edc96141bd3243203d1b7d4f0836f37308b276ba98"},
        {"x", 128, "24da1b81d0b16df6428eee73c69fcb2a93c76bc6df706f0c6670fe6bfe800464"},

    };
    test_random r = test_seed(1);
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        for (size_t again = 0; again < 5; again++) {
            char got[SHA256_HEX + 1];
            digest_in_pieces(got, &r, known[k].text, known[k].times);
            CHECK(!strcmp(got, known[k].digest), "%zu times '%.20s': %s", known[k].times, known[k].text, got);
        }
    sha256_blocks *fast = sha256_blocks_fast();
    for (int k = 0; fast && k < 2000; k++) compare_ways(&r, fast);
    if (!fast) printf("this processor has no instructions for SHA-256\n");
    return test_finish("t-sha256");
}
