#include "fakes.h"

int cudnnCreate(void** handle) {
  *handle = handle;
  return 0;
}

const char* cudnnGetErrorString(int status) { return status == 0 ? "FAKE_SUCCESS" : "FAKE_ERROR"; }

int64_t cudnnGetVersion(void) { return 91300LL << 32; }

int cudnnNormalizationBackward(const int64_t* a1, const int64_t* a2, const int64_t* a3,
                               const int64_t* a4, const int64_t* a5, const int64_t* a6, int64_t b1,
                               int64_t b2, int64_t b3, int64_t b4, int64_t b5, int64_t b6,
                               int64_t b7, int64_t b8, int64_t b9, int64_t c1, int64_t c2,
                               int64_t c3, int64_t c4, int64_t c5, int64_t c6, int64_t c7,
                               int64_t c8, int64_t c9, int64_t d1, int64_t d2, int64_t d3,
                               int64_t d4, int64_t d5, int64_t d6, int64_t d7, int64_t d8,
                               int64_t d9) {
  const int64_t sum = b1 + 2 * b2 + 3 * b3 + 4 * b4 + 5 * b5 + 6 * b6 + 7 * b7 + 8 * b8 + 9 * b9 +
                      10 * c1 + 11 * c2 + 12 * c3 + 13 * c4 + 14 * c5 + 15 * c6 + 16 * c7 +
                      17 * c8 + 18 * c9 + 19 * d1 + 20 * d2 + 21 * d3 + 22 * d4 + 23 * d5 +
                      24 * d6 + 25 * d7 + 26 * d8 + 27 * d9;
  return *a1 == 1 && *a2 == 2 && *a3 == 3 && *a4 == 4 && *a5 == 5 && *a6 == 6 && sum == 6930 ? 0
                                                                                             : 13;
}
