#include "exporters/viewer/answers/report/sample_tree.hpp"

#include <algorithm>

#include "exporters/analysis/events/sums.hpp"
#include "exporters/formats/sample_profile.hpp"
#include "exporters/viewer/answers/code_kind.hpp"

namespace prof::view {

using events::CallTree;
using events::SampleKind;

namespace {

// The maximum number of nodes of a tree. Beyond it, nodes with larger values are cut, too.
constexpr std::size_t kMaxNodes = 20'000;
// Nodes with less than 1 / kMinPart of the whole are cut.
constexpr std::int64_t kMinPart = 1000;

const char* name_of(formats::SampleUnit unit) {
  switch (unit) {
    case formats::SampleUnit::kSamples:
      return "samples";
    case formats::SampleUnit::kCycles:
      return "cycles";
    case formats::SampleUnit::kNanoseconds:
      return "ns";
  }
  return "samples";
}

// Returns the smallest value of a node that is shown.
std::int64_t least_shown(std::vector<std::int64_t> totals, std::int64_t whole) {
  const std::int64_t least = std::max<std::int64_t>(1, (whole + kMinPart - 1) / kMinPart);
  if (totals.size() <= kMaxNodes) return least;
  const auto last = totals.begin() + static_cast<std::ptrdiff_t>(kMaxNodes);
  std::nth_element(totals.begin(), last, totals.end(), std::greater<>());
  return std::max(least, events::sum(*last, 1));
}

}  // namespace

base::Result<std::shared_ptr<const SampleTree>> SampleTree::read(const report::ReportReader& reader,
                                                                 SampleKind kind,
                                                                 const events::CodeLines* lines) {
  const auto profile =
      formats::SampleProfile::read(reader, kind, events::FrameDetail::kFunction, lines);
  if (!profile) return tl::make_unexpected(profile.error());
  auto tree = std::make_shared<SampleTree>();
  tree->unit_ = name_of((*profile)->unit());
  tree->of_calls_ = kind == SampleKind::kOsrt || kind == SampleKind::kCuda;
  tree->take_nodes(**profile);
  tree->take_samples(**profile);
  return std::shared_ptr<const SampleTree>(std::move(tree));
}

// Takes the nodes of the profile, which has a tree for each thread. Here all threads share one
// tree.
void SampleTree::take_nodes(const formats::SampleProfile& profile) {
  const events::CodeFrames& code = profile.code();
  for (std::uint32_t i = 0; i < code.functions(); ++i) {
    const events::Function& each = code.function(i);
    functions_.push_back(
        {each.name, each.file.empty() ? each.module : each.file, name_of(each.kind)});
  }
  CallTree shared;
  const CallTree& tree = profile.tree();
  merged_.reserve(tree.size());
  for (CallTree::Node node = 0; node < tree.size(); ++node) {
    const CallTree::Node parent = tree.parent(node);
    merged_.push_back(shared.child(0, parent == CallTree::kNone ? parent : merged_[parent],
                                   code.frame(tree.frame(node)).function));
  }
  nodes_.reserve(shared.size());
  for (CallTree::Node node = 0; node < shared.size(); ++node)
    nodes_.push_back({shared.parent(node), shared.frame(node)});
}

void SampleTree::take_samples(const formats::SampleProfile& profile) {
  for (const formats::ProfiledThread& each : profile.threads()) threads_.push_back(each.global_tid);
  samples_.reserve(profile.samples().size());
  for (const auto& each : profile.samples())
    samples_.push_back({each.start, each.value, merged_[each.path], each.thread});
  merged_ = {};
}

// Returns a sample's value in the span. A call counts with its part inside of the span.
std::int64_t SampleTree::value_within(const Sample& sample,
                                      const events::EventFilter& filter) const {
  if (!of_calls_)
    return sample.start >= filter.start && sample.start <= filter.end ? sample.value : 0;
  const std::int64_t from = std::max(sample.start, filter.start);
  const std::int64_t to = std::min(events::sum(sample.start, sample.value), filter.end);
  return std::max<std::int64_t>(0, to - from);
}

SampleTree::Amounts SampleTree::amounts(const events::EventFilter& filter) const {
  Amounts result;
  result.self.resize(nodes_.size());
  std::vector<bool> selected;
  for (const std::int64_t thread : threads_) selected.push_back(events::selects(filter, thread));
  for (const Sample& each : samples_) {
    const std::int64_t value = selected[each.thread] ? value_within(each, filter) : 0;
    if (value == 0) continue;
    ++result.samples;
    result.value = events::sum(result.value, value);
    result.self[each.node] = events::sum(result.self[each.node], value);
  }
  result.total = result.self;
  for (std::size_t i = nodes_.size(); i-- > 0;)
    if (const std::uint32_t parent = nodes_[i].parent; parent != kNone)
      result.total[parent] = events::sum(result.total[parent], result.total[i]);
  return result;
}

void SampleTree::add(Json& json, const events::EventFilter& filter, bool with_samples) const {
  const Amounts all = amounts(filter);
  json.pair("unit", unit_).pair("samples", all.samples).pair("total", all.value);
  const auto numbers = add_nodes(json, all);
  if (with_samples) add_samples(json, filter, numbers);
}

// Adds the starts (each as the difference from the one before), values and nodes of the samples as
// three lists, because these compress better than one. A sample of a node that was cut belongs to
// the next node above that was not; -1: none. A fourth list has the threads, with the number of
// their samples: these are sorted by thread. Ids of threads are texts, because JavaScript's numbers
// have too few bits.
void SampleTree::add_samples(Json& json, const events::EventFilter& filter,
                             const std::vector<std::uint32_t>& numbers) const {
  std::vector<const Sample*> selected;
  for (const Sample& each : samples_)
    if (value_within(each, filter) != 0 && events::selects(filter, threads_[each.thread]))
      selected.push_back(&each);
  json.pair("calls", of_calls_).key("list").begin_object().key("start").begin_list();
  std::int64_t before = 0;
  for (const Sample* each : selected) {
    json.value(each->start - before);
    before = each->start;
  }
  json.end_list().key("value").begin_list();
  for (const Sample* each : selected) json.value(each->value);
  json.end_list().key("node").begin_list();
  for (const Sample* each : selected) {
    std::uint32_t node = each->node;
    while (node != kNone && numbers[node] == kNone) node = nodes_[node].parent;
    json.value(node == kNone ? -1 : static_cast<std::int64_t>(numbers[node]));
  }
  json.end_list().key("threads").begin_list();
  for (std::size_t i = 0; i < selected.size();) {
    const std::size_t first = i;
    const std::uint32_t thread = selected[first]->thread;
    while (i < selected.size() && selected[i]->thread == thread) ++i;
    json.begin_list().value(std::to_string(threads_[thread])).value(i - first).end_list();
  }
  json.end_list().end_object();
}

std::vector<std::uint32_t> SampleTree::add_nodes(Json& json, const Amounts& amounts) const {
  const std::int64_t least = least_shown(amounts.total, amounts.value);
  std::vector<std::uint32_t> numbers(nodes_.size(), kNone);  // numbers of nodes in the answer
  std::vector<std::uint32_t> functions(functions_.size(), kNone);
  std::vector<std::uint32_t> used;
  std::uint32_t next = 0;
  std::int64_t cut = 0;
  json.key("nodes").begin_list();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (amounts.total[i] == 0) continue;
    if (amounts.total[i] < least) {
      ++cut;
      continue;
    }
    numbers[i] = next++;
    const auto [parent, function] = nodes_[i];
    if (functions[function] == kNone) {
      functions[function] = static_cast<std::uint32_t>(used.size());
      used.push_back(function);
    }
    json.begin_list()
        .value(parent == kNone ? -1 : static_cast<std::int64_t>(numbers[parent]))
        .value(functions[function])
        .value(amounts.total[i])
        .value(amounts.self[i])
        .end_list();
  }
  json.end_list().key("functions").begin_list();
  for (const std::uint32_t each : used)
    json.begin_list()
        .value(functions_[each].name)
        .value(functions_[each].place)
        .value(functions_[each].kind)
        .end_list();
  json.end_list().key("cut").begin_object().pair("nodes", cut).pair("least", least).end_object();
  return numbers;
}

}  // namespace prof::view
