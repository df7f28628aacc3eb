#include "collector/ingest/cuda/graph_bodies.hpp"

#include <algorithm>

namespace prof::ingest {

namespace {

std::uint64_t node_of(const GraphBodies::Work& work) {
  return std::visit([](const auto& record) { return record.graph_node; }, work.record);
}
std::uint64_t start_of(const GraphBodies::Work& work) {
  return std::visit([](const auto& record) { return record.start; }, work.record);
}

}  // namespace

void GraphBodies::define(std::uint32_t serial, const wire::CudaGraphEventRecord& record) {
  if (record.header.aux == static_cast<std::uint32_t>(wire::CudaGraphEvent::kGraphInlined))
    graphs_.try_emplace({serial, record.exec});
}

// A conditional node without predecessors runs before the rest of its graph. So its work in the
// first launch comes before all work with a launch.
void GraphBodies::find_leading_nodes(const std::map<Key, Starts>& starts) {
  std::map<Key, std::uint64_t> first;
  for (const Work& work : waiting_) {
    const auto [known, is_new] = first.try_emplace({work.serial, node_of(work)}, start_of(work));
    known->second = std::min(known->second, start_of(work));
  }
  for (const auto& [node, start] : first) {
    const Starts& launches = starts.at({node.first, node.second >> kNumberBits});
    if (!launches.empty()) leads_.try_emplace(node, start < launches.front().first);
  }
}

// Launches of an executable graph do not overlap. So work belongs to the last launch that began
// before it or, if its node leads, to the first one that began after it.
std::pmr::vector<GraphBodies::Work> GraphBodies::take() {
  std::map<Key, Starts> starts;
  for (const Work& work : waiting_) {
    const Key graph{work.serial, node_of(work) >> kNumberBits};
    const auto [known, is_new] = starts.try_emplace(graph);
    if (!is_new) continue;
    for (const auto& [correlation, start] : graphs_.at(graph))
      known->second.emplace_back(start, correlation);
    std::ranges::sort(known->second);
  }
  find_leading_nodes(starts);
  for (Work& work : waiting_) {
    const std::uint64_t node = node_of(work);
    const Starts& launches = starts.at({work.serial, node >> kNumberBits});
    if (launches.empty()) continue;
    auto launch = std::ranges::upper_bound(launches, start_of(work), {},
                                           &std::pair<std::uint64_t, std::uint32_t>::first);
    if (!leads_.at({work.serial, node}) && launch != launches.begin()) --launch;
    if (launch == launches.end()) continue;
    std::visit([&](auto& record) { record.header.aux = launch->second; }, work.record);
  }
  std::pmr::vector<Work> taken(waiting_.get_allocator());
  taken.swap(waiting_);
  return taken;
}

}  // namespace prof::ingest
