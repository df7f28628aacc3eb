#include "collector/ingest/cuda/graph_events.hpp"

namespace prof::ingest {

using report::EventClass;
using report::Value;
using wire::CudaGraphEvent;

namespace {

constexpr int kNumberBits = 32;  // the upper half of a node's id is its graph

constexpr std::string_view kNodeCreation = "Graph Node Creation";

Value id_or_null(std::uint64_t id) {
  return id == 0 ? Value(nullptr) : Value(static_cast<std::int64_t>(id));
}

}  // namespace

void GraphEvents::define(std::uint32_t serial, const wire::CudaGraphEventRecord& record) {
  if (record.header.aux == static_cast<std::uint32_t>(CudaGraphEvent::kExecCreated))
    sources_.insert_or_assign({serial, record.exec}, record.id);
}

std::uint32_t GraphEvents::source_of(std::uint32_t serial, std::uint32_t exec) const {
  const auto source = sources_.find({serial, exec});
  return source == sources_.end() ? exec : static_cast<std::uint32_t>(source->second);
}

void GraphEvents::begin_thread(std::int64_t global_tid) {
  global_tid_ = global_tid;
  clones_.clear();
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

void GraphEvents::count_clone(std::uint64_t node) {
  Clone& clone = clones_[node >> kNumberBits];
  if (static_cast<std::uint32_t>(node) != clone.nodes) clone.is_dense = false;
  ++clone.nodes;
}

// If nodes of one of the graphs were destroyed, the new numbers are not known.
void GraphEvents::add_inlined(const wire::CudaGraphEventRecord& record) {
  const auto outer = clones_.find(record.exec);
  if (outer == clones_.end() || !outer->second.is_dense || record.id == record.exec) return;
  Clone& exec = outer->second;
  const auto inner = clones_.find(record.id);
  exec.is_dense = inner != clones_.end() && inner->second.is_dense;
  if (!exec.is_dense) return;
  const std::int64_t time = clock_.to_ns(record.time);
  for (std::uint64_t i = 0; i < inner->second.nodes; ++i)
    add_node(time, kNodeCreation, (record.exec << kNumberBits) + exec.nodes++,
             (record.id << kNumberBits) + i, 0);
  clones_.erase(inner);
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
      count_clone(record.id);
      return add_node(time, kNodeCreation, record.id, record.original, callchain);
    case CudaGraphEvent::kNodeCreated:
      return add_node(time, kNodeCreation, record.id, record.original, callchain);
    case CudaGraphEvent::kNodeUpdated:
      return add_node(time, "Graph Node Update", record.id, record.original, callchain);
    case CudaGraphEvent::kGraphInlined:
      return add_inlined(record);
    case CudaGraphEvent::kCount:
      return;
  }
}

}  // namespace prof::ingest
