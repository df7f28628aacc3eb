// Durations of NVTX ranges, as they end.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collector/spool/nvtx_ranges.hpp"

namespace prof::prometheus {

// String hashes; 0: none.
struct RangeName {
  std::uint64_t domain = 0;
  std::uint64_t text = 0;
  bool operator==(const RangeName&) const = default;
};

class RangeTimes {
 public:
  // Gets each range that has ended, with its duration in ticks of the session's clock, and how many
  // ranges it stands for.
  using Sink = std::function<void(const RangeName&, std::uint64_t ticks, std::uint32_t weight)>;
  explicit RangeTimes(Sink sink) : sink_(std::move(sink)) {}

  // A fork child uses the domains that its parent has made. Their records may come later than the
  // child, and the child later than the end of its parent.
  void process_joined(std::uint32_t serial, std::uint32_t parent);
  void process_ended(std::uint32_t serial);

  // The records that follow are of this thread. Those of a thread come in order. False: the process
  // has not joined, and its records are not wanted.
  bool thread(std::uint32_t serial, std::uint32_t tid);
  // A thread may use a domain that another one has made, and be heard first. Such ranges count when
  // the domain has its name, or when their process has ended.
  void domain(std::uint32_t id, std::uint64_t name);
  void push(std::uint32_t domain, std::uint64_t text, std::uint64_t time, std::uint32_t weight = 1);
  void pop(std::uint32_t domain, std::uint64_t time);
  // A thread may end what another one has started, and be heard first.
  void start(std::uint32_t domain, std::uint64_t text, std::uint64_t range, std::uint64_t time,
             std::uint32_t weight = 1);
  void end(std::uint64_t range, std::uint64_t time);

 private:
  struct Open {
    std::uint32_t domain;
    std::uint64_t text;
    std::uint64_t time;
    std::uint32_t weight;
  };
  // A range that has ended in a domain without a name.
  struct Unnamed {
    Open range;
    std::uint64_t end;
  };
  using Domains = std::unordered_map<std::uint32_t, std::uint64_t>;  // id → name
  struct Process {
    std::uint32_t parent = 0;  // serial
    Domains domains;
    std::vector<Unnamed> unnamed;
    std::unordered_map<std::uint32_t, spool::PushedRanges<Open>> threads;  // with an open range
    spool::StartedRanges<Open, std::uint64_t> started;                     // with times of ends
  };

  struct Ended {
    std::uint32_t serial;
    std::uint32_t parent;
    Domains domains;
  };

  static constexpr std::size_t kMaxUnnamed = 10'000;  // domains and ranges of a process
  static constexpr std::size_t kMostEnded = 1'000;    // processes, and their domains

  std::optional<std::uint64_t> domain_name(const Process& process, std::uint32_t id) const;
  const Ended* find_ended(std::uint32_t serial) const;
  void keep_domains(std::uint32_t serial, Process& process);
  void settle_unnamed(Process& process);
  void report(const Open& range, std::uint64_t end);
  void count(const Open& range, std::uint64_t domain, std::uint64_t end) const {
    sink_({domain, range.text}, end > range.time ? end - range.time : 0, range.weight);
  }

  Sink sink_;
  std::unordered_map<std::uint32_t, Process> processes_;  // by serial
  std::deque<Ended> ended_;  // those that had domains: children may join later
  std::size_t ended_domains_ = 0;
  Process* process_ = nullptr;
  std::uint32_t tid_ = 0;
};

}  // namespace prof::prometheus
