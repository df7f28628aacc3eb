// Reads all GPU operations into one list: kernels, copies, fills, and graphs that were traced as a
// whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/grouped_events.hpp"
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
  std::int64_t blocks;       // of a kernel, 0 if the report does not have them
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

  // Ends the use of the report, which otherwise stays open. The names of operations are known.
  void close_report() { strings_.close(); }

  // Keeps only the operations that overlap a time, and the devices that have such operations.
  void keep(const Interval& time);

  std::size_t size() const { return operations_.size(); }
  Operation at(std::size_t operation) const;
  // The operations, sorted by device and start.
  auto operations() const { return events::elements(*this, 0, size()); }
  const std::vector<Device>& devices() const { return devices_; }
  // Returns the operations of a device. A device has at least one.
  auto operations_of(std::size_t device) const {
    const events::GroupedEvents::Group& group = operations_.groups()[device];
    return events::elements(*this, group.first, group.end);
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
  // What the tables have besides of what add() reads.
  struct Details {
    WorkKind kind;
    std::int64_t name = 0;
    std::int64_t size = 0;  // bytes of a copy or a fill, blocks of a kernel
    bool communication = false;
    std::uint8_t source = 0;
    std::uint8_t destination = 0;
  };

  explicit GpuWork(const report::ReportReader& reader) : strings_(reader) {}
  base::Status read_kernels(const report::ReportReader& reader);
  base::Status read_memory(const report::ReportReader& reader);
  base::Status read_graphs(const report::ReportReader& reader);
  void add(const events::Times& times, const report::Row& row, const Details& details);
  void sort();
  static events::GroupedEvents no_operations() {
    return {kValues, events::GroupedEvents::Ties::kShortestFirst};
  }

  // The values of an event of operations_.
  enum Value : std::size_t { kName, kSize, kCorrelation, kStream, kTraits, kValues };
  events::GroupedEvents operations_ = no_operations();  // by device
  std::vector<Device> devices_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> numbers_;  // used while reading
  mutable std::unordered_map<std::int64_t, KernelKind> kinds_;
  mutable events::Strings strings_;
};

}  // namespace prof::insight
