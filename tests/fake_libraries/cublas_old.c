// An older version of cuBLAS.
#include "fakes.h"

const char* cublasGetStatusName(int status) { return status == 0 ? "OLD_SUCCESS" : "OLD_ERROR"; }
