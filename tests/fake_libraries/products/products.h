// Functions of cuBLAS and cuBLASLt that multiply matrices, with the parameters of the real ones.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { kSuccess = 0, kInvalidValue = 7 };
enum { kN = 0, kT = 1, kC = 2 };
enum { kR32F = 0, kR64F = 1, kR16F = 2, kC32F = 4, kR16BF = 14, kE4M3 = 28 };
enum { kCompute32F = 68, kCompute64F = 70, kFastTf32 = 77 };

int cublasSgemm_v2(void* handle, int transa, int transb, int m, int n, int k, const float* alpha,
                   const float* a, int lda, const float* b, int ldb, const float* beta, float* c,
                   int ldc);
int cublasDgemm_v2_64(void* handle, int transa, int transb, int64_t m, int64_t n, int64_t k,
                      const double* alpha, const double* a, int64_t lda, const double* b,
                      int64_t ldb, const double* beta, double* c, int64_t ldc);
// Computes by cublasLtMatmul.
int cublasGemmEx(void* handle, int transa, int transb, int m, int n, int k, const void* alpha,
                 const void* a, int type_a, int lda, const void* b, int type_b, int ldb,
                 const void* beta, void* c, int type_c, int ldc, int compute, int algorithm);
int cublasGemmStridedBatchedEx(void* handle, int transa, int transb, int m, int n, int k,
                               const void* alpha, const void* a, int type_a, int lda,
                               long long stride_a, const void* b, int type_b, int ldb,
                               long long stride_b, const void* beta, void* c, int type_c, int ldc,
                               long long stride_c, int batch, int compute, int algorithm);
int cublasHgemmStridedBatched_64(void* handle, int transa, int transb, int64_t m, int64_t n,
                                 int64_t k, const void* alpha, const void* a, int64_t lda,
                                 long long stride_a, const void* b, int64_t ldb, long long stride_b,
                                 const void* beta, void* c, int64_t ldc, long long stride_c,
                                 int64_t batch);
int cublasSgemmBatched(void* handle, int transa, int transb, int m, int n, int k,
                       const float* alpha, const float* const* a, int lda, const float* const* b,
                       int ldb, const float* beta, float* const* c, int ldc, int batch);
int cublasTSSgemvBatched(void* handle, int trans, int m, int n, const float* alpha,
                         const void* const* a, int lda, const void* const* x, int incx,
                         const float* beta, float* const* y, int incy, int batch);
int cublasDsyrk_v2(void* handle, int uplo, int trans, int n, int k, const double* alpha,
                   const double* a, int lda, const double* beta, double* c, int ldc);
int cublasSsymm_v2(void* handle, int side, int uplo, int m, int n, const float* alpha,
                   const float* a, int lda, const float* b, int ldb, const float* beta, float* c,
                   int ldc);
int cublasStrsm_v2(void* handle, int side, int uplo, int trans, int diag, int m, int n,
                   const float* alpha, const float* a, int lda, float* b, int ldb);
// The interface of cublas.h: letters, numbers by value, no status.
void cublasSgemm(char transa, char transb, int m, int n, int k, float alpha, const float* a,
                 int lda, const float* b, int ldb, float beta, float* c, int ldc);

typedef struct Layout* LayoutHandle;
typedef struct Operation* OperationHandle;

LayoutHandle make_layout(uint32_t type, uint64_t rows, uint64_t columns, int32_t batch,
                         int64_t stride);
OperationHandle make_operation(int32_t compute, int32_t transa, int32_t transb, uint32_t epilogue);
void destroy(void* descriptor);
int cublasLtMatrixLayoutGetAttribute(LayoutHandle layout, int attribute, void* value, size_t size,
                                     size_t* written);
int cublasLtMatmulDescGetAttribute(OperationHandle operation, int attribute, void* value,
                                   size_t size, size_t* written);
int cublasLtMatmul(void* handle, OperationHandle operation, const void* alpha, const void* a,
                   LayoutHandle layout_a, const void* b, LayoutHandle layout_b, const void* beta,
                   const void* c, LayoutHandle layout_c, void* d, LayoutHandle layout_d,
                   const void* algorithm, void* workspace, size_t workspace_size, void* stream);
