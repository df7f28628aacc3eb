// The environment of the target, which makes it load the injection library.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace prof::session {

// Variables other than LD_PRELOAD that load the injection library.
struct InjectionVariables {
  bool nvtx = false;
  bool cuda = false;
};

// What the program loads: libraries that go into LD_PRELOAD, before those that it already has, and
// a layer that the Vulkan loader loads.
struct Preload {
  std::vector<std::string> first;  // sanitizer runtimes
  std::string library;             // libprof_inject.so
  std::vector<std::string> after;  // libraries that use it
  std::string vulkan_layer;        // folder of the manifest of prof's Vulkan layer; empty: none
};

// Returns `base` plus `additions` (later ones win), plus prof's own variables.
std::vector<std::string> target_environment(
    char* const* base, const std::vector<std::pair<std::string, std::string>>& additions,
    const std::string& session, const Preload& preload, const InjectionVariables& variables);

}  // namespace prof::session
