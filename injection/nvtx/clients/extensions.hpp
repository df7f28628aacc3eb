// Function slots of NVTX's extensions, in a program that prof attached to.
#pragma once

#include <link.h>

#include "injection/nvtx/extension_abi.hpp"

namespace prof::nvtx {

// Stores a client's extension that has got prof's functions. Called while the client starts.
void keep_extension(const ExtensionModule& module);

// Gives prof's functions again to the stored extensions of the object. Returns how many other
// extensions have asked for a tool before and do not ask again. The loader's lock is held.
std::uint64_t attach_extensions(const dl_phdr_info& object);

// Resets the slots of stored extensions to their state in a client that has found no tool.
void detach_extensions();

}  // namespace prof::nvtx
