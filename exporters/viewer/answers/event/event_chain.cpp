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

// The chain to read.
struct Chain {
  std::string table;  // table of the frames
  std::string id;     // SQL of its id
  bool is_sample;     // the innermost frame was interrupted
};

base::Result<std::vector<ChainFrame>> read_chain(const report::ReportReader& reader,
                                                 const Chain& chains,
                                                 const events::CodeLines* lines) {
  events::Strings strings(reader);
  events::CodeFrames code(strings, events::FrameDetail::kLine, lines);
  std::vector<std::uint32_t> frames;
  std::vector<ChainFrame> chain;
  const std::string rows =
      fmt::format("(SELECT * FROM main.{} WHERE id = ({}) ORDER BY stackDepth LIMIT {})",
                  report::quoted(chains.table), chains.id, events::kMaxChainRows);
  const base::Status read = report::scan_sql(
      reader, columns_sql(events::call_chain_columns(reader, chains.table.c_str())), rows,
      [&](const report::Row& row) {
        events::CallChainRow frame = events::call_chain_row(row);
        if (chains.is_sample && events::chain_depth(row) == 0)
          frame.flags |= events::CallChainRow::kSampled;
        code.add(frame, frames);
      });
  if (!read) return tl::make_unexpected(read.error());
  for (const std::uint32_t frame : frames) {
    const events::Function& function = code.function_of(frame);
    chain.push_back({function.name, events::location(function, code.frame(frame).line),
                     view::name_of(function.kind)});
  }
  return chain;
}

}  // namespace

base::Result<std::vector<ChainFrame>> chain_of_call(const report::ReportReader& reader,
                                                    std::int64_t chain,
                                                    const events::CodeLines* lines) {
  if (chain == 0 || !reader.has_table(events::kApiCallChainTable)) return {};
  return read_chain(reader, {events::kApiCallChainTable, std::to_string(chain), false}, lines);
}

base::Result<std::vector<ChainFrame>> chain_of(const report::ReportReader& reader,
                                               const std::string& table, std::int64_t rowid,
                                               const events::CodeLines* lines) {
  const auto source = chain_source(reader, table);
  if (!source) return {};
  const std::string id = fmt::format("SELECT {} FROM main.{} WHERE rowid = {}", source->column,
                                     report::quoted(table), rowid);
  return read_chain(reader, {source->table, id, table == events::kCpuSampleTable}, lines);
}

}  // namespace prof::view
