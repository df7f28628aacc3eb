// Checks the triggers of a flight recorder against the records that were drained.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collector/session/flight/idle_watch.hpp"
#include "collector/session/flight/quantiles.hpp"
#include "collector/session/flight/rate_watch.hpp"
#include "collector/session/flight/trigger.hpp"
#include "collector/session/flight/watched_names.hpp"
#include "collector/session/record_watch.hpp"
#include "collector/spool/flight/snapshot_file.hpp"
#include "collector/spool/nvtx_ranges.hpp"
#include "collector/spool/session_clock.hpp"
#include "common/wire/cuda_records.hpp"

namespace prof::session {

class TriggerWatch final : public RecordWatch {
 public:
  // `gpu_delay`: ns until CUPTI has delivered the GPU's records.
  TriggerWatch(std::vector<FlightTrigger> triggers, spool::SessionClock clock,
               std::uint64_t gpu_delay);

  void process(const spool::ProcessNote& note) override { pids_[note.serial] = note.pid; }
  void process_end(std::uint32_t serial) override;
  void metric_source(const spool::MetricSourceNote& note) override;
  void records(const spool::PieceHeader& piece, std::span<const std::byte> bytes) override;
  void metric_samples(const spool::MetricPieceHeader& piece,
                      std::span<const std::byte> bytes) override;

  // Returns what has happened since the last call. Called after all chunks were drained once.
  std::vector<spool::SnapshotCause> take(const spool::ClockTriple& now);

 private:
  using Cause = spool::SnapshotCause;
  using Thread = std::pair<std::uint32_t, std::uint32_t>;  // serial, tid
  // Records of ranges that were drained together. The chunks of a thread come in any order.
  struct RangeEvent {
    std::uint64_t time;
    std::uint64_t id;  // of started ranges
    std::uint64_t text;
    std::uint32_t domain;
    wire::RecordType type;
  };
  struct Drained {
    spool::PieceHeader piece;
    std::size_t begin, end;  // positions in `events_`
  };
  struct Open {
    std::uint64_t time;
    std::uint64_t text;
  };
  struct Ended {
    std::uint64_t time;
    spool::PieceHeader piece;
  };
  struct Series {  // values of a counter
    std::size_t trigger;
    std::uint32_t source;
    std::size_t value;
    spool::CounterType type;
    std::string name;
    bool has_fired = false;
  };

  std::uint32_t triggers_for(std::string_view text, bool is_function) const;
  void define(std::uint64_t hash, std::string_view text);
  void define_function(std::uint32_t function, std::uint64_t name);
  const WatchedNames::Name* name_of(std::uint32_t function) const;
  void call(const spool::PieceHeader& piece, const wire::CallRecord& record);
  void call(const spool::PieceHeader& piece, const wire::CudaCallRecord& record);
  void call(spool::PieceHeader piece, const wire::CudaRecordedCallRecord& record);
  // `end` is 0 if it is not known on the session's clock.
  void cuda_call(const spool::PieceHeader& piece, std::uint32_t function, double ns,
                 std::int32_t result, std::uint64_t end);
  void add_range_event(std::span<const std::byte> record, const wire::RecordHeader& header);
  void add_work(const wire::RecordHeader& header, std::span<const std::byte> record);
  void follow_ranges();
  void follow(const spool::PieceHeader& piece, const RangeEvent& event,
              spool::PushedRanges<Open>& pushed, spool::StartedRanges<Open, Ended>& started);
  void range(const spool::PieceHeader& piece, std::uint64_t text, std::uint64_t begin,
             std::uint64_t end);
  void check_duration(const FlightTrigger& trigger, const spool::PieceHeader& piece,
                      const std::string& what, double ns, std::uint64_t end);
  void fire(const FlightTrigger& trigger, std::string text, std::uint64_t time = 0,
            const spool::PieceHeader* where = nullptr);

  template <class Visit>
  void for_each(std::uint32_t triggers, Visit visit) const {
    for (std::size_t i = 0; i < triggers_.size(); ++i)
      if ((triggers >> i & 1) != 0) visit(i, triggers_[i]);
  }

  const std::vector<FlightTrigger> triggers_;
  const spool::SessionClock clock_;
  std::uint32_t range_kinds_ = 0;     // kinds of triggers about ranges
  std::uint32_t function_kinds_ = 0;  // kinds of triggers about calls
  bool follows_gpus_ = false;

  std::map<std::uint32_t, pid_t> pids_;
  WatchedNames ranges_;
  std::unordered_map<std::uint64_t, WatchedNames::Name> function_names_;  // by hash
  std::unordered_map<std::uint32_t, std::uint64_t> functions_;            // hash of the name, by id
  std::vector<RangeEvent> events_;
  std::vector<Drained> drained_;
  std::map<Thread, spool::PushedRanges<Open>> pushed_;
  std::map<std::uint32_t, spool::StartedRanges<Open, Ended>> started_;    // by serial
  std::map<std::pair<std::size_t, std::uint64_t>, Quantiles> quantiles_;  // by trigger and text
  std::vector<std::pair<std::size_t, RateWatch>> rates_;
  std::vector<std::pair<std::size_t, IdleWatch>> idle_;
  std::vector<Series> series_;
  std::vector<Cause> causes_;
};

}  // namespace prof::session
