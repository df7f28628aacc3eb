// Multiplies matrices by cuBLAS and cuBLASLt. Prints one JSON object: "products" has the calls that
// compute something in their order, each with function, M, N, K, batch, operations of A and B, types
// of A, B and C (cudaDataType_t), compute type or null, and FLOPs; "graph_launches" says how often
// the last one runs again in a CUDA graph.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

constexpr std::size_t kBytes = 64 << 20;
constexpr int kGraphLaunches = 3;

std::string g_rows;

void check(int status, const char* what) {
  if (status == 0) return;
  std::fprintf(stderr, "%s: %d\n", what, status);
  std::exit(1);
}

void expect(int status, const char* name, long m, long n, long k, long batch, int a, int b,
            cudaDataType type_a, cudaDataType type_b, cudaDataType type_c, int compute,
            double flops) {
  check(status, name);
  char row[512];
  char compute_text[16] = "null";
  if (compute != 0) std::snprintf(compute_text, sizeof compute_text, "%d", compute);
  std::snprintf(row, sizeof row, "%s[\"%s\", %ld, %ld, %ld, %ld, %d, %d, %d, %d, %d, %s, %.0f]",
                g_rows.empty() ? "" : ", ", name, m, n, k, batch, a, b, type_a, type_b, type_c,
                compute_text, flops);
  g_rows += row;
}

struct Buffers {
  void* a;
  void* b;
  void* c;
  void** pointers;  // on the GPU: three lists of eight
};

Buffers allocate() {
  Buffers buffers{};
  for (void** each : {&buffers.a, &buffers.b, &buffers.c}) {
    check(cudaMalloc(each, kBytes), "cudaMalloc");
    check(cudaMemset(*each, 0, kBytes), "cudaMemset");
  }
  void* lists[24];
  for (int i = 0; i < 8; ++i) {
    lists[i] = static_cast<char*>(buffers.a) + (i << 20);
    lists[8 + i] = static_cast<char*>(buffers.b) + (i << 20);
    lists[16 + i] = static_cast<char*>(buffers.c) + (i << 20);
  }
  check(cudaMalloc(reinterpret_cast<void**>(&buffers.pointers), sizeof lists), "cudaMalloc");
  check(cudaMemcpy(buffers.pointers, lists, sizeof lists, cudaMemcpyHostToDevice), "cudaMemcpy");
  return buffers;
}

template <class T>
T* as(void* buffer) {
  return static_cast<T*>(buffer);
}

