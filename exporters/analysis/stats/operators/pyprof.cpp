// pyprof: one row for each kernel, with the columns of NVIDIA's PyProf.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/operators/code_places.hpp"
#include "exporters/analysis/operators/operator_model.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/operators/pyprof_columns.hpp"

namespace prof::stats {

using operators::GpuOperation;
using operators::Operator;
using operators::OperatorCall;
using operators::OperatorModel;
using tables::CellKind;

namespace {

constexpr const char* kNoValue = "-";  // PyProf's empty cell

// The launch configuration of a kernel.
struct LaunchSizes {
  std::array<std::int64_t, 3> grid;
  std::array<std::int64_t, 3> block;
};

std::string sizes_text(const std::array<std::int64_t, 3>& sizes) {
  return fmt::format("({},{},{})", sizes[0], sizes[1], sizes[2]);
}

// The operations and the bytes of calls, divided among their kernels: the operations to the kernel
// that multiplies matrices, else to the longest one, the bytes by time.
class Shares {
 public:
  Shares(const OperatorModel& model, std::function<bool(std::int64_t)> multiplies)
      : model_(model), best_(model.calls().size(), kNone), kernel_times_(model.calls().size()) {
    for (std::size_t i = 0; i < model.operations().size(); ++i) {
      const GpuOperation& kernel = model.operations()[i];
      if (kernel.kind != insight::WorkKind::kKernel) continue;
      kernel_times_[at(kernel)] += kernel.duration();
      std::size_t& best = best_[at(kernel)];
      const auto rank = [&](const GpuOperation& each) {
        return std::pair(multiplies(each.name), each.duration());
      };
      if (best == kNone || rank(kernel) > rank(model.operations()[best])) best = i;
    }
  }

  tables::Cell flops(std::size_t operation) const {
    const GpuOperation& kernel = model_.operations()[operation];
    const operators::Work& work = operator_of(kernel).work;
    if (!work.matrix_flops || !work.vector_flops) return {};
    if (best_[at(kernel)] != operation) return std::int64_t{0};
    return *work.matrix_flops + *work.vector_flops;
  }
  tables::Cell bytes(std::size_t operation) const {
    const GpuOperation& kernel = model_.operations()[operation];
    if (!operator_of(kernel).bytes) return {};
    const std::int64_t all = *operator_of(kernel).bytes;
    const std::int64_t time = kernel_times_[at(kernel)];
    if (time == 0) return best_[at(kernel)] == operation ? all : std::int64_t{0};
    return static_cast<std::int64_t>(static_cast<double>(all) *
                                     static_cast<double>(kernel.duration()) /
                                     static_cast<double>(time));
  }

 private:
  static constexpr std::size_t kNone = SIZE_MAX;
  static std::size_t at(const GpuOperation& kernel) {
    return static_cast<std::size_t>(kernel.call);
  }
  const Operator& operator_of(const GpuOperation& kernel) const {
    return model_.operator_of(model_.calls()[at(kernel)]);
  }

  const OperatorModel& model_;
  std::vector<std::size_t> best_;  // by call
  std::vector<std::int64_t> kernel_times_;
};

class PyprofRows {
 public:
  PyprofRows(const report::ReportReader& reader, const OperatorModel& model,
             operators::CodePlaces places)
      : model_(model),
        places_(std::move(places)),
        strings_(reader),
        shares_(model, [this](std::int64_t name) {
          return kind_of(name).tensor_cores != insight::TensorCores::kNo;
        }) {}

  tables::Cell cell(PyprofColumn column, std::size_t number, const LaunchSizes& launch) {
    const GpuOperation& kernel = model_.operations()[number];
    const OperatorCall& call = model_.calls()[static_cast<std::size_t>(kernel.call)];
    const Operator& each = model_.operator_of(call);
    switch (column) {
      case PyprofColumn::kIndex:
        return static_cast<std::int64_t>(number) + 1;
      case PyprofColumn::kSequence:
        return call.sequence >= 0 ? tables::Cell{std::to_string(call.sequence)} : kNoValue;
      case PyprofColumn::kOtherSequence:
        return kNoValue;
      case PyprofColumn::kThread:
        return call.global_tid == 0 ? std::int64_t{0} : events::tid_of(call.global_tid);
      case PyprofColumn::kLayer:
        return or_no_value(model_.scope_path(each.scope));
      case PyprofColumn::kTrace:
        return or_no_value(places_.text(call.chain));
      case PyprofColumn::kDirection:
        return !operators::names_operators(each.source)            ? kNoValue
               : each.direction == operators::Direction::kBackward ? "bprop"
                                                                   : "fprop";
      case PyprofColumn::kSub:
        return std::int64_t{0};
      case PyprofColumn::kModule:
        return or_no_value(module_of(each));
      case PyprofColumn::kOperator:
        return or_no_value(operator_of(each));
      case PyprofColumn::kKernel:
        return strings_.text(kernel.name);
      case PyprofColumn::kParameters:
        return or_no_value(parameters_of(each));
      case PyprofColumn::kTime:
        return kernel.duration();
      case PyprofColumn::kTensorCores:
        return tensor_cores_of(kernel.name);
      case PyprofColumn::kDevice:
        return std::int64_t{kernel.device};
      case PyprofColumn::kStream:
        return std::int64_t{kernel.stream};
      case PyprofColumn::kGrid:
        return sizes_text(launch.grid);
      case PyprofColumn::kBlock:
        return sizes_text(launch.block);
      case PyprofColumn::kFlops:
        return shares_.flops(number);
      case PyprofColumn::kBytes:
        break;
    }
    return shares_.bytes(number);
  }

