// Stands in for libc10.so: the functions to which allocators of PyTorch report changes. They count
// and add up what they get, so a test sees that calls arrive unchanged.
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace {
std::uint64_t g_calls;
std::uint64_t g_sum;

void take(std::initializer_list<std::uint64_t> values) {
  ++g_calls;
  for (const std::uint64_t value : values) g_sum = g_sum * 31 + value;
}
}  // namespace

namespace c10 {

struct Device {
  std::int8_t type;
  std::int8_t index;
};

void reportMemoryUsageToProfiler(void* pointer, std::int64_t bytes, std::size_t allocated,
                                 std::size_t reserved, Device device) {
  take({reinterpret_cast<std::uintptr_t>(pointer), static_cast<std::uint64_t>(bytes), allocated,
        reserved, static_cast<std::uint64_t>(device.type),
        static_cast<std::uint64_t>(device.index)});
}

void reportOutOfMemoryToProfiler(std::int64_t bytes, std::size_t allocated, std::size_t reserved,
                                 Device device) {
  take({static_cast<std::uint64_t>(bytes), allocated, reserved,
        static_cast<std::uint64_t>(device.type), static_cast<std::uint64_t>(device.index)});
}

}  // namespace c10

extern "C" std::uint64_t fake_calls() { return g_calls; }
extern "C" std::uint64_t fake_sum() { return g_sum; }
