#include "cli/options/graphics_options.hpp"

#include <string>

#include "cli/options/option_kinds.hpp"
#include "collector/session/launch/capabilities.hpp"

namespace prof::cli {

namespace {

void set_vulkan_workload(const std::string& word, session::SessionOptions& options) {
  options.graphics &= ~(wire::kGraphicsVulkanIndividual | wire::kGraphicsVulkanBatch);
  if (word == "individual" || word == "true") options.graphics |= wire::kGraphicsVulkanIndividual;
  if (word == "batch") options.graphics |= wire::kGraphicsVulkanBatch;
}

}  // namespace

void add_graphics_options(CLI::App& app, session::SessionOptions& options) {
  add_bool(app, "--opengl-gpu-workload", options.graphics, wire::kGraphicsOpenGlWorkloads,
           "With -t opengl, measure what the GPU does for the calls, by timestamp queries");
  add_parsed(
      app, "--vulkan-gpu-workload",
      [&options](const std::string& word) { set_vulkan_workload(word, options); },
      "What -t vulkan times on the GPU: each command buffer and label, whole submits, or nothing")
      ->check(CLI::IsMember({"individual", "batch", "none", "true", "false"}))
      ->type_name("individual|batch|none")
      ->default_str("individual");
}

void resolve_graphics(session::SessionOptions& options) {
  constexpr std::uint32_t kVulkan = wire::kGraphicsVulkan | wire::kGraphicsVulkanLabels;
  if ((options.graphics & kVulkan) == 0 || session::can_trace_vulkan()) return;
  options.graphics &= ~kVulkan;
  options.warnings.push_back("Vulkan is not traced: " + session::vulkan_capability().detail);
}

}  // namespace prof::cli
