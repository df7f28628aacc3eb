// Calls functions that multiply matrices, and prints what a profiler has to find: a line with the
// function and the columns of PROF_MATRIX_PRODUCTS for each call that computes something.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "products.h"

// Kinds of products.
enum { kGeneral, kVector, kSymmetric, kRankK, kRankKx, kRank2K, kTriangular, kSolve };

static int wrong = 0;

static void expect(int status, const char* name, int kind, long m, long n, long k, long batch,
                   const char* rest) {
  wrong += status != kSuccess;
  printf("[\"%s\", %d, %ld, %ld, %ld, %ld, %s]\n", name, kind, m, n, k, batch, rest);
}

static void general(void) {
  int handle;
  expect(cublasSgemm_v2(&handle, kN, kT, 7, 5, 3, NULL, NULL, 7, NULL, 5, NULL, NULL, 7),
         "cublasSgemm_v2", kGeneral, 7, 5, 3, 1, "0, 1, 0, 0, 0, null, null, 0, 0");
  const int64_t many = 5000000000;
  expect(cublasDgemm_v2_64(&handle, kT, kC, many, 2, 1, NULL, NULL, 1, NULL, 2, NULL, NULL, many),
         "cublasDgemm_v2_64", kGeneral, many, 2, 1, 1, "1, 2, 1, 1, 1, null, null, 0, 0");
  // A product of matrices row by row has the arguments of the transposed one.
  expect(cublasGemmEx(&handle, kT, kN, 64, 128, 32, NULL, NULL, kR16BF, 32, NULL, kR16BF, 32, NULL,
                      NULL, kR32F, 64, kCompute32F, -1),
         "cublasGemmEx", kGeneral, 64, 128, 32, 1, "1, 0, 14, 14, 0, 68, null, 0, 0");
  printf("[\"cublasLtMatmul\", 0, 64, 128, 32, 1, 1, 0, 14, 14, 0, 68, 1, 0, 0]\n");
  expect(cublasGemmStridedBatchedEx(&handle, kN, kN, 8, 9, 10, NULL, NULL, kR16F, 8, 0, NULL, kR16F,
                                    10, 90, NULL, NULL, kR16F, 8, 72, 6, kFastTf32, 0),
         "cublasGemmStridedBatchedEx", kGeneral, 8, 9, 10, 6, "0, 0, 2, 2, 2, 77, null, 1, 0");
  expect(cublasHgemmStridedBatched_64(&handle, kT, kT, 11, 12, 13, NULL, NULL, 13, 1LL << 40, NULL,
                                      12, 0, NULL, NULL, 11, 132, 3),
         "cublasHgemmStridedBatched_64", kGeneral, 11, 12, 13, 3,
         "1, 1, 2, 2, 2, null, null, 0, 1");
  expect(
      cublasSgemmBatched(&handle, kN, kN, 14, 15, 16, NULL, NULL, 14, NULL, 16, NULL, NULL, 14, 17),
      "cublasSgemmBatched", kGeneral, 14, 15, 16, 17, "0, 0, 0, 0, 0, null, null, 0, 0");
  cublasSgemm('t', 'N', 18, 19, 20, 1.5F, NULL, 20, NULL, 20, 2.5F, NULL, 18);
  expect(kSuccess, "cublasSgemm", kGeneral, 18, 19, 20, 1, "1, 0, 0, 0, 0, null, null, 0, 0");
}

static void others(void) {
  int handle;
  expect(cublasTSSgemvBatched(&handle, kT, 21, 22, NULL, NULL, 21, NULL, 1, NULL, NULL, 1, 4),
         "cublasTSSgemvBatched", kVector, 22, 1, 21, 4, "1, 0, 14, 14, 0, null, null, 0, 0");
  expect(cublasDsyrk_v2(&handle, 0, kN, 23, 24, NULL, NULL, 23, NULL, NULL, 23), "cublasDsyrk_v2",
         kRankK, 23, 23, 24, 1, "0, 0, 1, 1, 1, null, null, 0, 0");
  expect(cublasSsymm_v2(&handle, 0, 0, 25, 26, NULL, NULL, 25, NULL, 25, NULL, NULL, 25),
         "cublasSsymm_v2", kSymmetric, 25, 26, 25, 1, "0, 0, 0, 0, 0, null, null, 0, 0");
  expect(cublasStrsm_v2(&handle, 1, 0, kT, 0, 27, 28, NULL, NULL, 28, NULL, 27), "cublasStrsm_v2",
         kSolve, 27, 28, 28, 1, "1, 0, 0, 0, 0, null, null, 0, 0");
}

static int multiply(void* handle, OperationHandle operation, LayoutHandle a, LayoutHandle b,
                    LayoutHandle d) {
  return cublasLtMatmul(handle, operation, NULL, NULL, a, NULL, b, NULL, NULL, d, NULL, d, NULL,
                        NULL, 0, NULL);
}

static void descriptors(void) {
  int handle;
  OperationHandle operation = make_operation(kCompute32F, kT, kN, 4 | 32);
  LayoutHandle a = make_layout(kE4M3, 48, 32, 2, 0);
  LayoutHandle b = make_layout(kE4M3, 48, 16, 2, 768);
  LayoutHandle d = make_layout(kR16BF, 32, 16, 2, 512);
  expect(multiply(&handle, operation, a, b, d), "cublasLtMatmul", kGeneral, 32, 16, 48, 2,
         "1, 0, 28, 28, 14, 68, 36, 1, 0");
  // These compute nothing, and have no product.
  int garbage[64];
  memset(garbage, -1, sizeof garbage);
  wrong += multiply(&handle, NULL, a, b, d) == kSuccess;
  wrong += multiply(&handle, operation, NULL, NULL, NULL) == kSuccess;
  wrong += multiply(NULL, (OperationHandle)garbage, (LayoutHandle)8, (LayoutHandle)-1,
                    (LayoutHandle)garbage) == kSuccess;
  wrong +=
      cublasSgemm_v2(&handle, kN, kN, -1, 5, 3, NULL, NULL, 7, NULL, 5, NULL, NULL, 7) == kSuccess;
  destroy(operation), destroy(a), destroy(b), destroy(d);
}

int main(int count, char** arguments) {
  const int rounds = count > 1 ? atoi(arguments[1]) : 1;
  for (int round = 0; round < rounds; ++round) {
    general();
    others();
    descriptors();
  }
  return wrong != 0;
}
