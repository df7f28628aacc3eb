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

// A name that is not Itanium-mangled, that does not parse, or whose text would be unreasonably long
// is returned unchanged in both fields. Safe on hostile input: time, memory and stack are bounded.
KernelName demangle_kernel(std::string_view mangled);

}  // namespace prof::demangle
