// Rows of CUDA graphs and their nodes: made, cloned and updated. Finds the ids that nodes of graphs
// in graphs have in executable graphs, because CUPTI reports work by these ids and not the ids
// themselves.
#pragma once

#include <cstdint>
#include <map>
#include <memory_resource>
#include <string_view>
#include <utility>

#include "collector/spool/clock_model.hpp"
#include "common/report/event_classes.hpp"
#include "common/report/report_writer.hpp"
#include "common/wire/cuda_records.hpp"

namespace prof::ingest {

class GraphEvents {
 public:
  GraphEvents(const spool::ClockModel& clock, report::ReportWriter& writer)
      : clock_(clock), writer_(writer), sources_(writer.memory()), clones_(writer.memory()) {}

  // First pass. `serial`: of the process image.
  void define(std::uint32_t serial, const wire::CudaGraphEventRecord& record);
  // Returns the graph that the executable graph was made of, or the executable graph if that is not
  // known.
  std::uint32_t source_of(std::uint32_t serial, std::uint32_t exec) const;

  // Second pass: the records of one thread, in order, after begin_thread. `callchain`:
  // CUDA_CALLCHAINS.id; 0: none.
  void begin_thread(std::int64_t global_tid);
  void add(const wire::CudaGraphEventRecord& record, std::int64_t callchain);

 private:
  // A graph that is a clone. Its nodes have the numbers of their originals, from 0 on.
  struct Clone {
    std::uint32_t nodes = 0;
    bool is_dense = true;  // no number is left out, so the next new node has the number `nodes`
  };

  void add_graph(const wire::CudaGraphEventRecord& record, report::EventClass event_class,
                 std::string_view name);
  void add_node(std::int64_t time, std::string_view name, std::uint64_t node,
                std::uint64_t original, std::int64_t callchain);
  void count_clone(std::uint64_t node);
  void add_inlined(const wire::CudaGraphEventRecord& record);

  const spool::ClockModel& clock_;
  report::ReportWriter& writer_;
  std::int64_t global_tid_ = 0;
  std::pmr::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> sources_;
  std::pmr::map<std::uint64_t, Clone> clones_;  // of this thread, until they are executable
};

}  // namespace prof::ingest
