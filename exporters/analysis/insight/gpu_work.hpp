// Reads all GPU operations into one list: kernels, copies, fills, and graphs that were traced as a
// whole.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/insight/intervals.hpp"
#include "exporters/analysis/insight/kernel_kinds.hpp"

namespace prof::insight {

enum class WorkKind : std::uint8_t { kKernel, kCopy, kFill, kGraph };

struct Operation {
  std::int64_t start;  // ns
  std::int64_t end;
  // For a kernel the demangled name (StringIds.id), for a copy ENUM_CUDA_MEMCPY_OPER, for a graph
  // graphExecId.
  std::int64_t name;
  std::int64_t bytes;        // of a copy or a fill
  std::int64_t correlation;  // id of the API call; 0: unknown
  std::int32_t stream;
  std::uint32_t device;  // index into GpuWork::devices()
  WorkKind kind;
  bool communication;        // a kernel of NCCL or a similar library
  std::uint8_t source;       // ENUM_CUDA_MEM_KIND of a copy
  std::uint8_t destination;  // ENUM_CUDA_MEM_KIND of a copy or a fill

  std::int64_t duration() const { return end - start; }
  Interval interval() const { return {start, end}; }
};

// One process's use of one GPU. Two processes may share a GPU, or each may have its own GPU 0.
struct Device {
  std::int64_t global_pid;
  std::int64_t number;  // CUDA's device number in that process
};

class GpuWork {
 public:
  static base::Result<GpuWork> read(const report::ReportReader& reader);

  // Keeps only the operations that overlap a time, and the devices that have such operations.
  void keep(const Interval& time);

  const std::vector<Operation>& operations() const {
    return operations_;
  }  // sorted by device and start
  const std::vector<Device>& devices() const { return devices_; }
  // Return the operations of a device: [begin, end).
  const Operation* begin(std::size_t device) const { return operations_.data() + firsts_[device]; }
  const Operation* end(std::size_t device) const {
    return operations_.data() + firsts_[device + 1];
  }
  // Returns the time from a device's first operation to the end of its last one.
  Interval span(std::size_t device) const;

  std::int64_t global_pid(const Operation& operation) const {
    return devices_[operation.device].global_pid;
  }

  // Returns the kind of a kernel name (StringIds.id), even if no operation has this name.
  const KernelKind& kernel_kind(std::int64_t name) const;
  const std::string& kernel_name(std::int64_t name) const { return strings_.text(name); }
  // Returns "sgemm_128", "[CUDA memcpy Host-to-Device]", "[CUDA memset]" or "[CUDA graph 3]".
  std::string name_of(const Operation& operation) const;

 private:
  explicit GpuWork(const report::ReportReader& reader) : strings_(reader) {}
  base::Status read_kernels(const report::ReportReader& reader);
  base::Status read_memory(const report::ReportReader& reader);
  base::Status read_graphs(const report::ReportReader& reader);
  Operation& add(const events::Times& times, const report::Row& row);
  void sort();

  std::vector<Operation> operations_;
  std::vector<Device> devices_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> numbers_;  // used while reading
  std::vector<std::size_t>
      firsts_;  // by device: index of its first operation; the last element is the end
  mutable std::unordered_map<std::int64_t, KernelKind> kinds_;
  mutable events::Strings strings_;
};

}  // namespace prof::insight
