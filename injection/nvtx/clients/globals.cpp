#include "injection/nvtx/clients/globals.hpp"

namespace prof::nvtx {

bool has_layout(const Globals& at) {
  constexpr std::size_t kVersionTableBytes = 24;
  constexpr std::uint32_t kVersion = 3;
  return at.callbacks.struct_size == sizeof(ExportCallbacks) &&
         at.version_table_bytes == kVersionTableBytes && at.version == kVersion &&
         at.reserved == 0 && at.init_state.load(std::memory_order_relaxed) <= kComplete;
}

}  // namespace prof::nvtx
