// A plugin that calls functions of libraries that do not exist. With tracing, the calls must return
// errors. Without tracing, the dynamic linker ends the program.
#include <errno.h>
#include <stdio.h>

#include "work.h"

int cublasSgemm_v2(void);
int cudnnSetStream(void);
int cusolverDnDestroy(void);
int cusparseDestroy(void);
int ncclGroupEnd(void);
const char* cublasGetStatusString(int status);
long cudnnGetCudartVersion(void);

int run(void) {
  errno = 77;
  const int twice = cublasSgemm_v2() == cublasSgemm_v2();
  printf("%d %d %d %d %d %s %ld %d %d\n", cublasSgemm_v2(), cudnnSetStream(), cusolverDnDestroy(),
         cusparseDestroy(), ncclGroupEnd(), cublasGetStatusString(1), cudnnGetCudartVersion(),
         errno, twice);
  return 0;
}
