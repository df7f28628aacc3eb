// Kernel names as NVIDIA's tools print them (cu++filt, `nvlink --dump-callgraph`, the name columns
// of an nsys report): "void scale<float>(T1 *, T1, int)" for _Z5scaleIfEvPT_S0_i.
#pragma once

#include <string>
#include <string_view>

namespace prof::demangle {

struct KernelName {
  std::string demangled;
  std::string brief;  // the bare function name: "scale"
};

// Returns both forms of the name. They are the name itself if it is not Itanium-mangled, does not
// parse, or would become unreasonably long. Safe for hostile input: time, memory and stack are
// limited.
KernelName demangle_kernel(std::string_view mangled);

}  // namespace prof::demangle
