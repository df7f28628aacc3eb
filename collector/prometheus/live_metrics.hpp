// Metrics, for Prometheus, of what a session has recorded so far. The number of names is limited,
// so neither prof's memory nor Prometheus's grows with the run time of the program.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "collector/prometheus/gpu_busy.hpp"
#include "collector/prometheus/metrics_text.hpp"
#include "collector/prometheus/range_times.hpp"
#include "collector/prometheus/series.hpp"
#include "collector/spool/next_weight.hpp"
#include "collector/spool/notes.hpp"
#include "collector/spool/session_clock.hpp"
#include "collector/spool/spool.hpp"

namespace prof::prometheus {

class LiveMetrics {
 public:
  LiveMetrics(const spool::SessionClock& clock, std::string version);

  // These are called by the thread that drains. Pieces of a thread come in order, and after its
  // process has joined. A process is announced again when a collection begins.
  void process_joined(const spool::ProcessNote& note);
  void process_ended(const spool::ProcessEndNote& note);
  void take(const spool::PieceHeader& piece, std::span<const std::byte> bytes);
  // Adds events that a process has dropped.
  void dropped(const spool::Drops& drops);
  // Sets the number of events that live processes have dropped and that were not passed to
  // dropped() yet.
  void set_open_drops(const spool::Drops& drops);

  // Returns the metrics as text. Any thread may call it. `now` is CLOCK_MONOTONIC_RAW in ns, like
  // the times of GPU work.
  std::string text(std::uint64_t now);

 private:
  struct Work {
    std::uint64_t count = 0;
    double seconds = 0;
  };
  // The number of upper bounds: from 10 µs to 100 s, three in each power of ten.
  static constexpr std::size_t kBuckets = 22;
  struct Histogram {
    std::array<std::uint64_t, kBuckets + 1> counts{};  // the last one counts longer durations
    double sum = 0;
  };
  struct RangeHash {
    std::size_t operator()(const RangeName& name) const { return name.text ^ name.domain * 31; }
  };
  enum class Event { kCall, kShortCall, kNvtx, kCudaCall, kKernel, kCopy, kMemset, kSync, kPython };
  static constexpr std::size_t kEvents = 9;

  class Visitor;

  void take_range(const RangeName& name, std::uint64_t ticks, std::uint32_t weight);
  void count(Event event, std::uint64_t times = 1) {
    events_[static_cast<std::size_t>(event)] += times;
  }
  double seconds(std::uint64_t ticks) const { return clock_.to_ns(ticks) / 1e9; }
  std::string gpu_name(std::uint32_t device) const;
  std::string text_of(std::uint64_t hash) const;
  template <class Key, class NameOf>
  static std::map<std::string, Work> by_name(const Series<Key, Work>& series, NameOf name_of);
  void write_session(MetricsText& out) const;
  void write_events(MetricsText& out) const;
  void write_ranges(MetricsText& out) const;
  void write_calls(MetricsText& out) const;
  void write_gpus(MetricsText& out, std::uint64_t now);

  static constexpr std::size_t kMaxTextBytes = std::size_t{16} << 20;

  const spool::SessionClock clock_;
  const std::string version_;
  std::mutex mutex_;  // protects all members below
  RangeTimes range_times_;
  std::uint32_t serial_ = 0;  // serial of the process whose records are visited
  spool::NextWeight weight_;
  // Weight of a record that comes with the next bytes, by serial and thread.
  std::map<std::pair<std::uint32_t, std::uint32_t>, spool::NextWeight> weights_;
  std::unordered_map<std::uint64_t, std::string> texts_;  // by hash
  std::size_t text_bytes_ = 0;
  // Hash of the name, by function id.
  std::unordered_map<std::uint32_t, std::uint64_t> function_names_;
  // Names by serial and ordinal.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> gpu_names_;

  std::unordered_set<std::uint32_t> live_processes_;  // serials
  std::uint64_t all_processes_ = 0;
  std::uint64_t recorded_bytes_ = 0;
  std::array<std::uint64_t, kEvents> events_{};
  spool::Drops drops_;
  spool::Drops open_drops_;
  Series<RangeName, Histogram, RangeHash> ranges_;
  Series<std::uint32_t, Work> calls_;    // by function
  Series<std::uint64_t, Work> kernels_;  // by hash of the mangled name
  double sync_seconds_ = 0;
  std::uint64_t copied_bytes_ = 0;
  std::map<std::string, GpuBusy> gpus_;
};

}  // namespace prof::prometheus
