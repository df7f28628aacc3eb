// Other users of the GPU's counters in the program, beside PC sampling and prof kernel. The first
// user has them: CUPTI gives them to one user in a process, and some of its errors last until the
// process ends.
#include "injection/core/process_state.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/symbols/loader.hpp"
#include "injection/cuda/clients/client.hpp"
#include "injection/cuda/clients/route.hpp"
#include "injection/cuda/cupti_api.hpp"
#include "injection/cuda/kernels/launches.hpp"
#include "injection/cuda/pc_sampling/pc_sampling.hpp"

namespace prof::cuda::clients {

bool may_count(const void* code) {
  if (core::g_process.arena == nullptr || (!pc::is_wanted() && !kernels::is_on())) return true;
  const link_map* caller = core::object_at(code);
  if (caller == nullptr || caller == g_cupti_library) return true;
  if (pc::is_sampling() || kernels::is_counting()) {
    core::report(wire::DiagnosticCode::kPcSamplingHeld, file_name_of(*caller));
    return false;
  }
  pc::yield();
  kernels::yield();
  core::report(wire::DiagnosticCode::kPcSamplingYields, file_name_of(*caller));
  return true;
}

}  // namespace prof::cuda::clients
