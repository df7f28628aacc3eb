// Writes records of Vulkan calls (wire/vulkan_records.hpp).
#pragma once

#include <cstdint>

#include "common/wire/handshake.hpp"
#include "common/wire/vulkan_records.hpp"
#include "injection/core/clock.hpp"
#include "injection/core/function.hpp"
#include "injection/core/record/capture.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/graphics/vulkan/functions.hpp"

namespace prof::vulkan {

inline bool traces(std::uint32_t feature) {
  return (core::g_process.config.graphics & feature) != 0;
}

// Returns the current time if a call that starts now is to be recorded, else 0.
[[gnu::always_inline]] inline std::uint64_t begin_call() {
  const bool is_recorded = !core::is_dormant() && !core::is_foreign_thread() &&
                           (core::t_state.calls == core::kRecorded || !core::is_muted()) &&
                           traces(wire::kGraphicsVulkan);
  return is_recorded ? core::now() : 0;
}

// The handle of an object as the report has it.
template <class Handle>
std::uint64_t number_of(Handle handle) {
  return reinterpret_cast<std::uint64_t>(handle);
}

// The next number that joins submits, labels, and their work on the GPU. Unique in the process.
std::uint32_t next_correlation();

// Sends the name of a function, because the collector does not know it.
[[gnu::cold]] void send_name(std::uint32_t function);

// Writes a record of something that a function did, also outside of capture ranges. always_inline:
// the record is made in its place.
template <class Record>
[[gnu::always_inline]] inline void write_result(std::uint32_t index, Record record) {
  const std::uint32_t id = wire::kVulkanFunctions + index;
  if (!core::is_named(id)) [[unlikely]]
    send_name(index);
  record.header.aux = id;
  core::append_here(record);
}

// Writes a record of a call, or of something that belongs to it.
template <class Record>
[[gnu::always_inline]] inline void write_record(std::uint32_t index, const Record& record) {
  if (!core::paused()) write_result(index, record);
}

// Says in the report, once, that the device was lost or has no memory left.
[[gnu::cold]] void report_error(VkResult result);

// Looks at the result of a call.
inline void check(VkResult result) {
  if (result < 0) [[unlikely]]
    report_error(result);
}

struct CallFacts {
  std::uint64_t start;
  std::uint64_t object;
  std::uint32_t correlation = 0;
  wire::VulkanClass kind = wire::VulkanClass::kCall;
};

// Records a call that ended at `end`.
[[gnu::always_inline]] inline void write_call(std::uint32_t index, const CallFacts& facts,
                                              std::uint64_t end) {
  const auto header = core::header_of<wire::VulkanCallRecord>(
      wire::RecordType::kVulkanCall, 0, static_cast<std::uint8_t>(facts.kind));
  write_record(
      index, wire::VulkanCallRecord{header, facts.start, end, facts.object, facts.correlation, 0});
}

// Records a call that ends now.
inline void end_call(std::uint32_t index, std::uint64_t start, std::uint64_t object) {
  write_call(index, {.start = start, .object = object}, core::now());
}

}  // namespace prof::vulkan
