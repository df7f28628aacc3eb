#include "exporters/analysis/replay/slowdowns.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "exporters/analysis/insight/gpu_work.hpp"

namespace prof::replay {

namespace {

// A kernel is compared with itself: as many launches must have run alone, and as many beside
// communication.
constexpr std::size_t kFewest = 3;

// Smaller ratios cannot be told apart from noise.
constexpr double kSmallest = 1.05;

// A launch ran beside communication that lasted for this part of the time that it takes alone.
constexpr double kBeside = 0.9;

// A kernel of one wave of blocks takes about twice as long if some of its blocks do not fit. They
// start when the communication ends, or after the other blocks.
constexpr double kSecondWave = 1.5;

// Returns the part of the time beside communication by which a kernel takes longer.
double lost_part(double factor) { return factor >= kSecondWave ? 1 : 1 - 1 / factor; }

double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

class Slowdowns::Communication {
 public:
  // The intervals are added in the order of their start.
  void add(std::int64_t start, std::int64_t end) {
    starts_.push_back(start);
    last_ends_.push_back(last_ends_.empty() ? end : std::max(last_ends_.back(), end));
  }
  bool empty() const { return starts_.empty(); }

  // Returns how long what began by then runs on, in ns.
  std::int64_t rest(std::int64_t time) const {
    const auto begun = std::ranges::upper_bound(starts_, time) - starts_.begin();
    if (begun == 0) return 0;
    return std::max<std::int64_t>(last_ends_[static_cast<std::size_t>(begun - 1)] - time, 0);
  }
  bool begins_within(std::int64_t start, std::int64_t end) const {
    const auto at = std::ranges::upper_bound(starts_, start);
    return at != starts_.end() && *at < end;
  }

 private:
  std::vector<std::int64_t> starts_;
  std::vector<std::int64_t> last_ends_;  // of all up to this one
};

Slowdowns::Slowdowns(const path::ExecutionModel& model) : model_(&model) {
  std::vector<std::vector<std::uint32_t>> kernels(model.work().devices().size());
  std::vector<Communication> communications(kernels.size());
  for (std::uint32_t i = 0; i < model.operations(); ++i) {
    const insight::Operation each = model.work().at(i);
    if (each.communication)
      communications[each.device].add(model.start_of(i), model.end_of(i));
    else if (each.kind == insight::WorkKind::kKernel && model.end_of(i) > model.start_of(i))
      kernels[each.device].push_back(i);
  }
  for (std::size_t device = 0; device < kernels.size(); ++device)
    if (!communications[device].empty()) add_device(kernels[device], communications[device]);
  std::ranges::sort(slowed_, {}, &Slowed::operation);
}

void Slowdowns::add_device(std::span<const std::uint32_t> kernels,
                           const Communication& communication) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::uint32_t>> launches;
  for (const std::uint32_t each : kernels) {
    const insight::Operation operation = model_->work().at(each);
    launches[{operation.name, operation.blocks}].push_back(each);
  }
  for (const auto& [kernel, operations] : launches) {
    const auto duration = [&](std::uint32_t each) {
      return static_cast<double>(model_->end_of(each) - model_->start_of(each));
    };
    std::vector<double> alone;
    for (const std::uint32_t each : operations)
      if (const std::int64_t start = model_->start_of(each);
          communication.rest(start) == 0 &&
          !communication.begins_within(start, model_->end_of(each)))
        alone.push_back(duration(each));
    if (alone.size() < kFewest) continue;
    const double usual = median_of(alone);
    std::vector<double> beside;
    for (const std::uint32_t each : operations)
      if (static_cast<double>(communication.rest(model_->start_of(each))) >= kBeside * usual)
        beside.push_back(duration(each));
    if (beside.size() < kFewest) continue;
    const double factor = median_of(beside) / usual;
    if (factor < kSmallest) continue;
    for (const std::uint32_t each : operations) {
      const auto rest = static_cast<double>(communication.rest(model_->start_of(each)));
      slowed_.push_back(
          {each, factor,
           std::max(duration(each) / factor, duration(each) - lost_part(factor) * rest)});
    }
  }
}

const Slowdowns::Slowed* Slowdowns::find(std::uint32_t operation) const {
  const auto at = std::ranges::lower_bound(slowed_, operation, {}, &Slowed::operation);
  return at == slowed_.end() || at->operation != operation ? nullptr : &*at;
}

std::int64_t Slowdowns::alone(std::uint32_t operation) const {
  const Slowed* slowed = find(operation);
  return slowed == nullptr ? model_->end_of(operation) - model_->start_of(operation)
                           : std::llround(slowed->alone);
}

std::int64_t Slowdowns::duration(std::uint32_t operation, std::int64_t cost,
                                 std::int64_t rest) const {
  const Slowed* slowed = find(operation);
  if (slowed == nullptr) return cost;
  const auto measured =
      static_cast<double>(model_->end_of(operation) - model_->start_of(operation));
  const double work = slowed->alone * static_cast<double>(cost) / measured;
  return std::llround(std::min(slowed->factor * work,
                               work + lost_part(slowed->factor) * static_cast<double>(rest)));
}

}  // namespace prof::replay
