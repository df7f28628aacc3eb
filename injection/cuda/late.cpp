// CUDA in a program that prof attaches to. The driver has not called InitializeInjection there, so
// prof starts as soon as the driver is loaded. CUPTI is enabled late, as in any session of prof
// launch.
#include <link.h>

#include <cstring>

#include "injection/core/doors.hpp"
#include "injection/core/open_file.hpp"
#include "injection/core/symbols/object_walk.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/cuda/state.hpp"

namespace prof::cuda {

namespace {

std::atomic<bool> g_is_attached;

int is_driver(dl_phdr_info* object, std::size_t, void*) {
  const char* slash = std::strrchr(object->dlpi_name, '/');
  const char* name = slash == nullptr ? object->dlpi_name : slash + 1;
  return std::strncmp(name, "libcuda.so", 10) == 0 ? 1 : 0;
}

// The driver opens this file in cuInit, and an exec closes it. No other library opens it (NVML
// opens /dev/nvidiactl).
constexpr char kDriverFile[] = "/dev/nvidia-uvm";

// True in a fork child of a process that uses CUDA. The child cannot use CUDA: each call fails as
// before cuInit. The child has CUPTI's locks in their state at the fork, so cuptiSubscribe could
// spin forever (seen with CUDA 13.0 in workers of PyTorch's DataLoader).
bool is_child_of_user() {
  const auto count = PROF_DRIVER_FUNCTION(cuDeviceGetCount);
  int devices = 0;
  struct stat file {};
  int found = -1;
  return count != nullptr && count(&devices) == CUDA_ERROR_NOT_INITIALIZED &&
         core::sys::stat(kDriverFile, &file) == 0 && core::find_open(file, found) && found >= 0;
}

}  // namespace
}  // namespace prof::cuda

void prof::core::attach_cuda(bool is_first) {
  using namespace prof::cuda;
  if (is_first) {
    forget_start();
    forget_contexts();
  }
  if (g_is_attached.load() || !has_feature(wire::kFeatureCuda) ||
      walk_objects(is_driver, nullptr) == 0 || is_child_of_user())
    return;
  if (!g_is_attached.exchange(true)) start_once();
}

void prof::core::detach_cuda() {
  using namespace prof::cuda;
  // The thread does not exist in a fork child.
  if (g_is_attached.exchange(false) && g_state.pid == sys::getpid()) stop_switching();
}
