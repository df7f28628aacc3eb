#include "exporters/analysis/operators/code_places.hpp"

#include <fmt/format.h>

#include <set>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/operators/compiled/compiled_launches.hpp"

namespace prof::operators {

namespace {

// The name of prof's own Python code, with what separates it from the line.
constexpr std::string_view kOwnFile = "<prof>:";

// The lines that launch kernels which torch.compile made, "/tmp/….py:31".
using Lines = std::set<std::string, std::less<>>;
base::Status read_compiled_lines(const report::ReportReader& reader, Lines& lines) {
  if (!reader.has_table(kCompiledTable)) return {};
  return events::for_each_row(
      reader,
      fmt::format("SELECT DISTINCT s.value, l.line FROM {} AS l JOIN StringIds AS s ON s.id = "
                  "l.fileId",
                  kCompiledTable),
      [&](const report::Statement& row) {
        lines.insert(fmt::format("{}:{}", row.text(0), row.integer(1)));
      });
}

}  // namespace

base::Result<CodePlaces> CodePlaces::read(const report::ReportReader& reader) {
  CodePlaces result;
  if (!reader.has_column(events::kApiCallChainTable, "line")) return result;
  Lines compiled;
  base::Status read = read_compiled_lines(reader, compiled);
  if (!read) return tl::make_unexpected(read.error());
  read = events::for_each_row(
      reader,
      fmt::format("SELECT c.id, m.value, s.value FROM {} AS c JOIN StringIds AS m ON m.id = "
                  "c.module LEFT JOIN StringIds AS s ON s.id = c.symbol WHERE c.line IS NOT NULL "
                  "ORDER BY c.id, c.stackDepth",
                  events::kApiCallChainTable),
      [&](const report::Statement& row) {
        const std::string_view file(row.text(1));
        if (file.starts_with(kOwnFile)) return;  // a function that prof put around one of PyTorch
        const Rank rank = compiled.contains(file)                          ? Rank::kCompiled
                          : file.find("/torch/") == std::string_view::npos ? Rank::kProgram
                                                                           : Rank::kPytorch;
        const auto [place, is_new] = result.places_.try_emplace(row.integer(0));
        if (!is_new && rank <= place->second.rank) return;
        place->second = {fmt::format("{} ({})", file, std::string_view(row.text(2))), rank};
      });
  if (!read) return tl::make_unexpected(read.error());
  return result;
}

}  // namespace prof::operators
