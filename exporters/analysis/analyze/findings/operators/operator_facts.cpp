#include "exporters/analysis/analyze/findings/operators/operator_facts.hpp"

#include <algorithm>
#include <string_view>

#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"
#include "exporters/analysis/operators/call_groups.hpp"
#include "exporters/analysis/operators/code_places.hpp"
#include "exporters/analysis/operators/operator_model.hpp"

namespace prof::analyze {

using operators::CallGroup;
using operators::Operator;
using operators::OperatorCall;
using operators::OperatorModel;

namespace {

bool has_operators(const events::RangeTree& ranges) {
  std::vector<bool> seen;  // by number of the name
  return std::ranges::any_of(ranges.ranges(), [&](const events::RangeTree::Range& range) {
    const auto name = static_cast<std::size_t>(range.name);
    if (name >= seen.size()) seen.resize(2 * name + 1);
    if (seen[name]) return false;
    seen[name] = true;
    return operators::classify(ranges.name_of(range)).kind == operators::RangeKind::kOperator;
  });
}

// The shapes without the empty ones at the end, which numbers and flags have.
std::string shapes_text(std::string shapes) {
  constexpr std::string_view kEmpty = ", []]";
  while (shapes.ends_with(kEmpty))
    shapes.replace(shapes.size() - kEmpty.size(), kEmpty.size(), "]");
  return shapes;
}

std::string place_text(const OperatorModel& model, const Operator& each, const std::string& line) {
  const std::string shapes = each.shapes.empty() ? "" : ' ' + shapes_text(each.shapes);
  std::string text = base::mark_name("operator", each.name + shapes);
  if (each.direction != operators::Direction::kForward)
    text += std::string(" (") + name_of(each.direction) + ')';
  if (each.scope >= 0) text += " in " + base::mark_name("range", model.scope_path(each.scope));
  return line.empty() ? text : text + ", " + base::mark_name("line", line);
}

OperatorUse use_of(const OperatorModel& model, const CallGroup& group, const std::string& line) {
  const Operator& each = *group.example;
  OperatorUse use{.text = place_text(model, each, line),
                  .direction = each.direction,
                  .type = each.type,
                  .product = each.work.product,
                  .calls = static_cast<std::int64_t>(group.times.size()),
                  .time = group.work.gpu_time,
                  .longest = {group.longest->start, group.longest->end},
                  .global_pid = each.global_pid,
                  .device = each.device};
  if (group.work.has_limit()) {
    const auto time = static_cast<double>(group.work.limited_time);
    use.least = group.work.least;
    use.roof = 100 * group.work.least / time;
    use.headroom = static_cast<std::int64_t>(std::max(0.0, time - group.work.least));
  }
  return use;
}

// Collects chains of elementwise operators in the order in which they were launched by a thread.
class ChainFinder {
 public:
  ChainFinder(const OperatorModel& model, ElementwiseChains& chains)
      : model_(model), chains_(chains) {}

  void find() {
    if (std::ranges::none_of(model_.operators(),
                             [](const Operator& each) { return size_of(each) != 0; }))
      return;
    std::vector<const OperatorCall*> calls;
    for (const OperatorCall& call : model_.calls())
      if (call.global_tid != 0) calls.push_back(&call);
    std::ranges::stable_sort(calls, [](const OperatorCall* a, const OperatorCall* b) {
      return a->global_tid != b->global_tid ? a->global_tid < b->global_tid : a->start < b->start;
    });
    for (const OperatorCall* call : calls) add(*call);
    end();
  }

 private:
  // The elements of the result decide whether two operators fit into one kernel; 0: unknown, or
  // not elementwise.
  static std::int64_t size_of(const Operator& each) {
    const std::string_view category = each.work.category;
    return category == "elementwise" ? each.work.vector_flops.value_or(0) : 0;
  }

  void add(const OperatorCall& call) {
    const std::int64_t size = size_of(model_.operator_of(call));
    if (size == 0 || (!chain_.empty() && (size != size_ || !follows(call)))) end();
    if (size == 0) return;
    size_ = size;
    chain_.push_back(&call);
  }

  bool follows(const OperatorCall& call) const {
    const OperatorCall& last = *chain_.back();
    return last.global_tid == call.global_tid && last.device == call.device;
  }

  void end() {
    if (chain_.size() > 1) {
      std::int64_t time = 0;
      std::int64_t longest = 0;
      for (const OperatorCall* call : chain_) {
        time += call->gpu_time;
        longest = std::max(longest, call->gpu_time);
      }
      ++chains_.chains;
      chains_.operators += static_cast<std::int64_t>(chain_.size());
      chains_.time += time;
      chains_.saving += time - longest;
      if (time - longest > chains_.longest_saving) keep_longest(time - longest);
    }
    chain_.clear();
  }

  void keep_longest(std::int64_t saving) {
    constexpr std::size_t kMaxShown = 6;
    chains_.longest_saving = saving;
    chains_.longest.clear();
    for (std::size_t i = 0; i < std::min(chain_.size(), kMaxShown); ++i)
      chains_.longest +=
          (i == 0 ? "" : ", ") + base::mark_name("operator", model_.operator_of(*chain_[i]).name);
    if (chain_.size() > kMaxShown) chains_.longest += ", …";
    chains_.when = {chain_.front()->start, chain_.back()->end};
    chains_.global_pid = chain_.front()->global_pid;
    chains_.device = chain_.front()->device;
  }

  const OperatorModel& model_;
  ElementwiseChains& chains_;
  std::vector<const OperatorCall*> chain_;
  std::int64_t size_ = 0;
};

}  // namespace

base::Result<OperatorFacts> read_operator_facts(const report::ReportReader& reader,
                                                const events::RangeTree& ranges,
                                                const std::optional<insight::Interval>& window) {
  OperatorFacts facts;
  if (!has_operators(ranges) && !reader.has_table(events::kGraphRangeTable) &&
      !reader.has_table(operators::kProductTable))
    return facts;
  const auto model = OperatorModel::read(reader, events::RangeOf::kBoth, window);
  if (!model) return tl::make_unexpected(model.error());
  const auto places = operators::CodePlaces::read(reader);
  if (!places) return tl::make_unexpected(places.error());
  for (const CallGroup& group : call_groups(*model, operators::GroupBy::kOperator))
    if (!group.times.empty())
      facts.uses.push_back(use_of(*model, group, places->text(group.chain)));
  ChainFinder(*model, facts.chains).find();
  return facts;
}

}  // namespace prof::analyze
