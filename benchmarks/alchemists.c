/* Random play of Alchemists by hand in C: the ceiling for our kernels.

   The same game, decision for decision: the same generator, action ids, masks and observations as games/alchemists (a
   test compares them byte by byte). What C is free to do better, it does: five counts are the bytes of one word, legal
   actions are bits that are kept up to date, and every table fits the way it is read. */

#include <stdint.h>
#include <string.h>

enum {
    COLOURS = 5, CAULDRONS = 10, RECIPES = 25, CREATES = 250, KINDS = 3, TILES = 10, MOST_PLAYERS = 5,
    TILE = 250, COPY = 260, TAKE = 290, DRAW = 295, PASS = 296, MASK_BYTES = 304, WORDS = 5,
    HAND = 12, SEALS = 5, NOBODY = -1, EMPTY = CREATES,
};
enum { TURN, VALUE, OVER };
enum { /* where the slices of an observation begin, without its derived part */
    O_PLAYERS = 0, O_PHASE = 1, O_FIRST_TURN = 2, O_FIRST = 3, O_HAND = 8, O_SCHOOL = 13, O_RESERVE = 18,
    O_REMOVED = 23, O_BAG = 28, O_TILES = 29, O_BREWING = 39, O_VALUE = 49, O_RECIPE = 59, O_OWNER = 109,
    O_FAME = 159, O_FAME_255 = 164, O_FAME_510 = 169, O_SEALS = 174, O_SIZE = 179, O_KNOWN = 184, O_PASSED = 209,
};

typedef uint64_t u64;
#define EACH 0x0101010101ULL /* 1 in each of the five bytes */
#define TOPS 0x8080808080ULL
#define BYTE(x, i) ((int)((x) >> (8 * (i))) & 255)
#define ONE(i) (1ULL << (8 * (i)))

typedef struct {
    u64 rng;
    u64 bag, reserve, removed;                   /* a byte for each colour */
    u64 hand[MOST_PLAYERS], known[MOST_PLAYERS]; /* a byte for each colour */
    u64 seals, size, passed;                     /* a byte for each player */
    u64 free[4];                                 /* creates that no potion rules out */
    u64 stands[4];                               /* the creates that stand on cauldrons */
    u64 own[MOST_PLAYERS][4];                    /* those of each player */
    int16_t fame[MOST_PLAYERS];
    uint8_t potion[16];
    int8_t owner[16], value[16];
    int8_t school[COLOURS];
    int tiles, players, current, first, phase, brewing, turn;
} Game;

/* Tables. */

static u64 MIX[CREATES + 1], PRODUCES[CAULDRONS], PAYABLE[243][4], RULED_OUT[CREATES][4];
static uint8_t GIFTS[CREATES];           /* which of the cauldron's three kinds are in a potion, as bits */
static int8_t TAKES[CAULDRONS][KINDS];
static const int8_t BAG[6] = {0, 0, 6, 8, 12, 14}, RESERVE[6] = {0, 0, 10, 12, 16, 18};
static const int8_t REWARD[6][5] = {{0}, {0}, {6, 0}, {10, 5, 0}, {12, 8, 4, 0}, {12, 9, 6, 3, 0}};

static void set(u64 *bits, int i) { bits[i >> 6] |= 1ULL << (i & 63); }

static int fits(u64 mix, u64 hand) {
    for (int c = 0; c < COLOURS; c++)
        if (BYTE(mix, c) > BYTE(hand, c)) return 0;
    return 1;
}

__attribute__((constructor)) static void make_tables(void) {
    int cauldron = 0;
    for (int a = 0; a < COLOURS; a++)
        for (int b = a + 1; b < COLOURS; b++, cauldron++) {
            PRODUCES[cauldron] = ONE(a) | ONE(b);
            for (int c = 0, k = 0; c < COLOURS; c++)
                if (c != a && c != b) TAKES[cauldron][k++] = (int8_t)c;
            int create = cauldron * RECIPES;
            for (int r = 1; r < 26; r++) { /* base 3: all but none and 2 + 2 + 2 */
                int n[KINDS] = {r / 9, r / 3 % 3, r % 3};
                for (int k = 0; k < KINDS; k++) {
                    MIX[create] += n[k] * ONE(TAKES[cauldron][k]);
                    GIFTS[create] |= (uint8_t)((n[k] > 0) << k);
                }
                create++;
            }
        }
    for (int i = 0; i < CREATES; i++)
        for (int j = 0; j < CREATES; j++)
            if (i / RECIPES == j / RECIPES || MIX[i] == MIX[j]) set(RULED_OUT[i], j);
    for (int code = 0; code < 243; code++) {
        u64 hand = 0;
        for (int c = 0, rest = code; c < COLOURS; c++, rest /= 3) hand += (u64)(rest % 3) * ONE(c);
        for (int i = 0; i < CREATES; i++)
            if (fits(MIX[i], hand)) set(PAYABLE[code], i);
    }
}

