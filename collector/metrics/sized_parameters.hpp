// Parameters of functions of CUPTI and libnvperf_host. They are structures that begin with their
// size, which tells the library the version of the caller.
#pragma once

#define PROF_SIZED_PARAMETERS(Name, variable) \
  Name##_Params variable{};                   \
  variable.structSize = Name##_Params_STRUCT_SIZE
