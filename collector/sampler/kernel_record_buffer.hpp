// Shortens perf's records to those of the spool.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "collector/sampler/perf_ring.hpp"
#include "collector/spool/kernel_records.hpp"

namespace prof::sampler {

class KernelRecordBuffer {
 public:
  // Adds FORK, EXIT, COMM and LOST records, which every recording needs. Ignores other records, and
  // records that are too short.
  void add_task(const PerfRecord& record);
  void append(const spool::KernelRecord& record);
  // Appends a record of type kName and the name that follows it. Keeps at most 15 characters.
  void append(const spool::KernelRecord& record, std::string_view name);
  // Appends a record of type kTracepoint and the fields that follow it.
  void append(const spool::KernelRecord& record, std::span<const std::byte> fields);

  std::span<const std::byte> bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  void add_task(spool::KernelRecordType type, std::span<const std::byte> body);
  void add_name(const PerfRecord& record);
  void add_loss(std::span<const std::byte> body);

  std::vector<std::byte> bytes_;
};

}  // namespace prof::sampler