/* Bits and bytes. */

static int total(u64 counts) { return (int)((counts * EACH) >> 32) & 255; }

static u64 present(u64 counts) { return ((counts + (TOPS - EACH)) & TOPS) >> 7; } /* 1 in every byte that is not 0 */

static u64 spread(u64 bits) { /* eight bits as eight bytes */
#ifdef __BMI2__
    return __builtin_ia32_pdep_di(bits, 0x0101010101010101ULL);
#else
    u64 low = (bits & 15) * 0x00204081ULL & 0x01010101ULL, high = (bits >> 4) * 0x00204081ULL & 0x01010101ULL;
    return low | high << 32;
#endif
}

static int nth(u64 bits, int k) { /* the position of the k-th bit that is 1 */
#ifdef __BMI2__
    return __builtin_ctzll(__builtin_ia32_pdep_di(1ULL << k, bits));
#else
    while (k--) bits &= bits - 1;
    return __builtin_ctzll(bits);
#endif
}

/* Eight bytes, of which five or so are meant: what is written next covers the others. */
static void put(uint8_t *out, u64 bytes) { memcpy(out, &bytes, 8); }

/* The generator: splitmix64, bounded draws without bias. */

static u64 mix64(u64 x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
}

static u64 next_bits(u64 *rng) { return mix64(*rng += 0x9E3779B97F4A7C15ULL); }

static int below(u64 *rng, u64 n) {
    u64 product = (next_bits(rng) >> 32) * n;
    if ((product & 0xFFFFFFFF) < n) {
        u64 reject = ((1ULL << 32) - n) % n;
        while ((product & 0xFFFFFFFF) < reject) product = (next_bits(rng) >> 32) * n;
    }
    return (int)(product >> 32);
}

/* Set-up. */

static void draw_from_bag(Game *s, int p) {
    u64 upto = s->bag * EACH & 0xFFFFFFFFFFULL; /* byte c: cubes of the colours 0..c */
    u64 k = (u64)below(&s->rng, upto >> 32);
    int c = __builtin_popcountll(((k * EACH | TOPS) - upto) & TOPS);
    s->bag -= ONE(c);
    s->hand[p] += ONE(c);
    s->size += ONE(p);
}

static void deal(Game *s, int players, u64 seed) {
    memset(s, 0, sizeof *s);
    s->rng = mix64(seed ^ 0xBF58476D1CE4E5B9ULL);
    s->bag = (u64)BAG[players] * EACH;
    s->reserve = (u64)RESERVE[players] * EACH;
    s->removed = 32 * EACH - s->bag - s->reserve;
    s->players = players;
    for (int c = 0; c < COLOURS; c++) s->school[c] = (int8_t)c;
    for (int i = COLOURS - 1; i > 0; i--) {
        int j = below(&s->rng, (u64)i + 1);
        int8_t held = s->school[i];
        s->school[i] = s->school[j];
        s->school[j] = held;
    }
    for (int p = 0; p < players; p++) {
        s->seals += SEALS * ONE(p);
        for (int i = 0; i < HAND; i++) draw_from_bag(s, p);
    }
    memset(s->potion, EMPTY, sizeof s->potion);
    memset(s->free, 255, sizeof s->free);
    s->free[3] = (1ULL << (CREATES - 192)) - 1;
    s->tiles = (1 << TILES) - 1;
    s->brewing = -1;
    s->first = s->current = below(&s->rng, (u64)players);
}

/* The legal actions, as bits. */

static int hand_code(u64 hand) { /* in base 3, each colour cut to two */
    u64 two = ((hand + 0x7E7E7E7E7EULL) & TOPS) >> 7;
    u64 cut = two << 1 | (hand & EACH & ~two);
    return BYTE(cut * (81 | 27ULL << 8 | 9ULL << 16 | 3ULL << 24 | 1ULL << 32), 4);
}

static u64 takes(u64 reserve) { /* bit 8 c to bit 32 + c */
    return present(reserve) * (1ULL << 32 | 1 << 25 | 1 << 18 | 1 << 11 | 1 << 4) >> 32 & 31;
}

