/* Known-answer programs print what a profiler must find, as one JSON object on stdout. */
#pragma once
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline int thread_id(void) { return (int)syscall(SYS_gettid); }
