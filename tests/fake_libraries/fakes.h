// The functions of the stand-ins. Each returns 0 if its arguments are those that work.c passes. The
// checks have the order of the parameters.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double real, imaginary;
} Complex;  // 16 bytes: two vector registers, or the stack when they are used up

typedef struct {
  int64_t low, high;
} Pair;  // 16 bytes: two integer registers, or the stack

typedef struct {
  unsigned char bytes[64];
} Block;  // on the stack

typedef struct {
  unsigned char bytes[128];
} UniqueId;  // on the stack, as in ncclCommInitRank

// 22 words of parameters, as many as the longest of cuBLAS; 16 of them on the stack.
int cublasGemmEx(int64_t a, int b, int c, int64_t d, int64_t e, int64_t f, const void* g, int h,
                 int i, int j, int k, int64_t l, const void* m, int n, int64_t o, int p, int q,
                 int64_t r, int s, int t, int u, const void* v);
// Floating point in registers and, from the ninth on, between integers on the stack.
int cublasDgemm_v2(double a, float b, int64_t c, double d, double e, float f, double g, double h,
                   float i, int64_t j, int64_t k, double l, int64_t m, int64_t n, int64_t o,
                   float p, double q, int r);
int cublasZaxpy_v2(Complex a, Complex b, Complex c, Complex d, Complex e, double f);
int cublasLtMatmul(Pair a, Pair b, Pair c, Pair d, Block e, int f);
double cublasDdot(double a, float b, int c);
Complex cublasZdotu(int a, Complex b);
void cublasXerbla(const char* name, int info);
const char* cublasGetStatusName(int status);
int cublasCreate_v2(void** handle);
// Calls the callback.
int cublasSetLoggerCallback(void (*callback)(void));

int cudnnCreate(void** handle);
const char* cudnnGetErrorString(int status);
int64_t cudnnGetVersion(void);
// 27 words on the stack: more than any function in the headers.
int cudnnNormalizationBackward(const int64_t* a1, const int64_t* a2, const int64_t* a3,
                               const int64_t* a4, const int64_t* a5, const int64_t* a6, int64_t b1,
                               int64_t b2, int64_t b3, int64_t b4, int64_t b5, int64_t b6,
                               int64_t b7, int64_t b8, int64_t b9, int64_t c1, int64_t c2,
                               int64_t c3, int64_t c4, int64_t c5, int64_t c6, int64_t c7,
                               int64_t c8, int64_t c9, int64_t d1, int64_t d2, int64_t d3,
                               int64_t d4, int64_t d5, int64_t d6, int64_t d7, int64_t d8,
                               int64_t d9);

// Calls cublasCreate_v2 twice and cusparseCreate once.
int cusolverDnCreate(void** handle);
int cusparseCreate(void** handle);

int ncclCommInitRank(void** communicator, int ranks, UniqueId id, int rank);
const char* ncclGetErrorString(int result);
int ncclAllReduce(const void* from, void* to, uint64_t count, int type, int operation,
                  void* communicator, void* stream);

#ifdef __cplusplus
}
#endif
