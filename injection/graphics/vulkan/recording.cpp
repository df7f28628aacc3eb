#include "injection/graphics/vulkan/recording.hpp"

#include <atomic>

#include "injection/core/clock.hpp"
#include "injection/core/function.hpp"

namespace prof::vulkan {

namespace {

constinit std::atomic<std::uint32_t> g_correlations{0};

}  // namespace

std::uint32_t next_correlation() {
  return g_correlations.fetch_add(1, std::memory_order_relaxed) + 1;
}

void name_function(std::uint32_t function) {
  const std::uint32_t id = wire::kVulkanFunctions + function;
  if (!core::is_named(id)) [[unlikely]]
    core::send_name({id, name_of(function)});
}

void write_call(std::uint32_t index, const CallFacts& facts, std::uint64_t end) {
  wire::VulkanCallRecord record{
      core::header_of<wire::VulkanCallRecord>(wire::RecordType::kVulkanCall),
      facts.start,
      end,
      facts.object,
      facts.correlation,
      0};
  record.header.flags = static_cast<std::uint8_t>(facts.kind);
  write_record(index, record);
}

void end_call(std::uint32_t index, std::uint64_t start, std::uint64_t object) {
  write_call(index, {.start = start, .object = object}, core::now());
}

}  // namespace prof::vulkan
