// Gives clients of NVTX the functions of prof.
#pragma once

#include "injection/nvtx/abi.hpp"

namespace prof::nvtx {

// Replaces the function pointers of a client that runs. `replace` gets the place of each, and the
// function of prof; it returns false if that one is left alone (entry.cpp).
using Replace = bool (*)(FunctionPointer* place, FunctionPointer function);
void attach_late(const ExportCallbacks& exports, Replace replace);

}  // namespace prof::nvtx
