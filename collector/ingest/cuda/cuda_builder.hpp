// Turns the records of injection/cuda into rows of the CUDA tables. Translates CUPTI's numbers into
// nsys's. Demangles the name of each kernel once.
#pragma once

#include <cstdint>
#include <map>
#include <memory_resource>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collector/ingest/cuda/context_switches.hpp"
#include "collector/ingest/cuda/cuda_events.hpp"
#include "collector/ingest/cuda/cuda_names.hpp"
#include "collector/ingest/cuda/graph_bodies.hpp"
#include "collector/ingest/cuda/graph_events.hpp"
#include "collector/ingest/cuda/id_set.hpp"
#include "collector/ingest/process_table.hpp"
#include "collector/ingest/string_table.hpp"
#include "collector/spool/clock_model.hpp"
#include "common/report/report_writer.hpp"
#include "common/wire/cuda_records.hpp"

namespace prof::ingest {

struct CudaStats {
  std::uint64_t calls = 0;       // calls of the CUDA API
  std::uint64_t operations = 0;  // kernels, copies, memsets and graph launches on the GPU
  std::uint64_t others = 0;      // synchronizations, events, uses of memory
  std::uint64_t impossible = 0;  // GPU records with a time outside of the session
};

class CudaBuilder {
 public:
  CudaBuilder(const spool::ClockModel& clock, const StringTable& strings,
              const ProcessTable& processes, report::ReportWriter& writer)
      : clock_(clock),
        strings_(strings),
        processes_(processes),
        writer_(writer),
        contexts_(writer.memory()),
        graphs_(clock, writer),
        bodies_(writer.memory()),
        events_(writer.memory()),
        contexts_of_stream_(writer.memory()),
        streams_(writer.memory()),
        devices_(writer.memory()),
        runtime_calls_(writer.memory()),
        kernel_names_(writer.memory()),
        names_(writer.memory()),
        switches_(writer.memory()) {}

  // First pass: adds definitions that records of any thread refer to. `serial`: of the process
  // image.
  void define(std::uint32_t serial, const wire::CudaContextRecord& record);
  void define(std::uint32_t serial, const wire::CudaGraphEventRecord& record);
  void define(std::uint32_t serial, const wire::CudaEventRecord& record);
  void define(std::uint32_t serial, const wire::CudaSyncRecord& record);
  void define(std::uint32_t serial, const wire::CudaStreamRecord& record);
  // First pass: the function of an API call.
  void define_call(std::uint32_t serial, std::uint32_t function, std::uint32_t correlation);

  // Second pass: the records of one thread, in order, after begin_thread.
  void begin_thread(std::uint32_t serial, std::uint32_t tid);
  // `callchain`: CUDA_CALLCHAINS.id; 0: none.
  void call(const wire::CudaCallRecord& record, std::int32_t name_id, std::int64_t callchain);
  void call(const wire::CudaRecordedCallRecord& record, std::int32_t name_id);
  void kernel(const wire::CudaKernelRecord& record);
  void memcpy(const wire::CudaMemcpyRecord& record);
  void memset(const wire::CudaMemsetRecord& record);
  void sync(const wire::CudaSyncRecord& record);
  void event(const wire::CudaEventRecord& record);
  void graph_launch(const wire::CudaGraphLaunchRecord& record);
  void host_function(const wire::CudaHostFunctionRecord& record);
  void context_switch(const wire::CudaContextSwitchRecord& record);
  void memory(const wire::CudaMemoryRecord& record);
  void pool(const wire::CudaPoolRecord& record);
  void stream(const wire::CudaStreamRecord& record);
  void device(const wire::CudaDeviceRecord& record);
  void graph_event(const wire::CudaGraphEventRecord& record, std::int64_t callchain) {
    graphs_.add(record, callchain);
  }
  void overhead(const wire::CudaOverheadRecord& record);
  void unified_memory(const wire::CudaUnifiedMemoryRecord& record);
  void name(const wire::CudaNameRecord& record) { names_.add(serial_, record); }
  void external_id(const wire::CudaExternalIdRecord& record);

  // Writes the remaining rows, after the last thread. `gpu_locations`: PCI locations of the
  // machine's GPUs, lowest first.
  void finish(const std::vector<std::string>& gpu_locations);

  const CudaStats& stats() const { return stats_; }
  // Returns the latest time of a row so far, ns.
  std::int64_t last_time() const { return last_time_; }

 private:
  using Key = std::pair<std::uint32_t, std::uint64_t>;  // serial, id

  struct KernelNames {
    std::int32_t demangled;
    std::int32_t brief;
    std::int32_t mangled;
  };
  // The device, context and green context of a row.
  struct DeviceIds {
    std::uint32_t device;
    std::uint32_t context;
    std::uint32_t green_context;  // 0: not a green context
  };

  bool is_inside_runtime_call(std::uint32_t function, std::uint32_t correlation) const;
  std::int64_t gpu_time(std::uint64_t raw);
  bool is_plausible(std::int64_t start, std::int64_t end);
  DeviceIds place(std::uint32_t context, std::uint32_t device) const;
  std::uint32_t context_of_stream(std::uint32_t stream, std::uint32_t current) const;
  const KernelNames& names_of(std::uint64_t hash);
  template <class Row, class Record>
  void locate(Row& row, const Record& record, std::uint32_t device);
  void write(const wire::CudaKernelRecord& record);
  void write(const wire::CudaMemcpyRecord& record);
  void write(const wire::CudaMemsetRecord& record);
  // Writes the work now, or later if it is in a body of a graph.
  template <class Record>
  void write_or_keep(const Record& record);
  void write_bodies();
  void migration(const wire::CudaUnifiedMemoryRecord& record, std::int32_t copy_kind);
  void write_context(const Key& key, const wire::CudaContextRecord& record);

  const spool::ClockModel& clock_;
  const StringTable& strings_;
  const ProcessTable& processes_;
  report::ReportWriter& writer_;
  CudaStats stats_;

  std::uint32_t serial_ = 0;
  std::int64_t global_tid_ = 0;
  std::int64_t global_pid_ = 0;
  std::int64_t last_time_ = 0;

  std::pmr::map<Key, wire::CudaContextRecord> contexts_;
  GraphEvents graphs_;
  GraphBodies bodies_;
  CudaEvents events_;
  std::pmr::map<Key, std::pmr::set<std::uint32_t>>
      contexts_of_stream_;            // older CUPTI versions number streams per context
  std::pmr::map<Key, bool> streams_;  // whether the stream has been written
  std::pmr::map<Key, wire::CudaDeviceRecord> devices_;
  IdSet runtime_calls_;
  std::pmr::unordered_map<std::uint64_t, KernelNames> kernel_names_;
  CudaNames names_;
  ContextSwitches switches_;
};

}  // namespace prof::ingest
