// NVML, loaded at run time. One object may be used by several threads: NVML allows that.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "collector/metrics/nvml/nvml_types.hpp"
#include "common/base/result.hpp"

namespace prof::nvml {

// A function of NVML, which an old driver may lack.
template <class Parameters>
class Function;

template <class... P>
class Function<void(P...)> {
 public:
  Function(void* library, std::initializer_list<const char*> names);
  Return operator()(P... arguments) const {
    return pointer_ == nullptr ? Return::kFunctionNotFound : pointer_(arguments...);
  }
  explicit operator bool() const { return pointer_ != nullptr; }

 private:
  Return (*pointer_)(P...) = nullptr;
};

class Library {
 public:
  // Loads and initializes NVML. An error says in one line what is missing.
  static base::Result<std::shared_ptr<const Library>> open();
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  std::vector<Device> devices() const;
  std::string describe(Return result) const;

 private:
  explicit Library(void* handle);
  void* handle_;  // never closed, because NVML's threads and handlers may still run

 public:
#define PROF_NVML_NAMES(...) \
  { __VA_ARGS__ }
#define PROF_NVML(name, names, parameters) \
  Function<void parameters> name{handle_, PROF_NVML_NAMES names};
#include "collector/metrics/nvml/functions.def"
#undef PROF_NVML
#undef PROF_NVML_NAMES
};

// Returns a text that NVML writes; empty on failure.
template <class Call>
std::string text_of(Call call) {
  char text[96] = {};
  return call(text, static_cast<unsigned>(sizeof text)) == Return::kSuccess ? text : "";
}

// Returns "0000:1b:00.0", as sysfs names devices; empty if NVML does not know.
std::string location_of(const Library& library, Device device);
std::string location_of(const PciInfo& pci);

}  // namespace prof::nvml
