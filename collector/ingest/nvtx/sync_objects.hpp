// Ranges of synchronization objects that a program describes with NVTX: waiting for one, holding
// it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "collector/ingest/nvtx/deferred_events.hpp"
#include "collector/ingest/string_table.hpp"
#include "collector/spool/clock_model.hpp"
#include "common/wire/nvtx_records.hpp"

namespace prof::ingest {

class SyncObjects {
 public:
  SyncObjects(const spool::ClockModel& clock, const StringTable& strings)
      : clock_(clock), strings_(strings) {}

  // First pass: adds the name of an object.
  void define(std::uint32_t serial, const wire::NvtxSyncRecord& record);

  // Begins the records of a thread, which come in order.
  void begin_thread() { since_.clear(); }
  // Returns the range that ends with the record, if one does.
  std::optional<DeferredEvent> add(std::uint32_t serial, std::uint32_t tid,
                                   const wire::NvtxSyncRecord& record);

 private:
  const spool::ClockModel& clock_;
  const StringTable& strings_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> names_;  // by process, object
  std::map<std::uint64_t, std::int64_t> since_;  // object: when the thread began to wait or to hold
};

}  // namespace prof::ingest
