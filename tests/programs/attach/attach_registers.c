// Checks that nothing of a thread changes while prof attaches: integer and vector registers across
// a system call and in a loop of instructions, the time that sleeps take, and errno. One thread
// sleeps, one computes. Ends with status 0 when its input ends, and says what was different.
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile int g_end;
static volatile long g_errors;

static void complain(const char* what, long number) {
  __atomic_add_fetch(&g_errors, 1, __ATOMIC_RELAXED);
  fprintf(stderr, "%s: %ld\n", what, number);
}

// A sleep of 20 ms with all vector registers set. It is a system call that the kernel restarts.
static void* sleep_and_check(void* unused) {
  (void)unused;
  while (!g_end) {
    struct timespec duration = {0, 20000000};
    uint8_t before[16 * 16], after[16 * 16];
    for (int i = 0; i < 256; ++i) before[i] = (uint8_t)(i * 7 + 3);
    long result = 35;  // nanosleep
    register uint64_t r12 asm("r12") = 0x1212121212121212, r13 asm("r13") = 0x1313131313131313;
    register uint64_t r14 asm("r14") = 0x1414141414141414, r15 asm("r15") = 0x1515151515151515;
    register uint64_t r10 asm("r10") = 0x1010101010101010, r8 asm("r8") = 0x0808080808080808;
    asm volatile(
        "movdqu 0x00(%[from]), %%xmm0\n movdqu 0x10(%[from]), %%xmm1\n"
        "movdqu 0x20(%[from]), %%xmm2\n movdqu 0x30(%[from]), %%xmm3\n"
        "movdqu 0x70(%[from]), %%xmm7\n movdqu 0xf0(%[from]), %%xmm15\n"
        "syscall\n"
        "movdqu %%xmm0, 0x00(%[to])\n movdqu %%xmm1, 0x10(%[to])\n"
        "movdqu %%xmm2, 0x20(%[to])\n movdqu %%xmm3, 0x30(%[to])\n"
        "movdqu %%xmm7, 0x70(%[to])\n movdqu %%xmm15, 0xf0(%[to])\n"
        : "+a"(result), "+r"(r12), "+r"(r13), "+r"(r14), "+r"(r15), "+r"(r10), "+r"(r8)
        : "D"(&duration), "S"(0), [from] "b"(before), [to] "d"(after)
        : "rcx", "r11", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm7", "xmm15");
    // Before any call, which may change some of them.
    const int kept = r12 == 0x1212121212121212 && r13 == 0x1313131313131313 &&
                     r14 == 0x1414141414141414 && r15 == 0x1515151515151515 &&
                     r10 == 0x1010101010101010 && r8 == 0x0808080808080808;
    if (result != 0) complain("nanosleep returned", result);
    if (memcmp(before, after, 64) != 0 || memcmp(before + 112, after + 112, 16) != 0 ||
        memcmp(before + 240, after + 240, 16) != 0)
      complain("vector registers", 0);
    if (!kept) complain("registers", 0);
    // libc's own waits: an interruption would be seen.
    errno = 0;
    if (nanosleep(&duration, NULL) != 0 || errno != 0) complain("errno after nanosleep", errno);
    if (poll(NULL, 0, 20) != 0 || errno != 0) complain("errno after poll", errno);
  }
  return NULL;
}

static void* compute_and_check(void* unused) {
  (void)unused;
  while (!g_end) {
    double sum = 0;
    uint64_t state = 1;
    for (int i = 1; i < 200000; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      sum += 1.0 / i;
    }
    static uint64_t first_state;
    static double first_sum;
    if (first_state == 0) {
      first_sum = sum;
      first_state = state;
    }
    if (state != first_state || sum != first_sum) complain("computed something else", 0);
  }
  return NULL;
}

int main(void) {
  pthread_t sleeping, computing;
  pthread_create(&sleeping, NULL, sleep_and_check, NULL);
  pthread_create(&computing, NULL, compute_and_check, NULL);
  printf("ready\n");
  fflush(stdout);
  char byte;
  while (read(STDIN_FILENO, &byte, 1) == 1) {
  }
  g_end = 1;
  pthread_join(sleeping, NULL);
  pthread_join(computing, NULL);
  return g_errors == 0 ? 0 : 1;
}
