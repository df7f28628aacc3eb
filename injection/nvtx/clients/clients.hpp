// Gives clients of NVTX the functions of prof.
#pragma once

#include "injection/nvtx/abi.hpp"
#include "injection/nvtx/extension_abi.hpp"

namespace prof::nvtx {

// Replaces the function pointers of a client (entry.cpp). `replace` gets the place of each, and the
// function of prof; it returns false if that one is left alone. The functions stay for as long as
// the client does, and look whether somebody collects: clients copy pointers, and some ask once.
using Replace = bool (*)(FunctionPointer* place, FunctionPointer function);
void give_functions(const ExportCallbacks& exports, Replace replace);

// A Replace for a client that starts.
bool replace_at_start(FunctionPointer* place, FunctionPointer function);

// Gives an extension's slots prof's functions (extension_entry.cpp).
void fill_slots(std::uint16_t module, const ExtensionSegment& segment);

}  // namespace prof::nvtx
