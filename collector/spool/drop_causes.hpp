// The causes of dropped events: their names in the spool, and their messages in the report.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "common/wire/chunk.hpp"

namespace prof::spool {

// The causes in the order of their names, which is the order of the report's messages.
enum class DropCause {
  kConnecting,
  kCuptiBuffers,
  kDiskFull,
  kHardwareTrace,
  kNoChunk,
  kNotWritten,
  kReentered,
  kThreadGone,
  kTooLarge,
  kUnknown,  // a name that another version of prof wrote
};

struct DropCauseTexts {
  DropCause cause;
  std::string_view name;     // name in notes
  std::string_view message;  // completes "12 events were dropped: "
};
inline constexpr DropCauseTexts kDropCauses[] = {
    {DropCause::kConnecting, "connecting", "the forked process was still joining the session"},
    {DropCause::kCuptiBuffers, "cupti_buffers", "CUPTI had no buffer left for its records"},
    {DropCause::kDiskFull, "disk_full", "the disk was full"},
    {DropCause::kHardwareTrace, "hardware_trace",
     "the buffer of the GPU's hardware trace was full; a shorter --cuda-flush-interval empties it "
     "more often"},
    {DropCause::kNoChunk, "no_chunk", "the event buffer was full"},
    {DropCause::kNotWritten, "not_written", "the recording could not be written"},
    {DropCause::kReentered, "reentered",
     "a signal handler interrupted the recording of another event"},
    {DropCause::kThreadGone, "thread_gone",
     "their thread was already ending, or shares its state with a process that it cloned"},
    {DropCause::kTooLarge, "too_large", "they were too large"},
    {DropCause::kUnknown, "", "the cause is not known"},
};

constexpr const DropCauseTexts& texts_of(DropCause cause) {
  return kDropCauses[static_cast<std::size_t>(cause)];
}
constexpr DropCause drop_cause_named(std::string_view name) {
  for (const DropCauseTexts& each : kDropCauses)
    if (each.name == name) return each.cause;
  return DropCause::kUnknown;
}

// Converts a cause that a process counts.
constexpr DropCause to_drop_cause(wire::DropCause cause) {
  switch (cause) {
    case wire::DropCause::kNoChunk:
      return DropCause::kNoChunk;
    case wire::DropCause::kReentered:
      return DropCause::kReentered;
    case wire::DropCause::kThreadGone:
      return DropCause::kThreadGone;
    case wire::DropCause::kTooLarge:
      return DropCause::kTooLarge;
    case wire::DropCause::kConnecting:
      return DropCause::kConnecting;
    case wire::DropCause::kCuptiBuffers:
      return DropCause::kCuptiBuffers;
    case wire::DropCause::kHardwareTrace:
      return DropCause::kHardwareTrace;
    case wire::DropCause::kCount:
      break;
  }
  return DropCause::kUnknown;
}

// Dropped events by cause.
using Drops = std::map<DropCause, std::uint64_t>;

// Checks that the table is in the order of the enum, and the names are sorted.
static_assert([] {
  for (std::size_t i = 0; i < std::size(kDropCauses); ++i) {
    if (kDropCauses[i].cause != static_cast<DropCause>(i)) return false;
    if (i > 0 && i + 1 < std::size(kDropCauses) && kDropCauses[i - 1].name >= kDropCauses[i].name)
      return false;
  }
  return true;
}());

}  // namespace prof::spool
