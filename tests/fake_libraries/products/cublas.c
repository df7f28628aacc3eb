#include <string.h>

#include "products.h"

#define UNUSED(name) (void)(name)

// Succeeds if the sizes are possible and the integers after the pointers have arrived.
static int result_of(int64_t m, int64_t n, int64_t last) {
  return m >= 0 && n >= 0 && last >= 0 ? kSuccess : kInvalidValue;
}

int cublasSgemm_v2(void* handle, int transa, int transb, int m, int n, int k, const float* alpha,
                   const float* a, int lda, const float* b, int ldb, const float* beta, float* c,
                   int ldc) {
  UNUSED(handle), UNUSED(transa), UNUSED(transb), UNUSED(k), UNUSED(alpha), UNUSED(a), UNUSED(lda);
  UNUSED(b), UNUSED(ldb), UNUSED(beta), UNUSED(c);
  return result_of(m, n, ldc);
}

int cublasDgemm_v2_64(void* handle, int transa, int transb, int64_t m, int64_t n, int64_t k,
                      const double* alpha, const double* a, int64_t lda, const double* b,
                      int64_t ldb, const double* beta, double* c, int64_t ldc) {
  UNUSED(handle), UNUSED(transa), UNUSED(transb), UNUSED(k), UNUSED(alpha), UNUSED(a), UNUSED(lda);
  UNUSED(b), UNUSED(ldb), UNUSED(beta), UNUSED(c);
  return result_of(m, n, ldc);
}

int cublasGemmEx(void* handle, int transa, int transb, int m, int n, int k, const void* alpha,
                 const void* a, int type_a, int lda, const void* b, int type_b, int ldb,
                 const void* beta, void* c, int type_c, int ldc, int compute, int algorithm) {
  UNUSED(lda), UNUSED(ldb), UNUSED(ldc), UNUSED(algorithm);
  OperationHandle operation = make_operation(compute, transa, transb, 1);
  LayoutHandle of_a = make_layout((uint32_t)type_a, (uint64_t)(transa == kN ? m : k),
                                  (uint64_t)(transa == kN ? k : m), 1, 0);
  LayoutHandle of_b = make_layout((uint32_t)type_b, (uint64_t)(transb == kN ? k : n),
                                  (uint64_t)(transb == kN ? n : k), 1, 0);
  LayoutHandle of_c = make_layout((uint32_t)type_c, (uint64_t)m, (uint64_t)n, 1, 0);
  const int status = cublasLtMatmul(handle, operation, alpha, a, of_a, b, of_b, beta, c, of_c, c,
                                    of_c, NULL, NULL, 0, NULL);
  destroy(operation), destroy(of_a), destroy(of_b), destroy(of_c);
  return status;
}

int cublasGemmStridedBatchedEx(void* handle, int transa, int transb, int m, int n, int k,
                               const void* alpha, const void* a, int type_a, int lda,
                               long long stride_a, const void* b, int type_b, int ldb,
                               long long stride_b, const void* beta, void* c, int type_c, int ldc,
                               long long stride_c, int batch, int compute, int algorithm) {
  UNUSED(handle), UNUSED(transa), UNUSED(transb), UNUSED(k), UNUSED(alpha), UNUSED(a);
  UNUSED(type_a), UNUSED(lda), UNUSED(stride_a), UNUSED(b), UNUSED(type_b), UNUSED(ldb);
  UNUSED(stride_b), UNUSED(beta), UNUSED(c), UNUSED(type_c), UNUSED(ldc), UNUSED(stride_c);
  UNUSED(batch), UNUSED(compute);
  return result_of(m, n, algorithm);
}

int cublasHgemmStridedBatched_64(void* handle, int transa, int transb, int64_t m, int64_t n,
                                 int64_t k, const void* alpha, const void* a, int64_t lda,
                                 long long stride_a, const void* b, int64_t ldb, long long stride_b,
                                 const void* beta, void* c, int64_t ldc, long long stride_c,
                                 int64_t batch) {
  UNUSED(handle), UNUSED(transa), UNUSED(transb), UNUSED(k), UNUSED(alpha), UNUSED(a), UNUSED(lda);
  UNUSED(stride_a), UNUSED(b), UNUSED(ldb), UNUSED(stride_b), UNUSED(beta), UNUSED(c), UNUSED(ldc);
  UNUSED(stride_c);
  return result_of(m, n, batch);
}

int cublasSgemmBatched(void* handle, int transa, int transb, int m, int n, int k,
                       const float* alpha, const float* const* a, int lda, const float* const* b,
                       int ldb, const float* beta, float* const* c, int ldc, int batch) {
  UNUSED(handle), UNUSED(transa), UNUSED(transb), UNUSED(k), UNUSED(alpha), UNUSED(a), UNUSED(lda);
  UNUSED(b), UNUSED(ldb), UNUSED(beta), UNUSED(c), UNUSED(ldc);
  return result_of(m, n, batch);
}

int cublasTSSgemvBatched(void* handle, int trans, int m, int n, const float* alpha,
                         const void* const* a, int lda, const void* const* x, int incx,
                         const float* beta, float* const* y, int incy, int batch) {
  UNUSED(handle), UNUSED(trans), UNUSED(alpha), UNUSED(a), UNUSED(lda), UNUSED(x), UNUSED(incx);
  UNUSED(beta), UNUSED(y), UNUSED(incy);
  return result_of(m, n, batch);
}

int cublasDsyrk_v2(void* handle, int uplo, int trans, int n, int k, const double* alpha,
                   const double* a, int lda, const double* beta, double* c, int ldc) {
  UNUSED(handle), UNUSED(uplo), UNUSED(trans), UNUSED(alpha), UNUSED(a), UNUSED(lda);
  UNUSED(beta), UNUSED(c);
  return result_of(n, k, ldc);
}

int cublasSsymm_v2(void* handle, int side, int uplo, int m, int n, const float* alpha,
                   const float* a, int lda, const float* b, int ldb, const float* beta, float* c,
                   int ldc) {
  UNUSED(handle), UNUSED(side), UNUSED(uplo), UNUSED(alpha), UNUSED(a), UNUSED(lda), UNUSED(b);
  UNUSED(ldb), UNUSED(beta), UNUSED(c);
  return result_of(m, n, ldc);
}

int cublasStrsm_v2(void* handle, int side, int uplo, int trans, int diag, int m, int n,
                   const float* alpha, const float* a, int lda, float* b, int ldb) {
  UNUSED(handle), UNUSED(side), UNUSED(uplo), UNUSED(trans), UNUSED(diag), UNUSED(alpha);
  UNUSED(a), UNUSED(lda), UNUSED(b);
  return result_of(m, n, ldb);
}

void cublasSgemm(char transa, char transb, int m, int n, int k, float alpha, const float* a,
                 int lda, const float* b, int ldb, float beta, float* c, int ldc) {
  UNUSED(transa), UNUSED(transb), UNUSED(m), UNUSED(n), UNUSED(k), UNUSED(alpha), UNUSED(a);
  UNUSED(lda), UNUSED(b), UNUSED(ldb), UNUSED(beta), UNUSED(c), UNUSED(ldc);
}
