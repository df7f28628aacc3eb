// Generates code while it runs, as JIT compilers do, and describes it in a jitdump. Two functions
// take turns at one address and are "compiled" again each time; a third one is moved. Usage:
// acts_as_jit WAY. WAY is at_once, or late (the dump is written at the end, as by a buffer). The
// dump is written to the current folder. Prints the CPU time that each function took.
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LOAD = 0, MOVE = 1, UNWINDING_INFO = 4, CODE_BYTES = 30, ROUNDS = 40 };

// push %rbp; sub $48, %rsp; mov %rdi, %rcx; xor %ebp, %ebp; 1: dec %rcx; nop; jnz 1b; add $48,
// %rsp; pop %rbp; ret. The frame pointer is 0, so the caller can be found only with call frame
// information.
static const unsigned char kCode[CODE_BYTES] = {
    0x55, 0x48, 0x83, 0xec, 0x30, 0x48, 0x89, 0xf9, 0x31, 0xed, 0x48, 0xff, 0xc9,
    0x90, 0x75, 0xfa, 0x48, 0x83, 0xc4, 0x30, 0x5d, 0xc3, 0x90, 0x90, 0x90, 0x90,
};

static const unsigned char kEhFrame[] = {
    // CIE: "zR", addresses are relative; the return address is at the CFA - 8.
    0x14, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0,
    // FDE: 32 bytes (rounded up). They come after the code, with the bytes before this field.
    0x20, 0, 0, 0, 0x1c, 0, 0, 0, 0xc0, 0xff, 0xff, 0xff, CODE_BYTES, 0, 0, 0, 0, 0x41, 0x0e, 16,
    0x86, 2,         // after push
    0x44, 0x0e, 64,  // after sub
    0x4f, 0x0e, 16,  // after add
    0x41, 0x0e, 8,   // after pop
    0, 0, 0, 0, 0};

static char g_dump[1 << 16];
static size_t g_dump_bytes;
static int g_file;

static void put(const void* bytes, size_t size) {
  memcpy(g_dump + g_dump_bytes, bytes, size);
  g_dump_bytes += size;
}

static uint64_t now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void begin_record(uint32_t type, size_t bytes) {
  const uint32_t header[] = {type, (uint32_t)(16 + bytes)};
  const uint64_t time = now(CLOCK_MONOTONIC);
  put(header, sizeof header);
  put(&time, sizeof time);
}

static void flush_dump(void) {
  if (write(g_file, g_dump, g_dump_bytes) != (ssize_t)g_dump_bytes) abort();
  g_dump_bytes = 0;
}

static void open_dump(void) {
  char path[64];
  snprintf(path, sizeof path, "jit-%d.dump", (int)getpid());
  g_file = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
  const uint32_t numbers[] = {0x4A695444, 1, 40, EM_X86_64, 0, (uint32_t)getpid()};
  const uint64_t rest[] = {now(CLOCK_MONOTONIC), 0};
  put(numbers, sizeof numbers);
  put(rest, sizeof rest);
  flush_dump();
  if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, g_file, 0) == MAP_FAILED) abort();
}

static void write_ids(void) {
  const uint32_t ids[] = {(uint32_t)getpid(), (uint32_t)syscall(SYS_gettid)};
  put(ids, sizeof ids);
}

static void compile(unsigned char* at, const char* name) {
  static uint64_t index;
  memcpy(at, kCode, sizeof kCode);
  begin_record(UNWINDING_INFO, 24 + sizeof kEhFrame);
  const uint64_t sizes[] = {sizeof kEhFrame, 0, 0};
  put(sizes, sizeof sizes);
  put(kEhFrame, sizeof kEhFrame);
  begin_record(LOAD, 40 + strlen(name) + 1 + sizeof kCode);
  write_ids();
  const uint64_t address = (uint64_t)at, code[] = {address, address, sizeof kCode, ++index};
  put(code, sizeof code);
  put(name, strlen(name) + 1);
  put(kCode, sizeof kCode);
}

static void move(unsigned char* from, unsigned char* to) {
  memcpy(to, from, sizeof kCode);
  memset(from, 0xcc, sizeof kCode);
  begin_record(MOVE, 48);
  write_ids();
  const uint64_t code[] = {(uint64_t)to, (uint64_t)from, (uint64_t)to, sizeof kCode, 1};
  put(code, sizeof code);
}

__attribute__((noinline)) static double call_jit_code(unsigned char* code, long units) {
  const uint64_t begin = now(CLOCK_THREAD_CPUTIME_ID);
  ((void (*)(long))(uintptr_t)code)(units * 1500000);
  return (double)(now(CLOCK_THREAD_CPUTIME_ID) - begin) * 1e-9;
}

int main(int argc, char** argv) {
  const int is_late = argc > 1 && strcmp(argv[1], "late") == 0;
  unsigned char* code =
      mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  double spent[3] = {0};
  open_dump();
  for (int round = 0; round < ROUNDS; ++round) {
    const char* names[] = {"jit_half", "jit_third"};
    for (int i = 0; i < 2; ++i) {
      compile(code, names[i]);
      if (!is_late) flush_dump();
      spent[i] += call_jit_code(code, i == 0 ? 50 : 30);
    }
    compile(code, "jit_moved");
    move(code, code + 4096);
    if (!is_late) flush_dump();
    spent[2] += call_jit_code(code + 4096, 20);
  }
  flush_dump();
  const double whole = (spent[0] + spent[1] + spent[2]) / 100;
  printf("{\"jit_half\": %.2f, \"jit_third\": %.2f, \"jit_moved\": %.2f}\n", spent[0] / whole,
         spent[1] / whole, spent[2] / whole);
  return 0;
}
