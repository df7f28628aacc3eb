#include "injection/cuda/kernels/range_api.hpp"

#include "injection/cuda/clients/host.hpp"
#include "injection/cuda/cupti_api.hpp"

namespace prof::cuda::kernels {

RangeApi g_range;

bool load_range_api() {
  load_counter_libraries();
  bool is_complete = true;
  // A handle of dlopen is a link map.
  void* const library = const_cast<void*>(g_cupti_library);
#define X(name)                                                                         \
  g_range.name = reinterpret_cast<decltype(&::name)>(clients::look_up(library, #name)); \
  is_complete = g_range.name != nullptr && is_complete;
  PROF_RANGE_FUNCTIONS(X)
#undef X
  return is_complete;
}

}  // namespace prof::cuda::kernels
