// Stops (int3 or a fault) at the place named by the first argument, 30 calls deep.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define APART __attribute__((noinline, noclone))

static void (*volatile g_nowhere)(void);
static volatile int g_sum;

static inline __attribute__((always_inline)) void breakpoint(void) { __asm__ volatile("int3"); }

static APART void stop(void) {
  breakpoint();
  ++g_sum;
}

static APART void call_null(void) {
  g_nowhere();
  ++g_sum;
}

// push %rbp; mov %rsp,%rbp; sub $32,%rsp; call *%rdi; leave; ret
static const unsigned char kCode[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x83,
                                      0xec, 0x20, 0xff, 0xd7, 0xc9, 0xc3};

static APART void through_jit(void) {
  void* code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(code, kCode, sizeof kCode);
  mprotect(code, 4096, PROT_READ | PROT_EXEC);
  ((void (*)(void (*)(void)))code)(stop);
  ++g_sum;
}

static APART int recurse(int depth, void (*then)(void)) {
  volatile int local[5] = {depth};
  if (depth == 0)
    then();
  else
    local[1] = recurse(depth - 1, then);
  return local[0] + local[1];
}

int main(int count, char** words) {
  const char* what = count > 1 ? words[1] : "";
  void (*then)(void) = strcmp(what, "null") == 0  ? call_null
                       : strcmp(what, "jit") == 0 ? through_jit
                                                  : stop;
  return recurse(30, then) + g_sum == -1;
}
