#include "exporters/analysis/events/call_chains/samples.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/call_chains/numbering.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/events/sums.hpp"

namespace prof::events {

namespace {

struct Source {
  const char* events;
  // start, end or NULL, globalTid, chain id, weight or NULL, name or NULL
  std::array<report::ScanColumn, 6> columns;
  const char* chains;
};

constexpr report::ScanColumn kNull = report::ScanColumn::null();
constexpr std::size_t kChainColumn = 3;  // index in Source::columns

// The sources in the order of SampleKind.
constexpr Source kSources[] = {
    {kCpuSampleTable,
     {"start", kNull, "globalTid", "id", "cpuCycles", kNull},
     kSampleCallChainTable},
    {kPythonSampleTable,
     {"start", kNull, "globalTid", "callchainId", kNull, kNull},
     "PROF_PYTHON_CALLCHAINS"},
    {kOsrtTable,
     {"start", "end", "globalTid", "callchainId", kNull, "nameId"},
     kOsrtCallChainTable},
    {kApiTable, {"start", "end", "globalTid", "callchainId", kNull, "nameId"}, kApiCallChainTable},
    {kPythonWaitTable,
     {"start", kNull, "globalTid", "callchainId", kNull, kNull},
     "PROF_PYTHON_CALLCHAINS"},
};

const Source& source_of(SampleKind kind) { return kSources[static_cast<std::size_t>(kind)]; }

struct IdentityHash {
  std::uint64_t operator()(std::int64_t value) const { return static_cast<std::uint64_t>(value); }
};

class SampleListBuilder {
 public:
  explicit SampleListBuilder(SampleKind kind)
      : calls_(kind == SampleKind::kOsrt || kind == SampleKind::kCuda) {}

  void add(const report::Row& row) {
    const Times times{row.integer_or(0, INT64_MAX), row.integer_or(calls_ ? 1 : 0, INT64_MIN)};
    if (!times.is_valid()) {
      ++faulty_;
      return;
    }
    Sample sample{times.start, row.integer_or(kChainColumn, Sample::kNoChain), 1, 0,
                  Sample::kNoCall};
    sample.thread = threads_.of(row.integer(2));
    sample.weight = calls_ ? times.duration() : std::max<std::int64_t>(row.integer(4), 1);
    if (calls_) sample.call = names_.of(row.integer_or(5, Strings::kNone));
    result_.weight = sum(result_.weight, sample.weight);
    result_.of_clock = result_.of_clock && sample.weight == 1;
    result_.all.push_back(sample);
  }

  Samples take() {
    const auto by_chain = [](const Sample& a, const Sample& b) { return a.chain < b.chain; };
    if (!std::is_sorted(result_.all.begin(), result_.all.end(), by_chain))
      std::stable_sort(result_.all.begin(), result_.all.end(), by_chain);
    for (std::uint32_t i = 0; i < threads_.size(); ++i) result_.threads.push_back(threads_.key(i));
    for (std::uint32_t i = 0; i < names_.size(); ++i) result_.calls.push_back(names_.key(i));
    return std::move(result_);
  }
  std::int64_t faulty() const { return faulty_; }

 private:
  bool calls_;
  Samples result_;
  Numbering<std::int64_t, IdentityHash> threads_;
  Numbering<std::int64_t, IdentityHash> names_;
  std::int64_t faulty_ = 0;
};

// True if the call chains of CUDA calls are in separate rows, as in nsys's reports from before
// 2024.
bool has_backtrace_rows(const report::ReportReader& reader) {
  bool has_chain_rows = false;
  const base::Status read = for_each_row(
      reader, fmt::format("SELECT 1 FROM {} WHERE {} LIMIT 1", kApiTable, to_sql(backtrace_rows())),
      [&](const report::Statement&) { has_chain_rows = true; });
  if (!read) reader.note(read.error());
  return has_chain_rows;
}

// Returns the query for samples, without calls that are nested in other calls.
report::TableQuery query_of(const report::ReportReader& reader, SampleKind kind) {
  const Source& source = source_of(kind);
  report::TableQuery query{source.events, {source.columns.begin(), source.columns.end()}};
  if (kind == SampleKind::kCpu && has_shared_sample_chains(reader))
    query.columns[kChainColumn] = "callchainId";
  if (kind == SampleKind::kOsrt) query.condition = osrt_calls();
  if (kind == SampleKind::kOsrt && reader.has_column(source.events, "nestingLevel"))
    query.rest = "AND COALESCE(nestingLevel, 0) = 0";
  if (kind == SampleKind::kCuda && has_backtrace_rows(reader)) query.condition = backtrace_rows();
  return query;
}

}  // namespace

bool has_shared_sample_chains(const report::ReportReader& reader) {
  return reader.has_column(kCpuSampleTable, "callchainId") &&
         reader.has_column(kSampleChainTable, "frames") && reader.has_table(kSampleFrameTable);
}

const char* sample_table(SampleKind kind) { return source_of(kind).events; }

const char* sample_call_chain_table(SampleKind kind) { return source_of(kind).chains; }

base::Result<Samples> read_samples(const report::ReportReader& reader, SampleKind kind) {
  const Source& source = source_of(kind);
  if (!reader.has_table(source.events)) return Samples{};
  SampleListBuilder reading(kind);
  const base::Status read = report::scan(reader, query_of(reader, kind),
                                         [&](const report::Row& row) { reading.add(row); });
  if (reading.faulty() > 0) reader.note_faulty(source.events, reading.faulty());
  if (!read) return tl::make_unexpected(read.error());
  return reading.take();
}

}  // namespace prof::events
