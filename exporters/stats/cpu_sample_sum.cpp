// cpu_sample_sum: where threads were when the CPU was sampled, by function, source line, module,
// thread or process.
#include <algorithm>
#include <map>

#include "exporters/stats/catalog.hpp"
#include "exporters/stats/events/global_ids.hpp"
#include "exporters/stats/events/samples.hpp"
#include "exporters/stats/events/strings.hpp"
#include "exporters/stats/events/sums.hpp"
#include "exporters/stats/events/thread_names.hpp"
#include "exporters/stats/tables/percent.hpp"

namespace prof::stats {

namespace {

using Group = std::uint32_t;

struct Amount {
  std::int64_t samples = 0;
  std::int64_t weight = 0;
  void add(std::int64_t more, std::int64_t heavier) {
    samples += more;
    weight = sum(weight, heavier);
  }
};

// Places by the text under which they count.
class Places {
 public:
  struct Place {
    std::string name;  // of the function; none of modules
    std::string location;
    Amount self;
    Amount total;
    std::uint32_t last_chain = 0;  // that counted in total, from 1
  };

  Places(SampleGroup group, CodeFrames& code) : group_(group), code_(code) {}

  void add(std::span<const Sample> samples, std::span<const std::uint32_t> frames) {
    Amount here;
    for (const Sample& sample : samples) here.add(1, sample.weight);
    ++chain_;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      Place& place = places_[place_of(frames[i])];
      if (i == 0) place.self.add(here.samples, here.weight);
      if (place.last_chain == chain_) continue;  // what calls itself counts once
      place.last_chain = chain_;
      place.total.add(here.samples, here.weight);
    }
  }
  void clear() {
    for (Place& place : places_) place.self = place.total = {};
  }
  const std::vector<Place>& all() const { return places_; }

 private:
  Group place_of(std::uint32_t frame) {
    if (frame >= by_frame_.size()) by_frame_.resize(code_.size(), kUnknown);
    Group& place = by_frame_[frame];
    if (place == kUnknown) place = number(describe(frame));
    return place;
  }
  Place describe(std::uint32_t frame) const {
    const Function& function = code_.function_of(frame);
    if (group_ == SampleGroup::kModule)
      return {"", function.kind == CodeKind::kMark ? function.name : function.module, {}, {}, 0};
    return {function.name, location(function, code_.frame(frame).line), {}, {}, 0};
  }
  Group number(Place&& place) {
    const auto [at, is_new] = numbers_.try_emplace(place.name + '\0' + place.location,
                                                   static_cast<Group>(places_.size()));
    if (is_new) places_.push_back(std::move(place));
    return at->second;
  }

  static constexpr Group kUnknown = UINT32_MAX;
  SampleGroup group_;
  CodeFrames& code_;
  std::vector<Group> by_frame_;
  std::unordered_map<std::string, Group> numbers_;
  std::vector<Place> places_;
  std::uint32_t chain_ = 0;
};

Cell time_of(const Amount& amount, std::optional<std::int64_t> interval) {
  return interval ? Cell{sampled_time(amount.weight, *interval)} : Cell{};
}

Table by_code(const Places& places, const Samples& samples, std::optional<std::int64_t> interval,
              bool by_module) {
  Table table{{{"Self (%)", CellKind::kReal, 1},
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
    auto& row = table.rows.emplace_back(std::vector<Cell>{
        percent(self.weight, samples.weight), self.samples, time_of(self, interval),
        percent(total.weight, samples.weight), total.samples, time_of(total, interval)});
    if (!by_module) row.emplace_back(name);
    row.emplace_back(location);
  }
  return table;
}

// Of each thread or process what was sampled: there is nothing to tell self and total apart.
base::Result<Table> by_thread(const report::ReportReader& reader, const Samples& samples,
                              std::optional<std::int64_t> interval, bool by_process) {
  const auto names = ThreadNames::read(reader);
  if (!names) return tl::make_unexpected(names.error());
  std::map<std::int64_t, Amount> amounts;  // by globalTid or process
  for (const Sample& sample : samples.all) {
    const std::int64_t thread = samples.threads[sample.thread];
    amounts[by_process ? process_of(thread) : thread].add(1, sample.weight);
  }
  Table table{{{"Samples (%)", CellKind::kReal, 1},
               {"Samples", CellKind::kInteger},
               {"Time (ns)", CellKind::kInteger},
               {"PID", CellKind::kInteger}},
              {}};
  if (!by_process) table.columns.push_back({"TID", CellKind::kInteger});
  table.columns.push_back({by_process ? "Process" : "Thread", CellKind::kText});
  for (const auto& [id, amount] : amounts) {
    const std::int64_t global_id = by_process ? id << 24 : id;
    auto& row = table.rows.emplace_back(std::vector<Cell>{percent(amount.weight, samples.weight),
                                                          amount.samples, time_of(amount, interval),
                                                          pid_of(global_id)});
    if (!by_process) row.emplace_back(tid_of(global_id));
    row.emplace_back(by_process ? names->process(global_id) : names->thread(global_id));
  }
  sort_falling(table, 1);
  sort_falling(table, 0);
  return table;
}

}  // namespace

base::Result<Table> cpu_sample_sum(const report::ReportReader& reader, const Arguments& arguments) {
  const auto samples = read_samples(reader, SampleKind::kCpu);
  if (!samples) return tl::make_unexpected(samples.error());
  const auto interval = sampling_interval(reader, SampleKind::kCpu, *samples);
  const SampleGroup group = arguments.sample_group.value_or(
      arguments.code_lines ? SampleGroup::kLine : SampleGroup::kFunction);
  if (group == SampleGroup::kThread || group == SampleGroup::kProcess)
    return by_thread(reader, *samples, interval, group == SampleGroup::kProcess);
  Strings strings(reader);
  CodeFrames code(strings,
                  group == SampleGroup::kLine ? FrameDetail::kLine : FrameDetail::kFunction,
                  arguments.code_lines.get());
  Places places(group, code);
  const base::Status read = for_each_chain(
      reader, SampleKind::kCpu, *samples, code,
      [&](auto chain, auto frames) { places.add(chain, frames); }, [&] { places.clear(); });
  if (!read) return tl::make_unexpected(read.error());
  return by_code(places, *samples, interval, group == SampleGroup::kModule);
}

}  // namespace prof::stats
