// thread_habits many|few: adds up numbers in pieces. A new thread adds up each piece, or four
// threads take the pieces one after the other. Prints the number of threads and the sum.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { kPieces = 4000, kAtOnce = 4, kNumbers = 20000 };

static atomic_int g_next;
static atomic_ulong g_sum;

__attribute__((noinline)) static void add_up(int piece) {
  unsigned long sum = 0;
  for (volatile int i = 0; i < kNumbers; ++i) sum += (unsigned long)(i ^ piece);
  atomic_fetch_add(&g_sum, sum);
}

static void* one_piece(void* piece) {
  add_up((int)(long)piece);
  return NULL;
}

static void* all_pieces(void* unused) {
  (void)unused;
  for (int piece = atomic_fetch_add(&g_next, 1); piece < kPieces;
       piece = atomic_fetch_add(&g_next, 1))
    add_up(piece);
  return NULL;
}

__attribute__((noinline)) static void run(void* (*work)(void*), long first) {
  pthread_t threads[kAtOnce];
  for (long i = 0; i < kAtOnce; ++i) pthread_create(&threads[i], NULL, work, (void*)(first + i));
  for (int i = 0; i < kAtOnce; ++i) pthread_join(threads[i], NULL);
}

int main(int count, char** arguments) {
  const int many = count > 1 && strcmp(arguments[1], "many") == 0;
  if (many)
    for (long piece = 0; piece < kPieces; piece += kAtOnce) run(one_piece, piece);
  else
    run(all_pieces, 0);
  printf("%d %lu\n", many ? kPieces : kAtOnce, atomic_load(&g_sum));
  return 0;
}
