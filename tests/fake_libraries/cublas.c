#include <string.h>

#include "fakes.h"

int cublasGemmEx(int64_t a, int b, int c, int64_t d, int64_t e, int64_t f, const void* g, int h,
                 int i, int j, int k, int64_t l, const void* m, int n, int64_t o, int p, int q,
                 int64_t r, int s, int t, int u, const void* v) {
  const int whole = a == -1 && b == 2 && c == 3 && d == 4LL << 40 && e == 5 && f == 6 &&
                    g == (const void*)7 && h == -8 && i == 9 && j == 10 && k == 11 &&
                    l == -12LL * (1LL << 33) && m == (const void*)13 && n == 14 && o == 15 &&
                    p == 16 && q == -17 && r == 18LL << 50 && s == 19 && t == 20 && u == 21 &&
                    v == (const void*)22;
  return whole ? 0 : 13;
}

int cublasDgemm_v2(double a, float b, int64_t c, double d, double e, float f, double g, double h,
                   float i, int64_t j, int64_t k, double l, int64_t m, int64_t n, int64_t o,
                   float p, double q, int r) {
  const int whole = a == 1.5 && b == 2.5F && c == 3 && d == 4.5 && e == 5.5 && f == 6.5F &&
                    g == 7.5 && h == 8.5 && i == 9.5F && j == 10 && k == 11 && l == 12.5 &&
                    m == 13 && n == 14 && o == 15 && p == 16.5F && q == 17.5 && r == 18;
  return whole ? 0 : 13;
}

static int is(Complex number, double value) {
  return number.real == value && number.imaginary == -value;
}

int cublasZaxpy_v2(Complex a, Complex b, Complex c, Complex d, Complex e, double f) {
  return is(a, 1) && is(b, 2) && is(c, 3) && is(d, 4) && is(e, 5) && f == 6 ? 0 : 13;
}

int cublasLtMatmul(Pair a, Pair b, Pair c, Pair d, Block e, int f) {
  int whole = a.low == 1 && a.high == 2 && b.low == 3 && b.high == 4 && c.low == 5 && c.high == 6 &&
              d.low == 7 && d.high == 8 && f == 9;
  for (int i = 0; i < 64; ++i) whole &= e.bytes[i] == i;
  return whole ? 0 : 13;
}

double cublasDdot(double a, float b, int c) { return a * b + c; }

Complex cublasZdotu(int a, Complex b) {
  const Complex result = {b.imaginary * a, b.real * a};
  return result;
}

void cublasXerbla(const char* name, int info) { *(int*)name = info; }

const char* cublasGetStatusName(int status) { return status == 0 ? "FAKE_SUCCESS" : "FAKE_ERROR"; }

int cublasCreate_v2(void** handle) {
  *handle = handle;
  return 0;
}

int cublasSetLoggerCallback(void (*callback)(void)) {
  callback();
  return 0;
}
