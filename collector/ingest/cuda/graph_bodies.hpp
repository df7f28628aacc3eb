// Finds the launch of work in bodies of conditional nodes. CUPTI 13.0 reports such work without the
// correlation id of the launch of its graph (seen on an H200; 13.5 has the id), so it waits here
// until the other work of the graph says when the graph was launched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <utility>
#include <variant>
#include <vector>

#include "common/wire/cuda_records.hpp"

namespace prof::ingest {

class GraphBodies {
 public:
  struct Work {
    std::uint32_t serial;  // of the process image
    std::variant<wire::CudaKernelRecord, wire::CudaMemcpyRecord, wire::CudaMemsetRecord> record;
  };

  explicit GraphBodies(std::pmr::memory_resource* memory)
      : graphs_(memory), waiting_(memory), leads_(memory) {}

  // First pass: an executable graph has nodes of graphs in it.
  void define(std::uint32_t serial, const wire::CudaGraphEventRecord& record);

  // Second pass. Returns true if the work has no launch yet: then take() returns it later.
  template <class Record>
  bool keep(std::uint32_t serial, const Record& record) {
    if (record.graph_node == 0 || graphs_.empty()) return false;
    const auto graph = graphs_.find({serial, record.graph_node >> kNumberBits});
    if (graph == graphs_.end()) return false;
    if (record.header.aux == 0) {
      waiting_.push_back({serial, record});
      return true;
    }
    const auto [launch, is_new] = graph->second.try_emplace(record.header.aux, record.start);
    if (record.start < launch->second) launch->second = record.start;
    return false;
  }
  // True if the work that waits should be taken, because it needs much memory.
  bool is_full() const { return waiting_.size() >= kMaxWaiting; }
  // Returns the work that waits, with the correlation ids of the launches that are known by now.
  std::pmr::vector<Work> take();

 private:
  static constexpr int kNumberBits = 32;  // the upper half of a node's id is its executable graph
  static constexpr std::size_t kMaxWaiting = std::size_t{1} << 18;

  using Key = std::pair<std::uint32_t, std::uint64_t>;  // serial; graph or node
  // By correlation id: the start of the first work with this id.
  using Launches = std::pmr::map<std::uint32_t, std::uint64_t>;
  // Start and correlation id, in the order of starts.
  using Starts = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

  void find_leading_nodes(const std::map<Key, Starts>& starts);

  std::pmr::map<Key, Launches> graphs_;  // those with graphs in them
  std::pmr::vector<Work> waiting_;
  std::pmr::map<Key, bool> leads_;  // by node: whether it runs before all work with a launch
};

}  // namespace prof::ingest
