// Loaded before the C library: no file can be locked, and the date is as many seconds off as AHEAD says.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

int flock(int file, int operation)
{
    errno = ENOLCK;
    return -1;
}

int clock_gettime(clockid_t which, struct timespec *now)
{
    // Asked for once: dlsym waits while another thread loads a library, which may wait for this one.
    static int (*own)(clockid_t, struct timespec *);
    if (!own)
        own = dlsym(RTLD_NEXT, "clock_gettime");
    const char *ahead = getenv("AHEAD");
    int status = own(which, now);
    if (which == CLOCK_REALTIME && ahead)
        now->tv_sec += atol(ahead);
    return status;
}
