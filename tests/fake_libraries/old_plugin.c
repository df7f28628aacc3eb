// A plugin that is linked to the older cuBLAS. It must not get the functions of the newer one.
#include <string.h>

#include "fakes.h"
#include "work.h"

int run(void) { return strcmp(cublasGetStatusName(0), "OLD_SUCCESS") != 0; }
