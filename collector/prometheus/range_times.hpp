// Measures the durations of NVTX ranges as they end.
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

// String hashes of the domain and the text; 0: none.
struct RangeName {
  std::uint64_t domain = 0;
  std::uint64_t text = 0;
  bool operator==(const RangeName&) const = default;
};

class RangeTimes {
 public:
  // Called for each range that has ended, with its duration in ticks of the session's clock, and
  // the number of ranges that it stands for.
  using Sink = std::function<void(const RangeName&, std::uint64_t ticks, std::uint32_t weight)>;
  explicit RangeTimes(Sink sink) : sink_(std::move(sink)) {}

  // Adds a process. A forked child uses the domains of its parent. The records of these domains may
  // arrive after the child joins, and the child may join after its parent ends.
  void process_joined(std::uint32_t serial, std::uint32_t parent);
  void process_ended(std::uint32_t serial);

  // Sets the thread of the following records. The records of a thread come in order. Returns false
  // if the process has not joined: then its records are not used.
  bool thread(std::uint32_t serial, std::uint32_t tid);
  // Adds a domain. A thread may use a domain of another thread before the domain's record arrives.
  // Such ranges count as soon as the domain's name is known, or their process ends.
  void domain(std::uint32_t id, std::uint64_t name);
  void push(std::uint32_t domain, std::uint64_t text, std::uint64_t time, std::uint32_t weight = 1);
  void pop(std::uint32_t domain, std::uint64_t time);
  // Starts a range. A thread may end a range of another thread before the start's record arrives.
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
    std::uint32_t parent = 0;  // serial of the parent
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
  static constexpr std::size_t kMaxEnded = 1'000;     // processes, and domains of ended processes

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
  std::deque<Ended> ended_;  // ended processes with domains, because children may join later
  std::size_t ended_domains_ = 0;
  Process* process_ = nullptr;
  std::uint32_t tid_ = 0;
};

}  // namespace prof::prometheus
