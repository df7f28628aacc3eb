#include "exporters/analysis/replay/slowdowns.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "common/base/median.hpp"
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

// The launches of each kernel, by its name and its blocks.
using Kernels = std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::uint32_t>>;

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
  std::vector<Communication> communications(model.work().devices().size());
  for (std::uint32_t i = 0; i < model.operations(); ++i)
    if (const insight::Operation each = model.work().at(i); each.communication)
      communications[each.device].add(model.start_of(i), model.end_of(i));
  if (std::ranges::all_of(communications, &Communication::empty)) return;
  std::vector<Kernels> kernels(communications.size());
  for (std::uint32_t i = 0; i < model.operations(); ++i) {
    const insight::Operation each = model.work().at(i);
    if (each.kind == insight::WorkKind::kKernel && !each.communication &&
        model.end_of(i) > model.start_of(i))
      kernels[each.device][{each.name, each.blocks}].push_back(i);
  }
  for (std::size_t device = 0; device < kernels.size(); ++device)
    for (const auto& [kernel, launches] : kernels[device])
      add_kernel(launches, communications[device]);
  std::ranges::sort(slowed_, {}, &Slowed::operation);
}

void Slowdowns::add_kernel(std::span<const std::uint32_t> launches,
                           const Communication& communication) {
  const auto duration_of = [&](std::uint32_t each) {
    return static_cast<double>(model_->end_of(each) - model_->start_of(each));
  };
  std::vector<double> alone;
  for (const std::uint32_t each : launches)
    if (communication.rest(model_->start_of(each)) == 0 &&
        !communication.begins_within(model_->start_of(each), model_->end_of(each)))
      alone.push_back(duration_of(each));
  if (alone.size() < kFewest) return;
  const double usual = base::upper_median(alone);
  std::vector<double> beside;
  for (const std::uint32_t each : launches)
    if (static_cast<double>(communication.rest(model_->start_of(each))) >= kBeside * usual)
      beside.push_back(duration_of(each));
  if (beside.size() < kFewest) return;
  const double factor = base::upper_median(beside) / usual;
  if (factor < kSmallest) return;
  for (const std::uint32_t each : launches) {
    const auto rest = static_cast<double>(communication.rest(model_->start_of(each)));
    const double time = duration_of(each);
    slowed_.push_back({each, factor, std::max(time / factor, time - lost_part(factor) * rest)});
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