static u64 legal_copies(const Game *s, const u64 *payable) {
    u64 copies = 0;
    for (int w = 0; w < 4; w++)
        for (u64 b = s->stands[w] & ~s->own[s->current][w] & payable[w]; b; b &= b - 1) {
            int potion = 64 * w + __builtin_ctzll(b);
            copies |= (u64)GIFTS[potion] << (KINDS * (potion / RECIPES));
        }
    return copies;
}

static void legal(const Game *s, u64 *m) {
    int must_create = s->players == 2 && s->turn == 0;
    if (s->phase == VALUE) {
        u64 tiles = (u64)(must_create ? s->tiles & ~15 : s->tiles);
        m[0] = m[1] = m[2] = 0;
        m[3] = tiles << (TILE - 192);
        m[4] = tiles >> (256 - TILE);
        return;
    }
    const u64 *payable = PAYABLE[hand_code(s->hand[s->current])];
    u64 sealed = -(u64)(BYTE(s->seals, s->current) > 0);
    for (int w = 0; w < 4; w++) m[w] = payable[w] & s->free[w] & sealed;
    m[4] = 0;
    if (must_create) return;
    m[4] = legal_copies(s, payable) << (COPY - 256) | takes(s->reserve) << (TAKE - 256)
         | (u64)(s->bag > 0) << (DRAW - 256);
    if (!(m[0] | m[1] | m[2] | m[3] | m[4])) m[4] = 1ULL << (PASS - 256);
}

static void write_mask(const u64 *m, uint8_t *out) {
    for (int i = 0; i < MASK_BYTES / 8; i++) {
        u64 eight = spread(m[i >> 3] >> (8 * (i & 7)) & 255);
        memcpy(out + 8 * i, &eight, 8);
    }
}

static int pick(u64 *rng, const u64 *m) {
    int n[WORDS], all = 0, w = 0;
    for (int i = 0; i < WORDS; i++) all += n[i] = __builtin_popcountll(m[i]);
    int k = below(rng, (u64)all);
    while (k >= n[w]) k -= n[w++];
    return 64 * w + nth(m[w], k);
}

/* A turn. */

static void pay(Game *s, int p, u64 mix) { /* what everyone knew of goes first */
    u64 enough = (((s->known[p] | TOPS) - mix) & TOPS) >> 7, whole = enough * 255;
    s->hand[p] -= mix;
    s->known[p] -= (mix & whole) | (s->known[p] & ~whole);
    s->size -= (u64)total(mix) * ONE(p);
}

static void gain(Game *s, int p, u64 cubes) {
    s->hand[p] += cubes;
    s->known[p] += cubes;
    s->size += (u64)total(cubes) * ONE(p);
}

static void earn(Game *s, int p, int cauldron) {
    u64 products = present(s->reserve) & PRODUCES[cauldron];
    s->fame[p] += s->value[cauldron];
    s->reserve -= products;
    gain(s, p, products);
}

static void create(Game *s, int p, int potion) {
    int cauldron = potion / RECIPES;
    pay(s, p, MIX[potion]);
    s->seals -= ONE(p);
    s->potion[cauldron] = (uint8_t)potion;
    s->owner[cauldron] = (int8_t)p;
    s->brewing = cauldron;
    s->phase = VALUE;
    set(s->stands, potion);
    set(s->own[p], potion);
    for (int w = 0; w < 4; w++) s->free[w] &= ~RULED_OUT[potion][w];
}

static void copy(Game *s, int p, int cauldron, int k) {
    u64 mix = MIX[s->potion[cauldron]], gift = ONE(TAKES[cauldron][k]);
    pay(s, p, mix);
    s->removed += mix - gift;
    gain(s, s->owner[cauldron], gift);
    earn(s, p, cauldron);
}

static void apply(Game *s, int action) {
    int p = s->current;
    if (action < TILE) {
        create(s, p, action);
        return;
    }
    if (action < COPY) {
        s->tiles &= ~(1 << (action - TILE));
        s->value[s->brewing] = (int8_t)(action - TILE + 1);
        earn(s, p, s->brewing);
        s->brewing = -1;
        s->phase = TURN;
    } else if (action < TAKE) {
        copy(s, p, (action - COPY) / KINDS, (action - COPY) % KINDS);
    } else if (action < DRAW) {
        s->reserve -= ONE(action - TAKE);
        gain(s, p, ONE(action - TAKE));
    } else if (action == DRAW) {
        draw_from_bag(s, p);
        draw_from_bag(s, p);
    } else {
        s->passed |= ONE(p);
    }
    s->turn++;
    s->current = p + 1 < s->players ? p + 1 : 0;
    if (s->current == s->first && __builtin_popcountll(present(s->reserve)) <= 2) {
        s->current = NOBODY;
        s->phase = OVER;
    }
}

/* What a player sees. */

