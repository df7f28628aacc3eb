// The event buffer of a session, on the collector's side: copies its records to the spool, provides
// room in it, and counts what did not fit.
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

  // Copies what was published into the spool, frees chunks and provides room. Returns the bytes
  // copied. `chains` replaces the stacks that were copied; null: there are none.
  std::uint64_t drain(EventCallChains* chains);
  // The next drain takes the counters of short calls of all chunks. Otherwise they are taken once a
  // second, as those of chunks that are in use matter only if prof is killed.
  void take_all_counters() { last_counters_ = {}; }
  // The process image writes no more.
  void mark_dead(std::uint32_t serial) { reader_.mark_dead(serial); }
  // Makes every process stop recording. The next drain takes what is left.
  void close();

  // What the process image in this slot has dropped since the last call.
  spool::Drops take_drops(std::uint32_t slot);
  // Writes whether processes have damaged the buffer.
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
