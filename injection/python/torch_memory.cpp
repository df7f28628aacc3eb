#include "injection/python/torch_memory.hpp"

#include <cstdint>
#include <cstring>

#include "common/wire/torch_records.hpp"
#include "injection/core/clock.hpp"
#include "injection/core/record/capture.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/symbols/loader.hpp"
#include "injection/core/symbols/redirection.hpp"

namespace prof::python {

namespace {

// c10::Device, which is passed in one register.
struct Device {
  std::int8_t type;
  std::int8_t number;
};

using ReportUsage = void (*)(void* address, std::int64_t bytes, std::size_t allocated,
                             std::size_t reserved, Device device);
using ReportFailure = void (*)(std::int64_t bytes, std::size_t allocated, std::size_t reserved,
                               Device device);

constexpr char kUsage[] = "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE";
constexpr char kFailure[] = "_ZN3c1027reportOutOfMemoryToProfilerElmmNS_6DeviceE";

// Written before any pointer leads here.
ReportUsage g_report_usage;
ReportFailure g_report_failure;

void append(wire::TorchMemoryKind kind, Device device, const void* address, std::int64_t bytes,
            std::size_t allocated, std::size_t reserved) {
  if (core::is_dormant() || core::paused_here()) return;
  const auto place = static_cast<std::uint32_t>(static_cast<std::uint8_t>(device.type)) |
                     static_cast<std::uint32_t>(static_cast<std::uint8_t>(device.number)) << 8;
  core::append(wire::TorchMemoryRecord{
      core::header_of<wire::TorchMemoryRecord>(wire::RecordType::kTorchMemory, place,
                                               static_cast<std::uint8_t>(kind)),
      core::now(), reinterpret_cast<std::uintptr_t>(address), static_cast<std::uint64_t>(bytes),
      allocated, reserved});
}

void report_usage(void* address, std::int64_t bytes, std::size_t allocated, std::size_t reserved,
                  Device device) {
  const bool is_release = bytes < 0;
  append(is_release ? wire::TorchMemoryKind::kRelease : wire::TorchMemoryKind::kAllocation, device,
         address, is_release ? -bytes : bytes, allocated, reserved);
  g_report_usage(address, bytes, allocated, reserved, device);
}

void report_failure(std::int64_t bytes, std::size_t allocated, std::size_t reserved,
                    Device device) {
  append(wire::TorchMemoryKind::kFailure, device, nullptr, bytes, allocated, reserved);
  g_report_failure(bytes, allocated, reserved, device);
}

bool is_of_torch(const core::ElfObject& object) {
  for (const ElfW(Dyn)* entry = object.dynamic; entry->d_tag != DT_NULL; ++entry)
    if ((entry->d_tag == DT_NEEDED || entry->d_tag == DT_SONAME) &&
        std::strcmp(object.strings + entry->d_un.d_val, "libc10.so") == 0)
      return true;
  return false;
}

void* find_instead(const char* name) {
  if (std::strcmp(name, kUsage) == 0) return reinterpret_cast<void*>(report_usage);
  if (std::strcmp(name, kFailure) == 0) return reinterpret_cast<void*>(report_failure);
  return nullptr;
}

}  // namespace

bool record_torch_memory() {
  if (g_report_usage != nullptr) return true;
  void* const library = dlopen("libc10.so", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return false;
  g_report_failure = reinterpret_cast<ReportFailure>(dlsym(library, kFailure));
  g_report_usage = reinterpret_cast<ReportUsage>(dlsym(library, kUsage));
  dlclose(library);  // the interpreter keeps it loaded
  if (g_report_usage == nullptr || g_report_failure == nullptr) return false;
  return core::redirect_pointers(
             {.changes = is_of_torch, .instead = find_instead, .own_functions = true}, nullptr) !=
         0;
}

}  // namespace prof::python
