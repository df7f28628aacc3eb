// libcheckpoint.so without a GPU: copies the memory of fake_kernel_app.
#include <cupti_checkpoint.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "fake_state.hpp"
#include "ranges.hpp"

namespace NV::Cupti::Checkpoint {

namespace {

std::vector<std::uint8_t> g_copy;

CUptiResult result_of_step(const char* function) {
  return fake::fails(function) ? fake::misbehaviour().result : CUPTI_SUCCESS;
}

}  // namespace

extern "C" {

CUptiResult cuptiCheckpointSave(CUpti_Checkpoint* const handle) {
  if (handle->structSize != CUpti_Checkpoint_STRUCT_SIZE || handle->ctx == nullptr)
    return CUPTI_ERROR_INVALID_PARAMETER;
  const auto* memory = static_cast<const std::uint8_t*>(fake::device_memory());
  g_copy.assign(memory, memory + fake::device_memory_size());
  return result_of_step("cuptiCheckpointSave");
}

CUptiResult cuptiCheckpointRestore(CUpti_Checkpoint* const) {
  if (g_copy.empty()) return CUPTI_ERROR_NOT_INITIALIZED;
  std::memcpy(fake::device_memory(), g_copy.data(), g_copy.size());
  return result_of_step("cuptiCheckpointRestore");
}

CUptiResult cuptiCheckpointFree(CUpti_Checkpoint* const) {
  if (g_copy.empty()) return CUPTI_ERROR_INVALID_PARAMETER;
  g_copy.clear();
  return CUPTI_SUCCESS;
}

}  // extern "C"

}  // namespace NV::Cupti::Checkpoint
