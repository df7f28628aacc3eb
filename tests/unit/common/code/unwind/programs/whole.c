// A small program with code that is hard to unwind. The test steps through it from its first
// instruction.
#include <alloca.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define APART __attribute__((noinline, noclone))

static volatile int g_sum;
static jmp_buf g_back;

static APART int recurse(int depth) {
  volatile int local[3] = {depth, 1, 2};
  if (depth == 0) return local[1];
  return recurse(depth - 1) + local[2];
}

static APART int with_alloca(int size) {
  volatile char* bytes = alloca((size_t)size);
  bytes[size - 1] = 3;
  return recurse(bytes[size - 1]);
}

// A leaf function that uses memory below its stack pointer.
static APART int red_zone(int a) {
  volatile int values[8];
  for (int i = 0; i < 8; ++i) values[i] = a + i;
  return values[a & 7];
}

// A function whose frame has a larger alignment than the ABI requires.
static APART int aligned(int a) {
  volatile int values[16] __attribute__((aligned(64)));
  values[a & 15] = a;
  g_sum += red_zone(a);
  return values[a & 15];
}

static APART __attribute__((noreturn)) void give_up(int value) {
  g_sum += value;
  longjmp(g_back, 1);
}

// Ends with a call, so the return address is in the next function.
static APART __attribute__((noreturn)) void ends_with_call(int value) { give_up(value + g_sum); }

static int compare(const void* a, const void* b) {
  return *(const int*)a - *(const int*)b + red_zone(0);
}

static void on_signal(int number) { g_sum += recurse(3) + number; }

static void on_exit_of_program(void) { g_sum += recurse(2); }

int main(int count, char** words) {
  int values[12];
  for (int i = 0; i < 12; ++i) values[i] = (i * 7) % 12;
  qsort(values, 12, sizeof values[0], compare);
  char* text = malloc(100);
  snprintf(text, 100, "%s %d %5.2f", "text", values[3], 1.5);
  char* copy = strdup(text);
  g_sum += recurse(30) + with_alloca(200) + aligned(5);
  if (setjmp(g_back) == 0) ends_with_call(4);
  signal(SIGUSR1, on_signal);
  raise(SIGUSR1);
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (count > 1) {
    void* library = dlopen(words[1], RTLD_NOW);
    int (*call)(int (*)(int), int) = (int (*)(int (*)(int), int))dlsym(library, "call_back");
    if (call == NULL) return 1;
    g_sum += call(recurse, 4);
    dlclose(library);
  }
  atexit(on_exit_of_program);
  printf("%s %d\n", copy, g_sum > 0);
  free(copy);
  free(text);
  return 0;
}
