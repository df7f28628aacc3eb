/* Calls every traced function, and counts the calls under the name that they are recorded by.
 * Calls that must not be counted are made by other threads than the main thread. */
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Calls `function` once. */
#define CALL(function, ...) (count(#function, #function), function(__VA_ARGS__))
/* Calls `symbol` once. The call is recorded as `name`. */
#define ALIAS(symbol, name, ...) (count(#symbol, #name), symbol(__VA_ARGS__))

void count(const char* symbol, const char* name);

/* Runs `act` on `object` in another thread. */
struct helper {
  void (*act)(struct helper*);
  void* object;
  volatile int has_begun; /* what it holds is held */
  volatile int is_wanted; /* the main thread is about to wait for that */
  pthread_t thread;
};
void start(struct helper* helper, void (*act)(struct helper*), void* object);
void finish(struct helper* helper);
/* For helper threads: long enough that the main thread is waiting. */
void give_time(void);

void call_files(void);
void call_paths(void);
void call_stdio(void);
void call_waits(void);
void call_threads(void);
void call_processes(void);
void call_sockets(void);
void call_ipc(void);
void call_memory(void);
