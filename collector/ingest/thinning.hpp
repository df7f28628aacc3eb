// Restores what --max-overhead left out: the weight of each row, and rows of PROF_THINNING.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>

#include "collector/ingest/calls/short_calls.hpp"
#include "collector/ingest/process_table.hpp"
#include "collector/spool/clock_model.hpp"
#include "collector/spool/next_weight.hpp"
#include "common/report/report_writer.hpp"
#include "common/wire/thinning_records.hpp"

namespace prof::ingest {

class Thinning {
 public:
  // The references outlive the object.
  Thinning(const spool::ClockModel& clock, const ProcessTable& processes, ShortCalls& short_calls,
           report::ReportWriter& writer)
      : clock_(clock), processes_(processes), short_calls_(short_calls), writer_(writer) {}

  // First pass. The events that a thread left out after its last record count for its first record
  // of the same kind, or for its short calls of that function, if it has any.
  void define(std::uint32_t serial, const wire::UnrecordedRecord& record);
  void define(const wire::WeightRecord&) { is_on_ = true; }
  void has_short_calls(std::uint32_t serial, std::uint32_t tid, std::uint32_t function) {
    short_.insert({serial, tid, function});
  }
  // False if no event was left out: no row gets a weight.
  bool is_on() const { return is_on_; }

  // Second pass: begins the records of a thread.
  void begin_thread(std::uint32_t serial, std::uint32_t tid);
  void weight(const wire::WeightRecord& record) { next_.set(record); }
  // Returns the number of events that a record stands for. `what` and `domain`: as in
  // UnrecordedRecord.
  std::int64_t take(wire::RecordType type, std::uint64_t what, std::uint32_t domain = 0) {
    return is_on_ ? take_weight(type, what, domain) : 1;
  }
  void add(std::uint32_t serial, const wire::ThinningRecord& record);
  // Adds the rest, after the last thread and before the short calls are written.
  void finish();

 private:
  // serial, thread, kind, function or text, domain
  using Key = std::tuple<std::uint32_t, std::uint32_t, wire::Thinned, std::uint64_t, std::uint32_t>;

  std::int64_t take_weight(wire::RecordType type, std::uint64_t what, std::uint32_t domain);

  const spool::ClockModel& clock_;
  const ProcessTable& processes_;
  ShortCalls& short_calls_;
  report::ReportWriter& writer_;
  bool is_on_ = false;
  std::uint32_t serial_ = 0, tid_ = 0;
  spool::NextWeight next_;
  std::map<Key, std::int64_t> rests_;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> short_;
};

}  // namespace prof::ingest
