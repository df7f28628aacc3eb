#include "exporters/analysis/operators/operator_model.hpp"

#include <future>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/second_reader.hpp"
#include "exporters/analysis/operators/call_describer.hpp"
#include "exporters/analysis/operators/call_finder.hpp"
#include "exporters/analysis/operators/gpu_launches.hpp"

namespace prof::operators {

base::Result<OperatorModel> OperatorModel::read(const report::ReportReader& reader,
                                                events::RangeOf range_of,
                                                const std::optional<insight::Interval>& window) {
  const events::SecondReader second(reader);
  auto reading = std::async(second.policy(),
                            [&] { return GpuLaunches::read(second.get(), range_of, window); });
  auto ranges = OperatorRanges::read(reader, range_of == events::RangeOf::kLaunch
                                                 ? events::RangeTree::Ranges::kRecorded
                                                 : events::RangeTree::Ranges::kOfGraphs);
  if (!ranges) return tl::make_unexpected(ranges.error());
  OperatorModel model(std::move(*ranges));
  auto gpus = GpuTable::read(reader);
  if (!gpus) return tl::make_unexpected(gpus.error());
  model.gpus_ = std::move(*gpus);
  auto launched = reading.get();
  second.finish();
  if (!launched) return tl::make_unexpected(launched.error());
  CallFinder found(reader, model.ranges_, *std::move(launched), range_of);
  if (const base::Status read = found.read(); !read) return tl::make_unexpected(read.error());
  const auto products = LibraryProducts::read(reader);
  if (!products) return tl::make_unexpected(products.error());
  model.operators_ = CallDescriber(reader, model.ranges_, *products, found).describe();
  for (const Operator& each : model.operators_)
    model.limits_.push_back(operators::limit_of(each.work, each.type, model.peaks_of(each)));
  model.operations_ = std::move(found.operations());
  model.calls_ = std::move(found.calls);
  return model;
}

std::optional<std::int64_t> OperatorModel::bytes_of(const OperatorCall& call) const {
  const Operator& each = operator_of(call);
  if (each.bytes || call.copied == 0) return each.bytes;
  return call.copied;
}

const Peaks* OperatorModel::peaks_of(const Operator& each) const {
  const GpuFacts* gpu = gpus_.of(events::pid_of(each.global_pid), each.device);
  if (gpu == nullptr) return nullptr;
  const auto [known, is_new] = peaks_.try_emplace(gpu);
  if (is_new) known->second = operators::peaks_of(*gpu);
  return &known->second;
}

}  // namespace prof::operators
