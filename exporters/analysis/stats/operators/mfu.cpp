// mfu: which share of the GPU's peak rate of matrix products the iterations reach.
#include <algorithm>
#include <cstdint>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/insight/iterations.hpp"
#include "exporters/analysis/operators/limits.hpp"
#include "exporters/analysis/operators/operator_model.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::stats {

using insight::Interval;
using operators::Operator;
using operators::OperatorCall;
using operators::OperatorModel;
using tables::CellKind;

namespace {

// What a device did during an iteration. Times in ns.
struct Utilization {
  std::int64_t matrix_flops = 0;  // without recomputation
  std::int64_t recomputed_flops = 0;
  double model_time = 0;  // the least time of the former at the peak rates of the types
  double recompute_time = 0;
  std::int64_t matrix_gpu_time = 0;  // of operators with matrix products
  std::int64_t known_gpu_time = 0;   // of operators whose FLOPs are known
  std::int64_t gpu_time = 0;

  void add(const OperatorModel& model, const OperatorCall& call) {
    const Operator& each = model.operator_of(call);
    gpu_time += call.gpu_time;
    if (!each.work.matrix_flops) return;
    const std::int64_t flops = *each.work.matrix_flops;
    const operators::Peaks* peaks = model.peaks_of(each);
    const double peak = peaks == nullptr ? 0 : peaks->matrix_of(each.type);
    if (flops > 0 && peak <= 0) return;
    known_gpu_time += call.gpu_time;
    if (flops == 0) return;
    matrix_gpu_time += call.gpu_time;
    const double least = static_cast<double>(flops) / peak * 1e9;
    const bool is_again = each.direction == operators::Direction::kRecompute;
    (is_again ? recomputed_flops : matrix_flops) += flops;
    (is_again ? recompute_time : model_time) += least;
  }
};

std::vector<tables::ColumnSpec> mfu_columns() {
  std::vector<tables::ColumnSpec> result;
  for (const char* header :
       {"Iteration", "Start (ns)", "Length (ns)", "Matrix FLOPs", "Recomputed FLOPs"})
    result.push_back({header, CellKind::kInteger});
  result.push_back({"TFLOP/s", CellKind::kReal, 3});
  for (const char* header :
       {"MFU (%)", "HFU (%)", "Matrix Operators (%)", "Matrix Roof (%)", "FLOPs Known (%)"})
    result.push_back({header, CellKind::kReal, 2});
  for (const char* header : {"PID", "Device"}) result.push_back({header, CellKind::kInteger});
  for (const char* header : {"GPU", "Found By"}) result.push_back({header, CellKind::kText});
  return result;
}

class UtilizationTable {
 public:
  UtilizationTable(const OperatorModel& model, const insight::Device& device)
      : model_(model), device_(device) {
    for (const OperatorCall& call : model.calls())
      if (call.global_pid == device.global_pid && call.device == device.number)
        calls_.push_back(&call);
  }

  // The operations of an iteration are those that it launches if it is an NVTX range, else those
  // that the GPU starts meanwhile. The GPU may do an iteration when several later ones are
  // launched. So a range lasts until the GPU has done what it launched, and begins when the GPU has
  // done that of the one before.
  void add_rows(const insight::Iterations& iterations, tables::Table& table) {
    const bool is_range = iterations.found_by.starts_with("NVTX");
    const auto time_of = [&](const OperatorCall* call) {
      return is_range ? call->launched : call->start;
    };
    std::ranges::stable_sort(calls_, {}, time_of);
    std::int64_t done = INT64_MIN;
    for (std::size_t i = 0; i < iterations.times.size(); ++i) {
      Interval time = iterations.times[i];
      Utilization sum;
      auto call = std::ranges::lower_bound(calls_, time.start, {}, time_of);
      std::int64_t last = time.end;
      for (; call != calls_.end() && time_of(*call) < time.end; ++call) {
        sum.add(model_, **call);
        last = std::max(last, (*call)->end);
      }
      if (is_range) {
        time = {std::max(time.start, done), last};
        done = std::max(done, last);
      }
      add_row(static_cast<std::int64_t>(i), time, sum, iterations.found_by, table);
    }
  }

  void add_whole(const Interval& time, tables::Table& table) {
    Utilization sum;
    for (const OperatorCall* call : calls_) sum.add(model_, *call);
    add_row(tables::Cell{}, time, sum, "whole recording", table);
  }

 private:
  void add_row(tables::Cell number, const Interval& time, const Utilization& sum,
               const std::string& found_by, tables::Table& table) {
    const operators::GpuFacts* gpu =
        model_.gpus().of(events::pid_of(device_.global_pid), device_.number);
    const auto length = static_cast<double>(std::max<std::int64_t>(time.length(), 1));
    const double flops =
        static_cast<double>(sum.matrix_flops) + static_cast<double>(sum.recomputed_flops);
    const double least = sum.model_time + sum.recompute_time;
    table.rows.push_back(
        {std::move(number), time.start, time.length(), sum.matrix_flops, sum.recomputed_flops,
         flops / length * 1e-3, 100 * sum.model_time / length, 100 * least / length,
         tables::percent(sum.matrix_gpu_time, time.length()),
         sum.matrix_gpu_time > 0
             ? tables::Cell{100 * least / static_cast<double>(sum.matrix_gpu_time)}
             : tables::Cell{},
         tables::percent(sum.known_gpu_time, sum.gpu_time), events::pid_of(device_.global_pid),
         device_.number, gpu == nullptr ? tables::Cell{} : tables::Cell{gpu->name}, found_by});
  }

  const OperatorModel& model_;
  const insight::Device& device_;
  std::vector<const OperatorCall*> calls_;
};

}  // namespace

base::Result<tables::Table> mfu(const report::ReportReader& reader, const Arguments& arguments) {
  const auto model = OperatorModel::read(reader, arguments.kernels.range_of);
  if (!model) return tl::make_unexpected(model.error());
  const auto work = insight::GpuWork::read(reader);
  if (!work) return tl::make_unexpected(work.error());
  tables::Table table{mfu_columns(), {}};
  insight::IterationFinder finder(*work, model->ranges().tree());
  for (std::size_t device = 0; device < work->devices().size(); ++device) {
    const auto iterations =
        arguments.range.empty() ? finder.find(device) : finder.by_range(device, arguments.range);
    UtilizationTable rows(*model, work->devices()[device]);
    rows.add_whole(work->span(device), table);
    if (iterations) rows.add_rows(*iterations, table);
  }
  return table;
}

}  // namespace prof::stats
