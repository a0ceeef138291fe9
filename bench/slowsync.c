/* Makes a fast disk behave like a slow one: waits SLOWSYNC_US microseconds before each fsync and fdatasync.
 *
 *   cc -shared -fPIC -O2 -o slowsync.so slowsync.c
 *   SLOWSYNC_US=2000 LD_PRELOAD=./slowsync.so python -m bench.store_pipeline
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void wait_a_while(void)
{
    const char *text = getenv("SLOWSYNC_US");
    long microseconds = text ? strtol(text, NULL, 10) : 0;
    struct timespec left = {microseconds / 1000000, (microseconds % 1000000) * 1000};

    while (microseconds > 0 && nanosleep(&left, &left) == -1 && errno == EINTR)
        continue;
}

int fsync(int descriptor)
{
    wait_a_while();
    return (int)syscall(SYS_fsync, descriptor);
}

int fdatasync(int descriptor)
{
    wait_a_while();
    return (int)syscall(SYS_fdatasync, descriptor);
}
