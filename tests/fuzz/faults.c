/* Faults on purpose: preloaded, it counts what a process writes below one folder, and at the n-th write kills the
 * process (in the middle of it) or says from then on that the disk is full. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { NEVER, KILL, FULL };
static char below[PATH_MAX];
static long wanted, count;
static int mode = NEVER;

void faults_arm(const char *folder, long n, int what) {
    strncpy(below, folder, sizeof below - 1);
    wanted = n, count = 0, mode = what;
}

long faults_count(void) { return count; }

static int is_below(const char *path) { return below[0] && strncmp(path, below, strlen(below)) == 0; }

static int fd_below(int fd) {
    char name[64], path[PATH_MAX];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(name, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_below(path);
}

/* One more write: is it the one? `fills` says whether it could fill a disk. */
static int turn(int fills) {
    long now = __sync_add_and_fetch(&count, 1);
    if (mode == KILL) return now == wanted;
    return mode == FULL && fills && now >= wanted;
}

static void die(void) { kill(getpid(), SIGKILL); }

static int full(void) { return errno = ENOSPC, -1; }

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define WRITE(name, parameters, half, whole)                                        \
    ssize_t name parameters {                                                       \
        if (fd_below(fd) && turn(1)) {                                              \
            if (mode == FULL) return full();                                        \
            if (REAL(name) half < 0) perror("half a write");                        \
            die();                                                                  \
        }                                                                           \
        return REAL(name) whole;                                                    \
    }

WRITE(write, (int fd, const void *data, size_t n), (fd, data, n / 2), (fd, data, n))
WRITE(pwrite, (int fd, const void *data, size_t n, off_t at), (fd, data, n / 2, at), (fd, data, n, at))
WRITE(pwrite64, (int fd, const void *data, size_t n, off64_t at), (fd, data, n / 2, at), (fd, data, n, at))

#define PLAIN(name, parameters, concerned, fills, words)                            \
    int name parameters {                                                           \
        if ((concerned) && turn(fills)) {                                           \
            if (mode == FULL) return full();                                        \
            die();                                                                  \
        }                                                                           \
        return REAL(name) words;                                                    \
    }

PLAIN(fsync, (int fd), fd_below(fd), 1, (fd))
PLAIN(fdatasync, (int fd), fd_below(fd), 1, (fd))
PLAIN(ftruncate, (int fd, off_t n), fd_below(fd), 0, (fd, n))
PLAIN(ftruncate64, (int fd, off64_t n), fd_below(fd), 0, (fd, n))
PLAIN(rename, (const char *from, const char *to), is_below(to), 1, (from, to))
PLAIN(unlink, (const char *path), is_below(path), 0, (path))
PLAIN(mkdir, (const char *path, mode_t bits), is_below(path), 1, (path, bits))

#define OPEN(name)                                                                  \
    int name(const char *path, int flags, ...) {                                    \
        va_list rest;                                                               \
        va_start(rest, flags);                                                      \
        mode_t bits = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;     \
        va_end(rest);                                                               \
        if (flags & O_CREAT && is_below(path) && turn(1)) {                         \
            if (mode == FULL && access(path, F_OK) != 0) return full();             \
            if (mode == KILL) die();                                                \
        }                                                                           \
        return REAL(name)(path, flags, bits);                                       \
    }

OPEN(open)
OPEN(open64)
