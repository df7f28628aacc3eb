// When the processes of a session record: in a collection, and in its capture ranges. The header of
// the event buffer tells them.
#pragma once

#include <cstdint>

#include "collector/session/options/session_options.hpp"
#include "common/wire/chunk.hpp"

namespace prof::session {

class CaptureSwitch {
 public:
  // The references outlive the object.
  CaptureSwitch(const SessionOptions& options, wire::ArenaHeader& arena);

  // The steps of a collection, in this order. begin_tracing() makes the processes switch CUPTI on;
  // the collection has these capture ranges, or those of the options.
  // wake_processes() makes them record everything, at once. quiet_processes() ends that, except for
  // GPU records that CUPTI still holds. end_ranges() is called when these have been taken.
  void begin_tracing() { begin_tracing(options_.ranges); }
  void begin_tracing(const CaptureRangeOptions& ranges);
  void wake_processes();
  void quiet_processes();
  void end_ranges();

  // True if anything has been recorded since the last call. False between two capture ranges.
  bool has_captured();
  // Returns how many ranges this collection has had so far.
  std::uint32_t ranges_begun() const;
  // True if all capture ranges have been recorded.
  bool are_captures_done() const;

 private:
  const SessionOptions& options_;
  wire::ArenaHeader& arena_;
  bool has_ranges_;                 // of the current collection
  std::uint32_t ranges_count_ = 0;  // the most that it may have
  bool was_capturing_ = false;
  std::uint32_t captures_left_ = 0;
};

}  // namespace prof::session
