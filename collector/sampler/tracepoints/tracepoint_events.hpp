// Records chosen tracepoints of the kernel on the whole system. ftrace's configuration stays as it
// is, because the events are read through perf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "collector/sampler/event_group.hpp"
#include "collector/sampler/kernel_record_buffer.hpp"
#include "collector/sampler/tracepoints/tracepoint.hpp"
#include "common/base/result.hpp"

namespace prof::sampler {

// Returns the tracepoints that a user has enabled in ftrace, as names like "sched/sched_switch".
std::vector<std::string> enabled_tracepoints(
    const std::vector<std::string>& roots = tracefs_roots());

// Converts the records of one CPU to those of the spool. `ids`: the kernel's numbers of the
// tracepoints.
class TracepointRecords {
 public:
  explicit TracepointRecords(std::vector<std::uint32_t> ids) : ids_(std::move(ids)) {}

  void add(const PerfRecord& record);
  std::span<const std::byte> bytes() const { return records_.bytes(); }
  void clear() { records_.clear(); }

 private:
  void add_sample(std::span<const std::byte> body);

  std::vector<std::uint32_t> ids_;
  KernelRecordBuffer records_;
};

class TracepointEvents {
 public:
  // Gets the records of a CPU, in order.
  using Sink = std::function<void(std::uint32_t cpu, std::span<const std::byte>)>;

  // Opens the events, which begin at once. Records refer to tracepoints by their index.
  static base::Result<TracepointEvents> open(const std::vector<Tracepoint>& tracepoints);

  // Returns descriptors that become readable when a quarter of a CPU's buffer is full.
  std::vector<int> descriptors() const { return sampler::descriptors(cpus_); }

  // Passes what has been recorded by now to `sink`, with at most one call per CPU.
  void drain(const Sink& sink);

  // Returns how many records the kernel dropped because a buffer was full, if the kernel counts
  // them.
  std::uint64_t lost() const { return lost_records(cpus_); }
  std::uint64_t corrupt_bytes() const { return sampler::corrupt_bytes(cpus_); }

 private:
  explicit TracepointEvents(std::vector<std::uint32_t> ids) : records_(std::move(ids)) {}

  std::vector<EventGroup> cpus_;
  TracepointRecords records_;
};

}  // namespace prof::sampler
