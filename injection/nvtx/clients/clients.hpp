// Gives prof's functions to clients of NVTX.
#pragma once

#include "injection/nvtx/abi.hpp"
#include "injection/nvtx/extension_abi.hpp"

namespace prof::nvtx {

// Replaces the function pointers of a client (entry.cpp). `replace` gets the address of each
// pointer, and the function of prof; it returns false if it leaves the pointer alone. The functions
// stay as long as the client exists and check whether somebody collects, because clients copy
// pointers, and some ask for them only once.
using Replace = bool (*)(FunctionPointer* place, FunctionPointer function);
void give_functions(const ExportCallbacks& exports, Replace replace);

// The Replace for a client that starts.
bool replace_at_start(FunctionPointer* place, FunctionPointer function);

// Fills an extension's slots with prof's functions (extension_entry.cpp).
void fill_slots(std::uint16_t module, const ExtensionSegment& segment);

}  // namespace prof::nvtx
