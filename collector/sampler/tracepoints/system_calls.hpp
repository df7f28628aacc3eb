// Records every system call of a process and its future children, from its next exec on, with the
// kernel's tracepoints. No code of prof runs in the target for that.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "collector/sampler/event_group.hpp"
#include "collector/sampler/kernel_record_buffer.hpp"
#include "collector/sampler/tracepoints/tracepoint.hpp"
#include "common/base/result.hpp"

namespace prof::sampler {

// The two tracepoints, and the offset of the system call's number in their records.
struct SystemCallTracepoints {
  std::uint32_t enter_id = 0;
  std::uint32_t exit_id = 0;
  std::uint32_t number_offset = 0;

  static base::Result<SystemCallTracepoints> find(
      const std::vector<std::string>& roots = tracefs_roots());
};

// Shortens the kernel's records of one CPU to those of the spool. Ignores other types, and records
// that are too short.
class RecordShortener {
 public:
  explicit RecordShortener(const SystemCallTracepoints& tracepoints) : points_(tracepoints) {}

  void add(const PerfRecord& record);
  std::span<const std::byte> records() const { return records_.bytes(); }
  void clear() { records_.clear(); }

 private:
  void add_sample(std::span<const std::byte> body);

  SystemCallTracepoints points_;
  KernelRecordBuffer records_;
};

class SystemCalls {
 public:
  // Gets the records of a CPU, in order.
  using Sink = std::function<void(std::uint32_t cpu, std::span<const std::byte>)>;

  // Returns why system calls cannot be recorded here, and what would help. Empty if they can.
  static std::string obstacle();

  // Opens the events. The process must be waiting to exec.
  static base::Result<SystemCalls> open(pid_t pid);

  // Returns descriptors that become readable when a quarter of a CPU's buffer is full, and when the
  // last process has ended.
  std::vector<int> descriptors() const { return sampler::descriptors(cpus_); }

  // Passes what has been recorded by now to `sink`, with at most one call per CPU.
  void drain(const Sink& sink);

  // Returns how many records the kernel dropped because a buffer was full, if the kernel counts
  // them.
  std::uint64_t lost() const { return lost_records(cpus_); }
  std::uint64_t corrupt_bytes() const { return sampler::corrupt_bytes(cpus_); }

 private:
  explicit SystemCalls(const SystemCallTracepoints& points) : shortener_(points) {}

  std::vector<EventGroup> cpus_;
  RecordShortener shortener_;
};

}  // namespace prof::sampler