static u64 by_seat(u64 by_player, int player, int n) { /* from the player on, clockwise */
    return (by_player >> (8 * player) | by_player << (8 * (n - player))) & ((1ULL << (8 * n)) - 1);
}

static void observe(const Game *s, int player, uint8_t *out) { /* in rising order: see put */
    int n = s->players;
    out[O_PLAYERS] = (uint8_t)n;
    out[O_PHASE] = (uint8_t)s->phase;
    out[O_FIRST_TURN] = s->turn == 0;
    put(out + O_FIRST, by_seat(ONE(s->first), player, n));
    put(out + O_HAND, s->hand[player]);
    put(out + O_SCHOOL, ONE(s->school[player]));
    put(out + O_RESERVE, s->reserve);
    put(out + O_REMOVED, s->removed);
    out[O_BAG] = (uint8_t)total(s->bag);
    put(out + O_TILES, spread(s->tiles & 255));
    put(out + O_TILES + 8, spread(s->tiles >> 8));
    memset(out + O_BREWING, 0, CAULDRONS);
    if (s->brewing >= 0) out[O_BREWING + s->brewing] = 1;
    memcpy(out + O_VALUE, s->value, CAULDRONS);
    for (int i = 0; i < CAULDRONS; i++) put(out + O_RECIPE + COLOURS * i, MIX[s->potion[i]]);
    memset(out + O_OWNER, 0, MOST_PLAYERS * CAULDRONS);
    for (int i = 0; i < CAULDRONS; i++) {
        int seat = s->owner[i] - player;
        seat += seat < 0 ? n : 0;
        out[O_OWNER + seat * CAULDRONS + i] = s->potion[i] != EMPTY;
    }
    memset(out + O_FAME, 0, 3 * MOST_PLAYERS);
    for (int seat = 0, p = player; seat < n; seat++, p = p + 1 < n ? p + 1 : 0) {
        int fame = s->fame[p];
        out[O_FAME + seat] = (uint8_t)(fame < 255 ? fame : 255);
        if (fame > 255) {
            out[O_FAME_255 + seat] = (uint8_t)(fame < 510 ? fame - 255 : 255);
            out[O_FAME_510 + seat] = (uint8_t)(fame > 510 ? fame - 510 : 0);
        }
    }
    put(out + O_SEALS, by_seat(s->seals, player, n));
    put(out + O_SIZE, by_seat(s->size, player, n));
    memset(out + O_KNOWN, 0, MOST_PLAYERS * COLOURS);
    for (int seat = 0, p = player; seat < n; seat++, p = p + 1 < n ? p + 1 : 0)
        put(out + O_KNOWN + COLOURS * seat, s->known[p]);
    u64 passed = by_seat(s->passed, player, n);
    memcpy(out + O_PASSED, &passed, MOST_PLAYERS);
}

/* The end. */

static void score(const Game *s, int32_t *out) {
    u64 left = s->reserve;
    int lower[COLOURS];
    for (int p = 0; p < s->players; p++) left += s->hand[p];
    for (int p = 0; p < s->players; p++) lower[p] = BYTE(left, s->school[p]);
    for (int p = 0; p < s->players; p++) {
        int place = 0;
        for (int q = 0; q < s->players; q++) {
            int counted = 0;
            for (int earlier = 0; earlier < q; earlier++) counted |= lower[earlier] == lower[q];
            place += lower[q] < lower[p] && !counted;
        }
        out[p] = s->fame[p] + BYTE(s->size, p) / 2 + REWARD[s->players][place];
    }
}

/* Play games one after the other until so many decisions are made; the number of games finished.

   Every decision writes its mask and, if there is a place for it, its observation; they go further by so many entries
   each time, 0 for timing. actions and scores may be null. */
long play(int players, u64 seed, u64 dice, long decisions, uint8_t *masks, long mask_step, uint8_t *observations,
          long observation_step, int16_t *actions, int32_t *scores) {
    Game game, *s = &game;
    u64 rng = mix64(dice), m[WORDS];
    long games = 0;
    deal(s, players, seed);
    for (long i = 0; i < decisions; i++) {
        legal(s, m);
        write_mask(m, masks + i * mask_step);
        if (observations) observe(s, s->current, observations + i * observation_step);
        int action = pick(&rng, m);
        if (actions) actions[i] = (int16_t)action;
        apply(s, action);
        if (s->current == NOBODY) {
            if (scores) score(s, scores + games * MOST_PLAYERS);
            games++;
            seed = mix64(seed + 0x9E3779B97F4A7C15ULL);
            deal(s, players, seed);
        }
    }
    return games;
}