void multiply_by_type(cublasHandle_t blas, const Buffers& at) {
  const float one = 1, zero = 0;
  const double double_one = 1, double_zero = 0;
  const __half half_one = 1.0F, half_zero = 0.0F;
  const cuComplex complex_one{1, 0}, complex_zero{0, 0};
  const auto n = CUBLAS_OP_N, t = CUBLAS_OP_T;
  for (const auto a : {n, t})
    for (const auto b : {n, t})
      expect(cublasSgemm(blas, a, b, 257, 129, 65, &one, as<float>(at.a), a == n ? 257 : 65,
                         as<float>(at.b), b == n ? 65 : 129, &zero, as<float>(at.c), 257),
             "cublasSgemm_v2", 257, 129, 65, 1, a, b, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, 0,
             2.0 * 257 * 129 * 65);
  expect(cublasDgemm_64(blas, n, n, 512, 256, 128, &double_one, as<double>(at.a), 512,
                        as<double>(at.b), 128, &double_zero, as<double>(at.c), 512),
         "cublasDgemm_v2_64", 512, 256, 128, 1, n, n, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, 0,
         2.0 * 512 * 256 * 128);
  expect(cublasCgemm(blas, CUBLAS_OP_C, n, 128, 64, 32, &complex_one, as<cuComplex>(at.a), 32,
                     as<cuComplex>(at.b), 32, &complex_zero, as<cuComplex>(at.c), 128),
         "cublasCgemm_v2", 128, 64, 32, 1, CUBLAS_OP_C, n, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, 0,
         8.0 * 128 * 64 * 32);
  expect(cublasHgemmStridedBatched(blas, n, t, 96, 64, 32, &half_one, as<__half>(at.a), 96, 0,
                                   as<__half>(at.b), 64, 64 * 32, &half_zero, as<__half>(at.c), 96,
                                   96 * 64, 5),
         "cublasHgemmStridedBatched", 96, 64, 32, 5, n, t, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, 0,
         2.0 * 5 * 96 * 64 * 32);
  expect(cublasSgemmBatched(blas, n, n, 64, 48, 32, &one,
                            reinterpret_cast<float**>(at.pointers), 64,
                            reinterpret_cast<float**>(at.pointers + 8), 32, &zero,
                            reinterpret_cast<float**>(at.pointers + 16), 64, 8),
         "cublasSgemmBatched", 64, 48, 32, 8, n, n, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, 0,
         2.0 * 8 * 64 * 48 * 32);
  expect(cublasSgemv(blas, t, 1000, 2000, &one, as<float>(at.a), 1000, as<float>(at.b), 1, &zero,
                     as<float>(at.c), 1),
         "cublasSgemv_v2", 2000, 1, 1000, 1, t, n, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, 0,
         2.0 * 2000 * 1000);
  expect(cublasDsyrk(blas, CUBLAS_FILL_MODE_LOWER, n, 300, 200, &double_one, as<double>(at.a), 300,
                     &double_zero, as<double>(at.c), 300),
         "cublasDsyrk_v2", 300, 300, 200, 1, n, n, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, 0,
         300.0 * 301 * 200);
}

void multiply_with_types(cublasHandle_t blas, const Buffers& at) {
  const float one = 1, zero = 0;
  const auto n = CUBLAS_OP_N, t = CUBLAS_OP_T;
  struct Case {
    cudaDataType type, result;
    cublasComputeType_t compute;
  };
  for (const Case each : {Case{CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F},
                          Case{CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F},
                          Case{CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F},
                          Case{CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32}})
    expect(cublasGemmEx(blas, t, n, 1024, 512, 256, &one, at.a, each.type, 256, at.b, each.type,
                        256, &zero, at.c, each.result, 1024, each.compute, CUBLAS_GEMM_DEFAULT),
           "cublasGemmEx", 1024, 512, 256, 1, t, n, each.type, each.type, each.result,
           each.compute, 2.0 * 1024 * 512 * 256);
  expect(cublasGemmStridedBatchedEx(blas, n, n, 128, 128, 64, &one, at.a, CUDA_R_16BF, 128,
                                    128 * 64, at.b, CUDA_R_16BF, 64, 64 * 128, &zero, at.c,
                                    CUDA_R_16BF, 128, 128 * 128, 12, CUBLAS_COMPUTE_32F,
                                    CUBLAS_GEMM_DEFAULT),
         "cublasGemmStridedBatchedEx", 128, 128, 64, 12, n, n, CUDA_R_16BF, CUDA_R_16BF,
         CUDA_R_16BF, CUBLAS_COMPUTE_32F, 2.0 * 12 * 128 * 128 * 64);
}

struct LtCase {
  long m, n, k, batch;
  cublasOperation_t a, b;
  cudaDataType type, result;
  cublasLtEpilogue_t epilogue;
};

cublasLtMatrixLayout_t layout_of(cudaDataType type, long rows, long columns, long batch) {
  cublasLtMatrixLayout_t layout;
  check(cublasLtMatrixLayoutCreate(&layout, type, rows, columns, rows), "layout");
  const int count = static_cast<int>(batch);
  const long long stride = rows * columns;
  check(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count,
                                         sizeof count),
        "batch");
  check(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                         &stride, sizeof stride),
        "stride");
  return layout;
}

