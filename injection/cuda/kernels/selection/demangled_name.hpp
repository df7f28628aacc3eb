// Names of kernels as NVIDIA's tools print them. prof demangles them, outside of the program.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::cuda::kernels {

// Asks prof for the demangled name and waits for the answer: some ms. Returns false if there is
// none in time.
bool demangled_name(const char* mangled, std::uint64_t hash, char* text, std::size_t size);

}  // namespace prof::cuda::kernels
