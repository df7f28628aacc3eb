// Function slots of NVTX's extensions, in a program that prof attached to.
#pragma once

#include <link.h>

#include "injection/nvtx/extension_abi.hpp"

namespace prof::nvtx {

// A client's extension has been given prof's functions. Called while it starts.
void keep_extension(const ExtensionModule& module);

// Gives the extensions of the object that are kept prof's functions again. Returns how many others
// have asked for a tool before and do not ask again. The loader's lock is held.
std::uint64_t attach_extensions(const dl_phdr_info& object);

// The slots of kept extensions are as in a client that has found no tool.
void detach_extensions();

}  // namespace prof::nvtx
