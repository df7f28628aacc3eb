#include "work.h"

#include <stdio.h>
#include <string.h>

#include "fakes.h"

static Complex number(double value) {
  const Complex result = {value, -value};
  return result;
}

static Pair pair(int64_t low) {
  const Pair result = {low, low + 1};
  return result;
}

static int cublas(void) {
  Block block;
  for (int i = 0; i < 64; ++i) block.bytes[i] = (unsigned char)i;
  int wrong = cublasGemmEx(-1, 2, 3, 4LL << 40, 5, 6, (void*)7, -8, 9, 10, 11, -12LL * (1LL << 33),
                           (void*)13, 14, 15, 16, -17, 18LL << 50, 19, 20, 21, (void*)22) != 0;
  wrong += cublasDgemm_v2(1.5, 2.5F, 3, 4.5, 5.5, 6.5F, 7.5, 8.5, 9.5F, 10, 11, 12.5, 13, 14, 15,
                          16.5F, 17.5, 18) != 0;
  wrong += cublasZaxpy_v2(number(1), number(2), number(3), number(4), number(5), 6) != 0;
  wrong += cublasLtMatmul(pair(1), pair(3), pair(5), pair(7), block, 9) != 0;
  wrong += cublasDdot(2.5, 4.0F, 3) != 13.0;
  const Complex dot = cublasZdotu(3, number(2));
  wrong += dot.real != -6 || dot.imaginary != 6;
  int info = 0;
  cublasXerbla((const char*)&info, 7);
  wrong += info != 7;
  return wrong + (strcmp(cublasGetStatusName(0), "FAKE_SUCCESS") != 0);
}

static int cudnn(void) {
  const int64_t a[] = {1, 2, 3, 4, 5, 6};
  void* handle = NULL;
  int wrong = cudnnCreate(&handle) != 0 || handle == NULL;
  wrong += cudnnGetVersion() != 91300LL << 32;
  wrong += strcmp(cudnnGetErrorString(1), "FAKE_ERROR") != 0;
  return wrong + (cudnnNormalizationBackward(a, a + 1, a + 2, a + 3, a + 4, a + 5, 1, 2, 3, 4, 5, 6,
                                             7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
                                             21, 22, 23, 24, 25, 26, 27) != 0);
}

static int nccl(void) {
  UniqueId id;
  for (int i = 0; i < 128; ++i) id.bytes[i] = (unsigned char)(255 - i);
  void* communicator = NULL;
  int wrong = ncclCommInitRank(&communicator, 8, id, 3) != 0;
  wrong += strcmp(ncclGetErrorString(0), "fake success") != 0;
  return wrong + (ncclAllReduce(&id, &id, 1ULL << 40, 7, 0, communicator, (void*)-1) != 0);
}

int work(int rounds) {
  int wrong = 0;
  for (int i = 0; i < rounds; ++i) {
    void* handle = NULL;
    wrong += cublas() + cudnn() + nccl() + (cusolverDnCreate(&handle) != 0 || handle == NULL);
  }
  return wrong;
}

void print_answer(int rounds, int wrong) {
  printf(
      "{\"wrong\": %d, \"cublas\": {\"cublasGemmEx\": %d, \"cublasDgemm_v2\": %d, "
      "\"cublasZaxpy_v2\": %d, \"cublasLtMatmul\": %d, \"cublasDdot\": %d, \"cublasZdotu\": %d, "
      "\"cublasXerbla\": %d, \"cublasGetStatusName\": %d, \"cublasCreate_v2\": %d}, ",
      wrong, rounds, rounds, rounds, rounds, rounds, rounds, rounds, rounds, 2 * rounds);
  printf(
      "\"cudnn\": {\"cudnnCreate\": %d, \"cudnnGetVersion\": %d, \"cudnnGetErrorString\": %d, "
      "\"cudnnNormalizationBackward\": %d}, ",
      rounds, rounds, rounds, rounds);
  printf("\"cusolver\": {\"cusolverDnCreate\": %d}, \"cusparse\": {\"cusparseCreate\": %d}, ",
         rounds, rounds);
  printf(
      "\"nccl\": {\"ncclCommInitRank\": %d, \"ncclGetErrorString\": %d, \"ncclAllReduce\": "
      "%d}}\n",
      rounds, rounds, rounds);
  fflush(stdout);
}

// Called by dlopened.c and Python in the plugin.
int run(void) {
  const int wrong = work(5);
  print_answer(5, wrong);
  return wrong;
}
