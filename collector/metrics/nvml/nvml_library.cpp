#include "collector/metrics/nvml/nvml_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace prof::nvml {

namespace {

constexpr const char* kFile = "libnvidia-ml.so.1";

using Init = Return (*)();
using ErrorText = const char* (*)(Return);

template <class Pointer>
Pointer look_up(void* library, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (void* found = dlsym(library, name)) return reinterpret_cast<Pointer>(found);
  return nullptr;
}

std::string why_not_initialized(Return result, const std::string& text) {
  switch (result) {
    case Return::kDriverNotLoaded:
      return "the NVIDIA driver is not loaded";
    case Return::kNoPermission:
      return "no permission to use the NVIDIA driver: check the access rights of /dev/nvidia*";
    case Return::kVersionMismatch:
      return "libnvidia-ml.so.1 does not match the loaded driver: it was updated and the machine "
             "has to be restarted";
    default:
      return "NVML could not be initialized: " + text;
  }
}

std::string error_text(void* library, Return result) {
  const auto describe = look_up<ErrorText>(library, {"nvmlErrorString"});
  const char* text = describe == nullptr ? nullptr : describe(result);
  return text == nullptr ? fmt::format("error {}", static_cast<int>(result)) : text;
}

}  // namespace

template <class... P>
Function<void(P...)>::Function(void* library, std::initializer_list<const char*> names)
    : pointer_(look_up<Return (*)(P...)>(library, names)) {}

Library::Library(void* handle) : handle_(handle) {}

Library::~Library() {
  if (const auto shut_down = look_up<Init>(handle_, {"nvmlShutdown"})) shut_down();
}

base::Result<std::shared_ptr<const Library>> Library::open() {
  void* handle = dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    return base::fail(fmt::format(
        "{} is not found: install the NVIDIA driver, or let a container have it", kFile));
  const auto init = look_up<Init>(handle, {"nvmlInit_v2", "nvmlInit"});
  if (init == nullptr) return base::fail(fmt::format("{} has no nvmlInit", kFile));
  const Return result = init();
  if (result != Return::kSuccess)
    return base::fail(why_not_initialized(result, error_text(handle, result)));
  return std::shared_ptr<const Library>(new Library(handle));
}

std::vector<Device> Library::devices() const {
  unsigned count = 0;
  std::vector<Device> devices;
  if (device_count(&count) != Return::kSuccess) return devices;
  for (unsigned i = 0; i < count; ++i) {
    Device handle = nullptr;
    // A GPU that cannot be used keeps its number, with a null handle.
    devices.push_back(device(i, &handle) == Return::kSuccess ? handle : nullptr);
  }
  return devices;
}

std::string Library::describe(Return result) const { return error_text(handle_, result); }

std::string location_of(const PciInfo& pci) {
  return fmt::format("{:04x}:{:02x}:{:02x}.0", pci.domain, pci.bus, pci.device);
}

std::string location_of(const Library& library, Device device) {
  PciInfo pci{};
  return library.pci(device, &pci) == Return::kSuccess ? location_of(pci) : "";
}

}  // namespace prof::nvml
