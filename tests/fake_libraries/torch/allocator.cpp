// Stands in for a library with an allocator of PyTorch, such as libc10_cuda.so. The program says
// what the allocator reports.
#include <cstddef>
#include <cstdint>

namespace c10 {
struct Device {
  std::int8_t type;
  std::int8_t index;
};
void reportMemoryUsageToProfiler(void*, std::int64_t, std::size_t, std::size_t, Device);
void reportOutOfMemoryToProfiler(std::int64_t, std::size_t, std::size_t, Device);
}  // namespace c10

extern "C" void fake_change(std::uint64_t address, std::int64_t bytes, std::size_t allocated,
                            std::size_t reserved, int type, int index) {
  c10::reportMemoryUsageToProfiler(
      reinterpret_cast<void*>(address), bytes, allocated, reserved,
      {static_cast<std::int8_t>(type), static_cast<std::int8_t>(index)});
}

extern "C" void fake_failure(std::int64_t bytes, std::size_t allocated, std::size_t reserved,
                             int type, int index) {
  c10::reportOutOfMemoryToProfiler(
      bytes, allocated, reserved,
      {static_cast<std::int8_t>(type), static_cast<std::int8_t>(index)});
}
