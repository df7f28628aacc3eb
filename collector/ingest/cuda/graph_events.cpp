#include "collector/ingest/cuda/graph_events.hpp"

#include <string_view>
#include <utility>

namespace prof::ingest {

using report::EventClass;
using report::Value;
using wire::CudaGraphEvent;

namespace {

constexpr int kNumberBits = 32;  // the upper half of a node's id is its graph

constexpr std::string_view kNodeCreation = "Graph Node Creation";
constexpr std::string_view kNodeUpdate = "Graph Node Update";

Value id_or_null(std::uint64_t id) {
  return id == 0 ? Value(nullptr) : Value(static_cast<std::int64_t>(id));
}

}  // namespace

void GraphEvents::Nodes::add(std::uint64_t node) {
  if (static_cast<std::uint32_t>(node) != nodes) is_dense = false;
  ++nodes;
}

void GraphEvents::define(std::uint32_t serial, const wire::CudaGraphEventRecord& record) {
  const Key graph_of_node{serial, record.id >> kNumberBits};
  switch (static_cast<CudaGraphEvent>(record.header.aux)) {
    case CudaGraphEvent::kExecCreated:
      sources_.insert_or_assign({serial, record.exec}, record.id);
      return;
    case CudaGraphEvent::kNodeCreated:
      return made_[graph_of_node].add(record.id);
    case CudaGraphEvent::kNodeCloned:
      return cloned_[graph_of_node].add(record.id);
    default:
      return;
  }
}

std::uint32_t GraphEvents::source_of(std::uint32_t serial, std::uint32_t exec) const {
  const auto source = sources_.find({serial, exec});
  return source == sources_.end() ? exec : static_cast<std::uint32_t>(source->second);
}

void GraphEvents::begin_thread(std::uint32_t serial, std::int64_t global_tid) {
  serial_ = serial;
  global_tid_ = global_tid;
  clones_.clear();
  updated_.clear();
}

void GraphEvents::add_graph(const wire::CudaGraphEventRecord& record, EventClass event_class,
                            std::string_view name) {
  const std::int64_t time = clock_.to_ns(record.time);
  writer_.add("CUDA_GRAPH_EVENTS",
              {time, time, static_cast<std::int64_t>(event_class), global_tid_,
               static_cast<std::int64_t>(writer_.string_id(name)), id_or_null(record.id),
               id_or_null(record.original), id_or_null(record.exec)});
}

// nsys shows a clone as the creation of a node that has an original.
void GraphEvents::add_node(std::int64_t time, std::string_view name, std::uint64_t node,
                           std::uint64_t original, std::int64_t callchain) {
  writer_.add("CUDA_GRAPH_NODE_EVENTS",
              {time, time, static_cast<std::int64_t>(EventClass::kGraphNodeCreation), global_tid_,
               static_cast<std::int64_t>(writer_.string_id(name)), static_cast<std::int64_t>(node),
               id_or_null(original), id_or_null(static_cast<std::uint64_t>(callchain))});
}

// If nodes of one of the graphs were destroyed, the new numbers are not known.
void GraphEvents::add_inlined(const wire::CudaGraphEventRecord& record) {
  const auto outer = clones_.find(record.exec);
  if (outer == clones_.end() || !outer->second.is_dense || record.id == record.exec) return;
  Nodes& exec = outer->second;
  const auto inner = clones_.find(record.id);
  exec.is_dense = inner != clones_.end() && inner->second.is_dense;
  if (!exec.is_dense) return;
  const std::int64_t time = clock_.to_ns(record.time);
  for (std::uint64_t i = 0; i < inner->second.nodes; ++i)
    add_node(time, kNodeCreation, (record.exec << kNumberBits) + exec.nodes++,
             (record.id << kNumberBits) + i, 0);
  clones_.erase(inner);
}

// An update changes nodes, whose rows are there already, and leaves others as they are. If the
// graph was made in the same order as the one that was instantiated, a node takes over the node
// with its number. Nodes of graphs in graphs are not known.
void GraphEvents::add_update(const wire::CudaGraphEventRecord& record) {
  const auto updated = std::exchange(
      updated_, std::pmr::map<std::uint64_t, std::uint64_t>(updated_.get_allocator()));
  const auto exec = cloned_.find({serial_, record.exec});
  const auto graph = made_.find({serial_, record.id});
  if (exec == cloned_.end() || graph == made_.end()) return;
  if (!exec->second.is_dense || exec->second != graph->second) return;
  const std::uint64_t to = record.exec << kNumberBits;
  const std::uint64_t from = record.id << kNumberBits;
  for (const auto& [node, source] : updated)
    if (node - to < exec->second.nodes && source - from != node - to) return;
  const std::int64_t time = clock_.to_ns(record.time);
  for (std::uint64_t i = 0; i < exec->second.nodes; ++i)
    if (!updated.contains(to + i)) add_node(time, kNodeUpdate, to + i, from + i, 0);
}

void GraphEvents::add(const wire::CudaGraphEventRecord& record, std::int64_t callchain) {
  const std::int64_t time = clock_.to_ns(record.time);
  switch (static_cast<CudaGraphEvent>(record.header.aux)) {
    case CudaGraphEvent::kGraphCreated:
      return add_graph(record, EventClass::kGraphCreation, "Graph Creation");
    case CudaGraphEvent::kGraphCloned:
      return add_graph(record, EventClass::kGraphClone, "Graph Clone");
    case CudaGraphEvent::kExecCreated:
      clones_.erase(record.exec);
      return add_graph(record, EventClass::kGraphExecCreation, "GraphExec Creation");
    case CudaGraphEvent::kNodeCloned:
      clones_[record.id >> kNumberBits].add(record.id);
      return add_node(time, kNodeCreation, record.id, record.original, callchain);
    case CudaGraphEvent::kNodeCreated:
      return add_node(time, kNodeCreation, record.id, record.original, callchain);
    case CudaGraphEvent::kExecUpdated:
      return add_update(record);
    case CudaGraphEvent::kNodeUpdated:
      updated_[record.id] = record.original;
      return add_node(time, kNodeUpdate, record.id, record.original, callchain);
    case CudaGraphEvent::kGraphInlined:
      return add_inlined(record);
    case CudaGraphEvent::kCount:
      return;
  }
}

}  // namespace prof::ingest
