// The name of a function without namespaces, template arguments and parameters, from its mangled
// name: "transpose" of "_Z9transposeILi0EEvPKfPfi".
#pragma once

#include <cstddef>

namespace prof::cuda::kernels {

struct TextRange {
  const char* begin;
  std::size_t length;
};

// Returns a part of `mangled`: all of it if it is not a mangled C++ name, or of a form that is not
// understood (functions inside of functions).
TextRange base_name(const char* mangled);

}  // namespace prof::cuda::kernels
