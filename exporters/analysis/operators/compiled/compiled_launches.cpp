#include "exporters/analysis/operators/compiled/compiled_launches.hpp"

#include <fmt/format.h>

#include <optional>
#include <tuple>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/operators/names/fused_names.hpp"

namespace prof::operators {

namespace {

std::optional<std::int64_t> number(const report::Statement& row, int column) {
  return row.is_null(column) ? std::nullopt : std::optional(row.integer(column));
}

// Returns "[[8, 512], [8]]" for "float32 [8, 512], int64 [8]", or nothing if sizes are unknown.
std::string shapes_of_tensors(std::string_view tensors) {
  std::string shapes;
  while (!tensors.empty()) {
    const std::size_t begin = tensors.find('[');
    const std::size_t end = tensors.find(']');
    const std::size_t unknown = tensors.find('?');
    if (begin == std::string_view::npos || end == std::string_view::npos || begin > end ||
        unknown < end)
      return {};
    shapes += shapes.empty() ? "[" : ", ";
    shapes += tensors.substr(begin, end - begin + 1);
    tensors.remove_prefix(end + 1);
  }
  return shapes.empty() ? shapes : shapes + "]";
}

// Columns: kernel, operators, graph, inputs, bytes read and written, elements, line of the
// definition, whether it is backward. A forward pass may compute what only the backward pass needs,
// so names of operators decide only if the file does not.
CompiledLaunch launch_of(const report::Statement& row, int first) {
  const bool has_backward =
      std::string_view(row.text(first + 1)).find("_backward") != std::string_view::npos;
  CompiledLaunch launch{
      .kernel = std::string(row.text(first)),
      .operators = std::string(row.text(first + 1)),
      .shapes = {},
      .work = {},
      .is_backward = row.is_null(first + 8) ? has_backward : row.integer(first + 8) != 0,
      .is_call = row.is_null(first + 7)};
  const std::string_view graph = row.text(first + 2);
  if (launch.is_call) {
    const GraphOperator called = parse_graph_operator(graph.substr(0, graph.find('\n')));
    launch.work = work_of_called(called);
    if (parse_shapes(called.sizes)) launch.shapes = called.sizes;
    return launch;
  }
  const auto fused = parse_inductor_name(launch.kernel);
  const GraphKernel kind = kind_of_graph_kernel(launch.kernel);
  if (!graph.empty()) launch.work = work_of_graph(graph, number(row, first + 6), kind);
  if (kind != GraphKernel::kTemplate) launch.operators = without_products(launch.operators);
  if (fused) launch.work.work.category = fused->category;
  launch.shapes = shapes_of_tensors(row.text(first + 3));
  const auto read = number(row, first + 4);
  const auto written = number(row, first + 5);
  if (read && written && *read >= 0 && *written >= 0 && *read <= INT64_MAX - *written) {
    launch.work.work.elements = 0;  // the bytes are those of the tensors, whatever their types
    launch.work.work.other_bytes = *read + *written;
  }
  return launch;
}

}  // namespace

base::Result<CompiledLaunches> CompiledLaunches::read(const report::ReportReader& reader) {
  CompiledLaunches result;
  if (!reader.has_table(kCompiledTable)) return result;
  base::Status done = result.read_launches(reader);
  if (done && !result.is_empty()) done = result.read_chains(reader);
  if (!done) return tl::make_unexpected(done.error());
  return result;
}

base::Status CompiledLaunches::read_launches(const report::ReportReader& reader) {
  using Content = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                             std::optional<std::int64_t>, std::optional<std::int64_t>,
                             std::optional<std::int64_t>, std::optional<std::int64_t>, bool>;
  std::map<Content, const CompiledLaunch*> known;
  const auto text = [](const char* column) {
    return fmt::format("(SELECT value FROM StringIds WHERE id = {})", column);
  };
  return events::for_each_row(
      reader,
      fmt::format("SELECT globalPid, {}, line, kernelId, operatorsId, ifnull(graphId, -1), "
                  "ifnull(inputsId, -1), {}, {}, {}, {}, bytesRead, bytesWritten, elementCount, "
                  "definitionLine, isBackward FROM {} WHERE operatorsId IS NOT NULL",
                  text("fileId"), text("kernelId"), text("operatorsId"), text("graphId"),
                  text("inputsId"), kCompiledTable),
      [&](const report::Statement& row) {
        constexpr int kTexts = 7;
        const Content content{row.integer(3),  row.integer(4),  row.integer(5),
                              row.integer(6),  number(row, 11), number(row, 12),
                              number(row, 13), number(row, 15), row.is_null(14)};
        const auto [found, is_new] = known.try_emplace(content);
        if (is_new) found->second = &launches_.emplace_back(launch_of(row, kTexts));
        by_line_.insert_or_assign(fmt::format("{}:{}", row.text(1), row.integer(2)), found->second);
        add_name(row.integer(0), *found->second);
      });
}

void CompiledLaunches::add_name(std::int64_t global_pid, const CompiledLaunch& launch) {
  if (launch.is_call) return;
  const auto [known, is_new] = by_name_.try_emplace({global_pid, launch.kernel}, &launch);
  if (!is_new && known->second != &launch) known->second = nullptr;
}

// The innermost of a chain's lines counts.
base::Status CompiledLaunches::read_chains(const report::ReportReader& reader) {
  if (!reader.has_column(events::kApiCallChainTable, "line")) return {};
  return events::for_each_row(
      reader,
      fmt::format("SELECT c.id, m.value FROM {} AS c JOIN StringIds AS m ON m.id = c.module WHERE "
                  "c.line IS NOT NULL ORDER BY c.id, c.stackDepth",
                  events::kApiCallChainTable),
      [&](const report::Statement& row) {
        const auto found = by_line_.find(std::string_view(row.text(1)));
        if (found != by_line_.end()) by_chain_.try_emplace(row.integer(0), found->second);
      });
}

const CompiledLaunch* CompiledLaunches::find(std::int64_t chain, std::int64_t global_pid,
                                             const std::string& kernel) const {
  // Older versions of PyTorch give all kernels one name.
  constexpr std::string_view kAnyName = "triton_";
  if (const auto launched = by_chain_.find(chain); launched != by_chain_.end()) {
    const CompiledLaunch* const launch = launched->second;
    if (launch->is_call || launch->kernel == kernel || kernel == kAnyName) return launch;
  }
  if (chain != 0) return nullptr;
  const auto named = by_name_.find({global_pid, kernel});
  return named == by_name_.end() ? nullptr : named->second;
}

}  // namespace prof::operators