 private:
  static std::string or_no_value(const std::string& text) { return text.empty() ? kNoValue : text; }

  // "aten" of "aten::mm".
  static std::string module_of(const Operator& each) {
    const std::size_t end = each.name.rfind("::");
    const bool is_operator = each.source == operators::Source::kOperator;
    return !is_operator || end == std::string::npos ? "" : each.name.substr(0, end);
  }
  static std::string operator_of(const Operator& each) {
    if (each.source != operators::Source::kOperator)
      return each.source == operators::Source::kLibrary || operators::names_operators(each.source)
                 ? each.name
                 : "";
    const std::size_t end = each.name.rfind("::");
    return end == std::string::npos ? each.name : each.name.substr(end + 2);
  }
  static std::string parameters_of(const Operator& each) {
    const std::string type = operators::name_of(each.type);
    if (!each.work.product) return each.shapes;
    const operators::MatrixProduct& product = *each.work.product;
    std::string text = fmt::format("M={},N={},K={}", product.m, product.n, product.k);
    if (product.batch != 1) text = fmt::format("B={},", product.batch) + text;
    return type.empty() ? text : text + ",type=" + type;
  }
  const insight::KernelKind& kind_of(std::int64_t name) {
    const auto [known, is_new] = kinds_.try_emplace(name);
    if (is_new) known->second = insight::kind_of_kernel(strings_.text(name));
    return known->second;
  }
  tables::Cell tensor_cores_of(std::int64_t name) {
    switch (kind_of(name).tensor_cores) {
      case insight::TensorCores::kUsed:
        return "1";
      case insight::TensorCores::kEligible:
        return "0";
      case insight::TensorCores::kNo:
        break;
    }
    return kNoValue;
  }

  const OperatorModel& model_;
  operators::CodePlaces places_;
  events::Strings strings_;
  std::unordered_map<std::int64_t, insight::KernelKind> kinds_;
  Shares shares_;
};

// Visits the kernels in the order of the model's operations, which begin with the kernels.
base::Status for_each_launch_sizes(
    const report::ReportReader& reader,
    const std::function<void(std::size_t, const LaunchSizes&)>& visit) {
  std::size_t number = 0;
  return events::for_each_event(
      reader, {events::kKernelTable, {"gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ"}},
      [&](const events::Times&, const report::Row& row) {
        visit(number++, {{row.integer(0), row.integer(1), row.integer(2)},
                         {row.integer(3), row.integer(4), row.integer(5)}});
      });
}

}  // namespace

base::Result<tables::Table> pyprof(const report::ReportReader& reader, const Arguments& arguments) {
  const auto model = OperatorModel::read(reader, arguments.kernels.range_of);
  if (!model) return tl::make_unexpected(model.error());
  auto places = operators::CodePlaces::read(reader);
  if (!places) return tl::make_unexpected(places.error());
  tables::Table table;
  const std::vector<PyprofColumn> columns =
      arguments.pyprof_columns.empty() ? default_pyprof_columns() : arguments.pyprof_columns;
  for (const PyprofColumn column : columns) {
    const PyprofColumnSpec& spec = spec_of(column);
    table.columns.push_back({spec.header, spec.kind});
  }
  PyprofRows rows(reader, *model, std::move(*places));
  const base::Status read =
      for_each_launch_sizes(reader, [&](std::size_t number, const LaunchSizes& launch) {
        std::vector<tables::Cell> cells;
        for (const PyprofColumn column : columns)
          cells.push_back(rows.cell(column, number, launch));
        table.rows.push_back(std::move(cells));
      });
  if (!read) return tl::make_unexpected(read.error());
  return table;
}

}  // namespace prof::stats