void multiply_by_lt(cublasLtHandle_t lt, const Buffers& at, const LtCase& each) {
  const float one = 1, zero = 0;
  cublasLtMatmulDesc_t operation;
  check(cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F), "operation");
  const auto set = [&](cublasLtMatmulDescAttributes_t attribute, const auto& value) {
    check(cublasLtMatmulDescSetAttribute(operation, attribute, &value, sizeof value), "attribute");
  };
  set(CUBLASLT_MATMUL_DESC_TRANSA, each.a);
  set(CUBLASLT_MATMUL_DESC_TRANSB, each.b);
  set(CUBLASLT_MATMUL_DESC_EPILOGUE, each.epilogue);
  if (each.epilogue != CUBLASLT_EPILOGUE_DEFAULT) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, at.b);
  const bool plain_a = each.a == CUBLAS_OP_N, plain_b = each.b == CUBLAS_OP_N;
  const auto a = layout_of(each.type, plain_a ? each.m : each.k, plain_a ? each.k : each.m, each.batch);
  const auto b = layout_of(each.type, plain_b ? each.k : each.n, plain_b ? each.n : each.k, each.batch);
  const auto d = layout_of(each.result, each.m, each.n, each.batch);
  expect(cublasLtMatmul(lt, operation, &one, at.a, a, at.b, b, &zero, at.c, d, at.c, d, nullptr,
                        nullptr, 0, nullptr),
         "cublasLtMatmul", each.m, each.n, each.k, each.batch, each.a, each.b, each.type, each.type,
         each.result, CUBLAS_COMPUTE_32F, 2.0 * each.batch * each.m * each.n * each.k);
  cublasLtMatmulDescDestroy(operation);
  for (const auto layout : {a, b, d}) cublasLtMatrixLayoutDestroy(layout);
}

// Captures a product into a graph, and launches it.
void multiply_in_a_graph(cublasHandle_t blas, const Buffers& at) {
  const float one = 1, zero = 0;
  cudaStream_t stream;
  check(cudaStreamCreate(&stream), "cudaStreamCreate");
  check(cublasSetStream(blas, stream), "cublasSetStream");
  check(cublasSetWorkspace(blas, as<char>(at.c) + (kBytes / 2), kBytes / 2), "cublasSetWorkspace");
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
  expect(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 777, 333, 111, &one, as<float>(at.a), 777,
                     as<float>(at.b), 111, &zero, as<float>(at.c), 777),
         "cublasSgemm_v2", 777, 333, 111, 1, 0, 0, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, 0,
         2.0 * 777 * 333 * 111);
  check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
  for (int i = 0; i < kGraphLaunches; ++i) check(cudaGraphLaunch(executable, stream), "cudaGraphLaunch");
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

}  // namespace

int main() {
  const Buffers at = allocate();
  cublasHandle_t blas;
  cublasLtHandle_t lt;
  check(cublasCreate(&blas), "cublasCreate");
  check(cublasLtCreate(&lt), "cublasLtCreate");
  multiply_by_type(blas, at);
  multiply_with_types(blas, at);
  const auto n = CUBLAS_OP_N, t = CUBLAS_OP_T;
  for (const LtCase& each :
       {LtCase{1024, 256, 512, 1, t, n, CUDA_R_16BF, CUDA_R_16BF, CUBLASLT_EPILOGUE_BIAS},
        LtCase{1024, 256, 512, 1, n, n, CUDA_R_16F, CUDA_R_16F, CUBLASLT_EPILOGUE_GELU_BIAS},
        LtCase{256, 128, 64, 6, n, t, CUDA_R_32F, CUDA_R_32F, CUBLASLT_EPILOGUE_DEFAULT},
        LtCase{512, 512, 256, 1, t, n, CUDA_R_8F_E4M3, CUDA_R_16BF, CUBLASLT_EPILOGUE_DEFAULT}})
    multiply_by_lt(lt, at, each);
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  multiply_in_a_graph(blas, at);
  std::printf("{\"graph_launches\": %d, \"products\": [%s]}\n", kGraphLaunches, g_rows.c_str());
}
