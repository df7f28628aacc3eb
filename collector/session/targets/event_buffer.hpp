// The collector's side of a session's event buffer. It copies the records to the spool, provides
// room for more, and counts the events that did not fit.
#pragma once

#include <chrono>
#include <cstdint>

#include "collector/session/admission/live_processes.hpp"
#include "collector/session/chains/event_call_chains.hpp"
#include "collector/session/spool_recorder.hpp"
#include "collector/spool/arena.hpp"
#include "collector/spool/arena_reader.hpp"

namespace prof::session {

class EventBuffer {
 public:
  // The references outlive the object.
  EventBuffer(SpoolRecorder& recorder, const LiveProcesses& processes, spool::Arena arena);

  const spool::Arena& arena() const { return arena_; }
  wire::ArenaHeader& header() const { return *arena_.header(); }

  // Copies the published records to the spool, frees chunks and provides room. Returns the number
  // of bytes. `chains` replaces the stacks that processes copied; null: they copy none.
  std::uint64_t drain(EventCallChains* chains);
  // Makes the next drain take the counters of short calls of all chunks. Otherwise a drain takes
  // them once a second, because the counters of chunks in use matter only if prof is killed.
  void take_all_counters() { last_counters_ = {}; }
  // Handles that the process image does not write any more.
  void mark_dead(std::uint32_t serial) { reader_.mark_dead(serial); }
  // Makes every process stop recording. The next drain takes the last records.
  void close();

  // Returns the numbers of events that the process image in this slot has dropped since the last
  // call.
  spool::Drops take_drops(std::uint32_t slot);
  // Adds a diagnostic to the report if processes have damaged the buffer.
  void report_damage();

 private:
  bool is_time_for_counters();
  void report_open_drops();
  void provide_room(const spool::ChunkCounts& owned);

  SpoolRecorder& recorder_;
  const LiveProcesses& processes_;
  spool::Arena arena_;
  spool::ArenaReader reader_;
  std::chrono::steady_clock::time_point last_counters_{};
  bool is_closed_ = false;
  bool is_header_damaged_ = false;
};

}  // namespace prof::session
