CREATE TABLE PROF_MATRIX_PRODUCTS (
  -- {docs sizes and types of the matrices that calls of cuBLAS multiply; prof's own}
  -- What calls of cuBLAS compute: C = op(A) op(B), of M x K and K x N; prof's own.
  id INTEGER NOT NULL PRIMARY KEY,
  kind INTEGER NOT NULL,        -- 0 general, 1 matrix and vector, 2 symmetric or Hermitian, 3 rank-k update (syrk, herk), 4 of two matrices (syrkx, herkx), 5 rank-2k update, 6 triangular, 7 solving a triangular system
  m INTEGER NOT NULL,           -- rows of C
  n INTEGER NOT NULL,           -- columns of C
  k INTEGER NOT NULL,           -- columns of op(A)
  batchCount INTEGER NOT NULL,  -- number of such products in one call
  operationA INTEGER NOT NULL,  -- cublasOperation_t: 0 none, 1 transposed, 2 transposed and conjugated
  operationB INTEGER NOT NULL,  -- the same
  typeA INTEGER NOT NULL,       -- cudaDataType_t: 0 FP32, 1 FP64, 2 FP16, 3 INT8, 4 complex FP32, 5 complex FP64, 14 BF16, 28 and 29 FP8, 33 FP4
  typeB INTEGER NOT NULL,       -- the same
  typeC INTEGER NOT NULL,       -- the same; of the result
  computeType INTEGER,          -- cublasComputeType_t: 64 FP16, 68 FP32, 70 FP64, 72 INT32, 74 to 77 FP32 with lower precision allowed; NULL: the function has none
  epilogue INTEGER,             -- cublasLtEpilogue_t: 4 bias, 2 ReLU, 32 GELU, and sums of these; NULL: none
  sharedA INTEGER NOT NULL,     -- 1: one A for all products of the batch
  sharedB INTEGER NOT NULL      -- 1: one B for all
);
