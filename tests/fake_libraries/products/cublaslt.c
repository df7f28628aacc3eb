#include <stdlib.h>
#include <string.h>

#include "products.h"

struct Layout {
  uint64_t magic;
  uint32_t type;
  uint64_t rows, columns;
  int32_t batch;
  int64_t stride;
};

struct Operation {
  uint64_t magic;
  int32_t compute, transa, transb;
  uint32_t epilogue;
};

static const uint64_t kMagic = 0x74757c6c6373;

// Like the real functions, these trust the pointer. A program ends that passes another one.
static void check(const void* descriptor) {
  if (descriptor == NULL || *(const uint64_t*)descriptor != kMagic) abort();
}

LayoutHandle make_layout(uint32_t type, uint64_t rows, uint64_t columns, int32_t batch,
                         int64_t stride) {
  LayoutHandle layout = malloc(sizeof *layout);
  *layout = (struct Layout){kMagic, type, rows, columns, batch, stride};
  return layout;
}

OperationHandle make_operation(int32_t compute, int32_t transa, int32_t transb, uint32_t epilogue) {
  OperationHandle operation = malloc(sizeof *operation);
  *operation = (struct Operation){kMagic, compute, transa, transb, epilogue};
  return operation;
}

void destroy(void* descriptor) {
  *(uint64_t*)descriptor = 0;
  free(descriptor);
}

static int give(const void* from, size_t size, void* value, size_t place, size_t* written) {
  if (place < size) return kInvalidValue;
  memcpy(value, from, size);
  *written = size;
  return kSuccess;
}

int cublasLtMatrixLayoutGetAttribute(LayoutHandle layout, int attribute, void* value, size_t size,
                                     size_t* written) {
  check(layout);
  switch (attribute) {
    case 0:
      return give(&layout->type, sizeof layout->type, value, size, written);
    case 2:
      return give(&layout->rows, sizeof layout->rows, value, size, written);
    case 3:
      return give(&layout->columns, sizeof layout->columns, value, size, written);
    case 5:
      return give(&layout->batch, sizeof layout->batch, value, size, written);
    case 6:
      return give(&layout->stride, sizeof layout->stride, value, size, written);
    default:
      return kInvalidValue;
  }
}

int cublasLtMatmulDescGetAttribute(OperationHandle operation, int attribute, void* value,
                                   size_t size, size_t* written) {
  check(operation);
  switch (attribute) {
    case 0:
      return give(&operation->compute, sizeof operation->compute, value, size, written);
    case 3:
      return give(&operation->transa, sizeof operation->transa, value, size, written);
    case 4:
      return give(&operation->transb, sizeof operation->transb, value, size, written);
    case 7:
      return give(&operation->epilogue, sizeof operation->epilogue, value, size, written);
    default:
      return kInvalidValue;
  }
}

int cublasLtMatmul(void* handle, OperationHandle operation, const void* alpha, const void* a,
                   LayoutHandle layout_a, const void* b, LayoutHandle layout_b, const void* beta,
                   const void* c, LayoutHandle layout_c, void* d, LayoutHandle layout_d,
                   const void* algorithm, void* workspace, size_t workspace_size, void* stream) {
  (void)alpha, (void)a, (void)b, (void)beta, (void)c, (void)d, (void)layout_c, (void)algorithm;
  (void)workspace, (void)workspace_size, (void)stream;
  if (handle == NULL) return kInvalidValue;
  if (operation == NULL || layout_a == NULL || layout_b == NULL || layout_d == NULL)
    return kInvalidValue;
  check(operation), check(layout_a), check(layout_b), check(layout_d);
  return kSuccess;
}
