// Calls the other libraries through the dynamic linker, as the real one does.
#include "fakes.h"

int cusolverDnCreate(void** handle) {
  void* inner;
  return cublasCreate_v2(&inner) | cublasCreate_v2(&inner) | cusparseCreate(handle);
}
