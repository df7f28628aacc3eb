// cpu_sample_sum: CPU samples by function, source line, module, thread or process.
#include <algorithm>
#include <map>

#include "exporters/analysis/events/call_chains/sample_call_chains.hpp"
#include "exporters/analysis/events/call_chains/samples.hpp"
#include "exporters/analysis/events/call_chains/sampling_interval.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/events/thread_names.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

using PlaceNumber = std::uint32_t;

struct FunctionAmount {
  std::int64_t samples = 0;
  std::int64_t weight = 0;
  void add(std::int64_t more_samples, std::int64_t more_weight) {
    samples += more_samples;
    weight = events::sum(weight, more_weight);
  }
};

// The places for which samples are counted: functions, lines or modules.
class Places {
 public:
  struct Place {
    std::string name;  // name of the function; empty for a module
    std::string location;
    FunctionAmount self;
    FunctionAmount total;
    std::uint32_t last_chain = 0;  // the last chain counted in `total`, from 1 on
  };

  Places(SampleGroup group, events::CodeFrames& code) : group_(group), code_(code) {}

  void add(std::span<const events::Sample> samples, std::span<const std::uint32_t> frames) {
    FunctionAmount here;
    for (const events::Sample& sample : samples) here.add(1, sample.weight);
    ++chain_;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      Place& place = places_[place_of(frames[i])];
      if (i == 0) place.self.add(here.samples, here.weight);
      if (place.last_chain == chain_) continue;  // a recursive function counts once
      place.last_chain = chain_;
      place.total.add(here.samples, here.weight);
    }
  }
  void clear() {
    for (Place& place : places_) place.self = place.total = {};
  }
  const std::vector<Place>& all() const { return places_; }

 private:
  PlaceNumber place_of(std::uint32_t frame) {
    if (frame >= by_frame_.size()) by_frame_.resize(code_.size(), kUnknown);
    PlaceNumber& place = by_frame_[frame];
    if (place == kUnknown) place = number(describe(frame));
    return place;
  }
  Place describe(std::uint32_t frame) const {
    const events::Function& function = code_.function_of(frame);
    if (group_ == SampleGroup::kModule)
      return {"",
              function.kind == events::CodeKind::kMark ? function.name : function.module,
              {},
              {},
              0};
    return {function.name, events::location(function, code_.frame(frame).line), {}, {}, 0};
  }
  PlaceNumber number(Place&& place) {
    const auto [at, is_new] = numbers_.try_emplace(place.name + '\0' + place.location,
                                                   static_cast<PlaceNumber>(places_.size()));
    if (is_new) places_.push_back(std::move(place));
    return at->second;
  }

  static constexpr PlaceNumber kUnknown = UINT32_MAX;
  SampleGroup group_;
  events::CodeFrames& code_;
  std::vector<PlaceNumber> by_frame_;
  std::unordered_map<std::string, PlaceNumber> numbers_;
  std::vector<Place> places_;
  std::uint32_t chain_ = 0;
};

tables::Cell time_of(const FunctionAmount& amount, std::optional<std::int64_t> interval) {
  return interval ? tables::Cell{events::sampled_time(amount.weight, *interval)} : tables::Cell{};
}

tables::Table by_code(const Places& places, const events::Samples& samples,
                      std::optional<std::int64_t> interval, bool by_module) {
  tables::Table table{{{"Self (%)", CellKind::kReal, 1},
                       {"Self Samples", CellKind::kInteger},
                       {"Self Time (ns)", CellKind::kInteger},
                       {"Total (%)", CellKind::kReal, 1},
                       {"Total Samples", CellKind::kInteger},
                       {"Total Time (ns)", CellKind::kInteger}},
                      {}};
  if (!by_module) table.columns.push_back({"Function", CellKind::kText});
  table.columns.push_back({by_module ? "Module" : "Location", CellKind::kText});
  std::vector<const Places::Place*> order;
  for (const Places::Place& place : places.all())
    if (place.total.samples > 0) order.push_back(&place);
  std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    const auto rank = [](const auto* place) {
      return std::tuple(-place->self.weight, -place->total.weight, place->name, place->location);
    };
    return rank(a) < rank(b);
  });
  for (const Places::Place* place : order) {
    const auto& [name, location, self, total, last] = *place;
    auto& row = table.rows.emplace_back(std::vector<tables::Cell>{
        tables::percent(self.weight, samples.weight), self.samples, time_of(self, interval),
        tables::percent(total.weight, samples.weight), total.samples, time_of(total, interval)});
    if (!by_module) row.emplace_back(name);
    row.emplace_back(location);
  }
  return table;
}

// Counts the samples of each thread or process. The table has no columns for self and total.
base::Result<tables::Table> by_thread(const report::ReportReader& reader,
                                      const events::Samples& samples,
                                      std::optional<std::int64_t> interval, bool by_process) {
  const auto names = events::ThreadNames::read(reader);
  if (!names) return tl::make_unexpected(names.error());
  std::map<std::int64_t, FunctionAmount> amounts;  // by globalTid or process
  for (const events::Sample& sample : samples.all) {
    const std::int64_t thread = samples.threads[sample.thread];
    amounts[by_process ? events::process_of(thread) : thread].add(1, sample.weight);
  }
  tables::Table table{{{"Samples (%)", CellKind::kReal, 1},
                       {"Samples", CellKind::kInteger},
                       {"Time (ns)", CellKind::kInteger},
                       {"PID", CellKind::kInteger}},
                      {}};
  if (!by_process) table.columns.push_back({"TID", CellKind::kInteger});
  table.columns.push_back({by_process ? "Process" : "Thread", CellKind::kText});
  for (const auto& [id, amount] : amounts) {
    const std::int64_t global_id = by_process ? id << 24 : id;
    auto& row = table.rows.emplace_back(
        std::vector<tables::Cell>{tables::percent(amount.weight, samples.weight), amount.samples,
                                  time_of(amount, interval), events::pid_of(global_id)});
    if (!by_process) row.emplace_back(events::tid_of(global_id));
    row.emplace_back(by_process ? names->process(global_id) : names->thread(global_id));
  }
  tables::sort_descending(table, 1);
  tables::sort_descending(table, 0);
  return table;
}

}  // namespace

base::Result<tables::Table> cpu_sample_sum(const report::ReportReader& reader,
                                           const Arguments& arguments) {
  const auto samples = events::read_samples(reader, events::SampleKind::kCpu);
  if (!samples) return tl::make_unexpected(samples.error());
  const auto interval = events::sampling_interval(reader, events::SampleKind::kCpu, *samples);
  const SampleGroup group = arguments.sample_group.value_or(
      arguments.shows_lines && arguments.code_lines ? SampleGroup::kLine : SampleGroup::kFunction);
  if (group == SampleGroup::kThread || group == SampleGroup::kProcess)
    return by_thread(reader, *samples, interval, group == SampleGroup::kProcess);
  events::Strings strings(reader);
  events::CodeFrames code(
      strings,
      group == SampleGroup::kLine ? events::FrameDetail::kLine : events::FrameDetail::kFunction,
      arguments.code_lines.get());
  Places places(group, code);
  const base::Status read = events::for_each_call_chain(
      reader, events::SampleKind::kCpu, *samples, code,
      [&](auto chain, auto frames) { places.add(chain, frames); }, [&] { places.clear(); });
  if (!read) return tl::make_unexpected(read.error());
  return by_code(places, *samples, interval, group == SampleGroup::kModule);
}

}  // namespace prof::stats
