// api/waits: who waits for whom, by rank; of many ranks by node.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "exporters/viewer/run/run_answers.hpp"

namespace prof::view {

namespace {

constexpr std::size_t kMostRanks = 256;   // that are shown one by one
constexpr std::size_t kMostRows = 65536;  // of ranks

struct PairSum {
  std::int64_t wait = 0;
  std::int64_t operations = 0;
  std::int64_t longest = 0;
};

// The node of each rank.
std::map<std::int64_t, std::string> nodes_of(const RunRanks& ranks) {
  std::map<std::int64_t, std::string> nodes;
  for (const RunRank& each : ranks.ranks) nodes.try_emplace(*each.unit.rank, each.unit.node);
  return nodes;
}

template <class Key>
void add_row(Json& json, const Key& waiting, const Key& awaited, const PairSum& sum) {
  json.begin_list()
      .value(waiting)
      .value(awaited)
      .value(sum.wait)
      .value(sum.operations)
      .value(sum.longest)
      .end_list();
}

void add_nodes(Json& json, const RunCollectives& run,
               const std::map<std::int64_t, std::string>& nodes) {
  std::map<std::pair<std::string, std::string>, PairSum> sums;
  for (const RankWait& each : run.waits) {
    PairSum& sum = sums[{nodes.at(each.rank), nodes.at(each.waits_for)}];
    sum.wait += each.wait;
    sum.operations += each.operations;
    sum.longest = std::max(sum.longest, each.longest);
  }
  for (const auto& [pair, sum] : sums) add_row(json, pair.first, pair.second, sum);
}

// Without nodes all ranks are meant. Returns how many rows were left out.
std::size_t add_ranks(Json& json, const RunCollectives& run,
                      const std::map<std::int64_t, std::string>& nodes,
                      const Parameters& parameters) {
  const bool is_part = parameters.has("by");
  std::size_t rows = 0;
  for (const RankWait& each : run.waits) {  // the longest comes first
    if (is_part && (nodes.at(each.rank) != parameters.text("node") ||
                    nodes.at(each.waits_for) != parameters.text("for")))
      continue;
    if (++rows <= kMostRows)
      add_row(json, each.rank, each.waits_for, {each.wait, each.operations, each.longest});
  }
  return rows - std::min(rows, kMostRows);
}

}  // namespace

Outcome<Answer> answer_waits(const RunModel& model, const Parameters& parameters) {
  const auto by = parameters.word("by", {"best", "rank"});
  if (!by) return tl::make_unexpected(by.error());
  const auto state = model.state();
  Json json;
  json.begin_object();
  if (!state->collectives) {
    json.pair("by", "rank").key("rows").begin_list().end_list().pair("more", 0).end_object();
    return Answer{json.take()};
  }
  auto nodes = nodes_of(*state->ranks);
  for (const RankWait& each : state->collectives->waits)  // processes without a rank
    for (const std::int64_t rank : {each.rank, each.waits_for}) nodes.try_emplace(rank);
  std::set<std::string_view> names;
  for (const auto& [rank, node] : nodes) names.insert(node);
  const bool by_node = *by == 0 && nodes.size() > kMostRanks && names.size() > 1;
  json.pair("by", by_node ? "node" : "rank").key("rows").begin_list();
  std::size_t more = 0;
  if (by_node)
    add_nodes(json, *state->collectives, nodes);
  else
    more = add_ranks(json, *state->collectives, nodes, parameters);
  json.end_list().pair("more", more).end_object();
  return Answer{json.take()};
}

}  // namespace prof::view
