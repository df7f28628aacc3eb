#include "exporters/viewer/answers/event/event_chain.hpp"

#include <fmt/format.h>

#include <optional>

#include "exporters/analysis/events/call_chains/code_frames.hpp"
#include "exporters/analysis/events/call_chains/samples.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/viewer/answers/code_kind.hpp"

namespace prof::view {

namespace {

using events::SampleKind;

struct ChainSource {
  std::string table;   // table of the frames
  const char* column;  // column of the event with the chain's id
};

std::optional<ChainSource> chain_source(const report::ReportReader& reader,
                                        const std::string& table) {
  for (const SampleKind kind :
       {SampleKind::kCpu, SampleKind::kPython, SampleKind::kOsrt, SampleKind::kCuda}) {
    if (table != events::sample_table(kind)) continue;
    const char* column = kind == SampleKind::kCpu ? "id" : "callchainId";
    const char* chains = events::sample_call_chain_table(kind);
    if (reader.has_column(table, column) && reader.has_table(chains))
      return ChainSource{chains, column};
  }
  return std::nullopt;
}

}  // namespace

base::Result<std::vector<ChainFrame>> chain_of(const report::ReportReader& reader,
                                               const std::string& table, std::int64_t rowid,
                                               const events::CodeLines* lines) {
  std::vector<ChainFrame> chain;
  const auto source = chain_source(reader, table);
  if (!source) return chain;
  events::Strings strings(reader);
  events::CodeFrames code(strings, events::FrameDetail::kLine, lines);
  std::vector<std::uint32_t> frames;
  const std::string rows = fmt::format(
      "(SELECT * FROM main.{0} WHERE id = (SELECT {1} FROM main.{2} WHERE rowid = {3}) ORDER BY "
      "stackDepth LIMIT {4})",
      report::quoted(source->table), source->column, report::quoted(table), rowid,
      events::kMaxChainRows);
  const base::Status read = report::scan_sql(
      reader, columns_sql(events::call_chain_columns(reader, source->table.c_str())), rows,
      [&](const report::Row& row) {
        events::CallChainRow frame = events::call_chain_row(row);
        if (table == events::kCpuSampleTable && events::chain_depth(row) == 0)
          frame.flags |= events::CallChainRow::kSampled;
        code.add(frame, frames);
      });
  if (!read) return tl::make_unexpected(read.error());
  for (const std::uint32_t frame : frames) {
    const events::Function& function = code.function_of(frame);
    chain.push_back({function.name, events::location(function, code.frame(frame).line),
                     name_of(function.kind)});
  }
  return chain;
}

}  // namespace prof::view
