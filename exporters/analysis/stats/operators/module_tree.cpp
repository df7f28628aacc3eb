// module_tree: GPU time and work of modules, with the modules inside of them.
#include <algorithm>
#include <array>
#include <map>

#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/operators/source_remark.hpp"
#include "exporters/analysis/stats/operators/work_cells.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

constexpr std::int32_t kNoScope = -1;
constexpr std::size_t kDirectionCount = 4;

struct ModuleSums {
  operators::WorkSum all;                             // with the modules inside
  operators::WorkSum own;                             // without them
  std::int64_t calls = 0;                             // of operators, with the modules inside
  std::array<std::int64_t, kDirectionCount> times{};  // ns, by direction, with the modules inside
};

class ModuleTree {
 public:
  explicit ModuleTree(const operators::OperatorModel& model)
      : model_(model), sums_(model.scopes().size() + 1) {
    for (const operators::OperatorCall& call : model.calls()) add(call);
    for (std::size_t scope = 0; scope < model.scopes().size(); ++scope)
      children_[model.scopes()[scope].parent].push_back(static_cast<std::int32_t>(scope));
    for (auto& [parent, children] : children_)
      std::ranges::stable_sort(children, std::ranges::greater(),
                               [&](std::int32_t scope) { return of(scope).all.gpu_time; });
  }

  tables::Table table() {
    table_ = {columns(), {}};
    const ModuleSums& without = of(kNoScope);
    total_ = without.all.gpu_time;
    add_rows(kNoScope, 0);
    if (without.own.gpu_time > 0) add_row(outside(), "[outside of modules]");
    return std::move(table_);
  }

 private:
  static std::vector<tables::ColumnSpec> columns() {
    std::vector<tables::ColumnSpec> result{{"Time (%)", CellKind::kReal, 1}};
    for (const char* header : {"Total Time (ns)", "Self Time (ns)", "Forward (ns)", "Backward (ns)",
                               "Recompute (ns)", "Step (ns)", "Operator Calls"})
      result.push_back({header, CellKind::kInteger});
    for (const auto& part : {work_columns(), limit_columns()})
      result.insert(result.end(), part.begin(), part.end());
    result.push_back({"Module", CellKind::kText});
    return result;
  }

  // The sums of no scope are those of the whole report.
  ModuleSums& of(std::int32_t scope) {
    return sums_[static_cast<std::size_t>(std::int64_t{scope} + 1)];
  }

  void add(const operators::OperatorCall& call) {
    const operators::Operator& each = model_.operator_of(call);
    operators::WorkSum sum;
    sum.add(model_, call);
    of(each.scope).own.add(sum);
    const auto direction = static_cast<std::size_t>(each.direction);
    for (std::int32_t scope = each.scope;;
         scope = model_.scopes()[static_cast<std::size_t>(scope)].parent) {
      ModuleSums& sums = of(scope);
      sums.all.add(sum);
      sums.times[direction] += call.gpu_time;
      ++sums.calls;
      if (scope == kNoScope) break;
    }
    if (each.scope == kNoScope) {
      outside_times_[direction] += call.gpu_time;
      ++outside_calls_;
    }
  }

  ModuleSums outside() {
    const operators::WorkSum& own = of(kNoScope).own;
    return {own, own, outside_calls_, outside_times_};
  }

  void add_rows(std::int32_t parent, std::size_t depth) {
    for (const std::int32_t scope : children_[parent]) {
      if (of(scope).calls == 0) continue;
      add_row(of(scope),
              std::string(2 * depth, ' ') + model_.scopes()[static_cast<std::size_t>(scope)].name);
      add_rows(scope, depth + 1);
    }
  }

  void add_row(const ModuleSums& sums, const std::string& name) {
    std::vector<tables::Cell> cells{tables::percent(sums.all.gpu_time, total_), sums.all.gpu_time,
                                    sums.own.gpu_time};
    for (const std::int64_t time : sums.times) cells.emplace_back(time);
    cells.emplace_back(sums.calls);
    for (const auto& part : {work_cells(sums.all), limit_cells(sums.all)})
      cells.insert(cells.end(), part.begin(), part.end());
    cells.emplace_back(name);
    table_.rows.push_back(std::move(cells));
  }

  const operators::OperatorModel& model_;
  std::vector<ModuleSums> sums_;  // by scope + 1
  std::map<std::int32_t, std::vector<std::int32_t>> children_;
  std::array<std::int64_t, kDirectionCount> outside_times_{};
  std::int64_t outside_calls_ = 0;
  std::int64_t total_ = 0;
  tables::Table table_;
};

}  // namespace

base::Result<tables::Table> module_tree(const report::ReportReader& reader,
                                        const Arguments& arguments) {
  const auto model = operators::OperatorModel::read(reader, arguments.kernels.range_of);
  if (!model) return tl::make_unexpected(model.error());
  tables::Table table = ModuleTree(*model).table();
  remark_on_sources(reader, *model);
  return table;
}

}  // namespace prof::stats
