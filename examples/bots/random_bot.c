/* A bot for any game of Coven in C99, without libraries: a random legal action. The protocol: docs/bots.md.
 *
 *   cc -O2 -o random_bot examples/bots/random_bot.c
 *   coven check-bot alchemists "cmd:./random_bot"
 *
 * It reads as much JSON as it needs: the values of a few keys of the outermost object. Everything else is skipped with
 * regard to strings, escapes and nesting, and nothing is read beyond the end of a line. */

#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ACTIONS = 65536 };

typedef struct Table { /* many games may go on at once */
    long long number;
    uint64_t dice;
    struct Table *next;
} Table;

static Table *tables = NULL;

static void fail(const char *what) {
    fprintf(stderr, "random_bot: %s\n", what); /* Coven keeps this in a log */
    exit(1);
}

/* splitmix64: the same seed gives the same game. */
static uint64_t draw(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

static const char *skip_space(const char *p) {
    while (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n') p++;
    return p;
}

/* Behind the string that begins at p. */
static const char *skip_string(const char *p) {
    for (p++; *p != '"'; p++) {
        if (*p == '\\' && p[1] != '\0') p++;
        if (*p == '\0') fail("a string does not end");
    }
    return p + 1;
}

/* Behind the value that begins at p, however deep it is. */
static const char *skip_value(const char *p) {
    long depth = 0;
    do {
        p = skip_space(p);
        if (*p == '\0') fail("a value does not end");
        if (*p == '"') {
            p = skip_string(p);
        } else if (*p == '{' || *p == '[') {
            depth++, p++;
        } else if (*p == '}' || *p == ']') {
            depth--, p++;
        } else if (*p == ',' || *p == ':') {
            if (depth == 0) fail("a value is missing");
            p++;
        } else {
            p += strcspn(p, ",:{}[]\" \t\r\n");
        }
    } while (depth > 0);
    return p;
}

/* The value of a key of the object in a line; NULL if it has none. */
static const char *find(const char *line, const char *key) {
    const char *p = skip_space(line);
    size_t length = strlen(key);
    if (*p++ != '{') fail("a line is no object");
    for (;;) {
        p = skip_space(p);
        if (*p != '"') return NULL;
        const char *name = p + 1;
        p = skip_string(p);
        int found = (size_t)(p - 1 - name) == length && memcmp(name, key, length) == 0;
        p = skip_space(p);
        if (*p++ != ':') fail("a key without a value");
        p = skip_space(p);
        if (found) return p;
        p = skip_space(skip_value(p));
        if (*p++ != ',') return NULL;
    }
}

static int is_word(const char *value, const char *word) { /* words of the protocol have no escapes */
    size_t length = strlen(word);
    return value && *value == '"' && strncmp(value + 1, word, length) == 0 && value[length + 1] == '"';
}

static long long number_of(const char *line, const char *key) {
    const char *value = find(line, key);
    char *end;
    if (!value) fail("a number is missing");
    long long number = strtoll(value, &end, 10);
    if (end == value) fail("a number is none");
    return number;
}

/* The legal actions; how many there are. */
static long read_legal(const char *line, long *legal) {
    const char *p = find(line, "legal");
    long count = 0;
    if (!p || *p != '[') fail("there are no legal actions");
    for (p = skip_space(p + 1); *p != ']'; p = skip_space(p)) {
        char *end;
        if (count == MOST_ACTIONS) fail("too many legal actions");
        legal[count++] = strtol(p, &end, 10);
        if (end == p) fail("an action is no number");
        p = skip_space(end);
        if (*p == ',') p++;
    }
    if (count == 0) fail("there are no legal actions");
    return count;
}

static Table **table_at(long long number) {
    Table **at = &tables;
    while (*at && (*at)->number != number) at = &(*at)->next;
    return at;
}

static void hello(const char *line, long long number) {
    Table *table = malloc(sizeof *table);
    if (!table) fail("no memory");
    *table = (Table){number, (uint64_t)number_of(line, "seed"), tables};
    tables = table;
    /* Leave "wants" out to be told the state, the events and the texts of the actions too. */
    printf("{\"type\":\"ready\",\"table\":%lld,\"protocol\":1,\"name\":\"random in C\",\"wants\":[]}\n", number);
}

static void decide(const char *line, long long number) {
    static long legal[MOST_ACTIONS];
    Table *table = *table_at(number);
    long count = read_legal(line, legal);
    if (!table) fail("a table that nobody announced");
    long action = legal[draw(&table->dice) % (uint64_t)count];
    printf("{\"type\":\"action\",\"table\":%lld,\"action\":%ld}\n", number, action);
}

static void goodbye(long long number) {
    Table **at = table_at(number), *gone = *at;
    if (gone) {
        *at = gone->next;
        free(gone);
    }
}

int main(void) {
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        const char *type = find(line, "type");
        long long number = number_of(line, "table");
        if (is_word(type, "hello")) {
            hello(line, number);
        } else if (is_word(type, "decide")) {
            decide(line, number);
        } else if (is_word(type, "goodbye")) {
            goodbye(number);
        }
        fflush(stdout); /* without it nobody hears the answer */
    }
    free(line);
    return 0;
}
