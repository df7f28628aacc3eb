// perf's records cut to what the spool keeps of them.
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
  // Keeps what every recording has: FORK, EXIT, COMM and LOST. Others, and those that are too
  // short, leave nothing.
  void add_task(const PerfRecord& record);
  void append(const spool::KernelRecord& record);
  // The same with the name that follows a record of type kName; 15 characters of it.
  void append(const spool::KernelRecord& record, std::string_view name);

  std::span<const std::byte> bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  void add_task(spool::KernelRecordType type, std::span<const std::byte> body);
  void add_name(const PerfRecord& record);
  void add_loss(std::span<const std::byte> body);

  std::vector<std::byte> bytes_;
};

}  // namespace prof::sampler
