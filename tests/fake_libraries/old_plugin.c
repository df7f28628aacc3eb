// A plugin that is linked to the older cuBLAS and must not get the other's function.
#include <string.h>

#include "fakes.h"
#include "work.h"

int run(void) { return strcmp(cublasGetStatusName(0), "OLD_SUCCESS") != 0; }
