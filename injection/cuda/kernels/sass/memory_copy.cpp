#include "injection/cuda/kernels/sass/memory_copy.hpp"

#include <cupti_checkpoint.h>

#include <cstddef>
#include <type_traits>

#include "injection/core/symbols/loader.hpp"
#include "injection/cuda/clients/host.hpp"
#include "injection/cuda/cupti_api.hpp"
#include "injection/cuda/state.hpp"

namespace prof::cuda::kernels {

namespace {

namespace checkpoint = NV::Cupti::Checkpoint;

struct CheckpointFunctions {
  decltype(&checkpoint::cuptiCheckpointSave) save;
  decltype(&checkpoint::cuptiCheckpointRestore) restore;
  decltype(&checkpoint::cuptiCheckpointFree) free;
};
// CUpti_Checkpoint_STRUCT_SIZE works inside of its namespace only.
constexpr std::size_t kStructSize = offsetof(checkpoint::CUpti_Checkpoint, pPriv) + sizeof(void*);
CheckpointFunctions g_checkpoint;
constinit checkpoint::CUpti_Checkpoint g_copy{};

bool load_checkpoint() {
  void* library = load_beside_cupti("libcheckpoint.so");
  if (library == nullptr) return false;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        clients::look_up(library, name));
    return function != nullptr;
  };
  return find(g_checkpoint.save, "cuptiCheckpointSave") &&
         find(g_checkpoint.restore, "cuptiCheckpointRestore") &&
         find(g_checkpoint.free, "cuptiCheckpointFree");
}

// Copies in the host's memory take so long that a kernel with much memory would seem to hang (H200:
// 100 GB not in 30 s, and 40 GB on the GPU in 22 ms).
bool has_room() {
  static const auto ask = PROF_DRIVER_FUNCTION(cuMemGetInfo);
  std::size_t free = 0;
  std::size_t total = 0;
  return ask == nullptr || ask(&free, &total) != CUDA_SUCCESS || total - free <= free;
}

}  // namespace

bool can_copy_memory() {
  static const bool is_loaded = load_checkpoint();
  return is_loaded;
}

bool copy_memory(CUcontext context) {
  if (!has_room()) return false;
  g_copy = {};
  g_copy.structSize = kStructSize;
  g_copy.ctx = context;
  return g_checkpoint.save(&g_copy) == CUPTI_SUCCESS;
}

bool write_memory_back() {
  const bool is_restored = g_checkpoint.restore(&g_copy) == CUPTI_SUCCESS;
  g_checkpoint.free(&g_copy);
  return is_restored;
}

}  // namespace prof::cuda::kernels
