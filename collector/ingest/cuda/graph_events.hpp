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
      : clock_(clock),
        writer_(writer),
        sources_(writer.memory()),
        made_(writer.memory()),
        cloned_(writer.memory()),
        clones_(writer.memory()),
        updated_(writer.memory()) {}

  // First pass. `serial`: of the process image.
  void define(std::uint32_t serial, const wire::CudaGraphEventRecord& record);
  // Returns the graph that the executable graph was made of, or the executable graph if that is not
  // known.
  std::uint32_t source_of(std::uint32_t serial, std::uint32_t exec) const;

  // Second pass: the records of one thread, in order, after begin_thread. `callchain`:
  // CUDA_CALLCHAINS.id; 0: none.
  void begin_thread(std::uint32_t serial, std::int64_t global_tid);
  void add(const wire::CudaGraphEventRecord& record, std::int64_t callchain);

 private:
  using Key = std::pair<std::uint32_t, std::uint64_t>;  // serial, graph
  // The nodes of a graph, which have numbers from 0 on. Those of a clone have the numbers of their
  // originals.
  struct Nodes {
    std::uint32_t nodes = 0;
    bool is_dense = true;  // no number is left out, so the next new node has the number `nodes`

    void add(std::uint64_t node);
    bool operator==(const Nodes&) const = default;
  };

  void add_graph(const wire::CudaGraphEventRecord& record, report::EventClass event_class,
                 std::string_view name);
  void add_node(std::int64_t time, std::string_view name, std::uint64_t node,
                std::uint64_t original, std::int64_t callchain);
  void add_inlined(const wire::CudaGraphEventRecord& record);
  void add_update(const wire::CudaGraphEventRecord& record);

  const spool::ClockModel& clock_;
  report::ReportWriter& writer_;
  std::uint32_t serial_ = 0;
  std::int64_t global_tid_ = 0;
  std::pmr::map<Key, std::uint64_t> sources_;
  std::pmr::map<Key, Nodes> made_;
  std::pmr::map<Key, Nodes> cloned_;
  std::pmr::map<std::uint64_t, Nodes> clones_;  // of this thread, until they are executable
  // The nodes that an update of this thread has changed, with their sources.
  std::pmr::map<std::uint64_t, std::uint64_t> updated_;
};

}  // namespace prof::ingest
