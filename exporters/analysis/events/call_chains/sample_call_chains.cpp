#include "exporters/analysis/events/call_chains/sample_call_chains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "exporters/analysis/events/call_chains/call_chain_rows.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::events {

namespace {

// Visits chains together with their samples, in the order of the chains' ids.
class CallChainVisits {
 public:
  CallChainVisits(const Samples& samples, const VisitCallChain& visit, CodeFrames& code)
      : samples_(samples), visit_(visit), code_(code), now_(samples.all.begin()), end_(now_) {}

  // Visits the chain before, and the samples whose chains the table lacks. Returns false if the
  // chain has no samples.
  bool begin(std::int64_t chain) {
    visit_current();
    const auto first = std::find_if(now_, samples_.all.end(),
                                    [&](const Sample& sample) { return sample.chain >= chain; });
    visit_without_chain(first);
    now_ = first;
    end_ = std::find_if(first, samples_.all.end(),
                        [&](const Sample& sample) { return sample.chain != chain; });
    return now_ != end_;
  }
  void add(const CallChainRow& frame) {
    if (++rows_ > kMaxChainRows)
      ++too_deep_;
    else
      code_.add(frame, frames_);
  }
  // The number of rows that were ignored because their chains are too long.
  std::int64_t too_deep() const { return too_deep_; }
  void finish() {
    visit_current();
    visit_without_chain(samples_.all.end());
  }

 private:
  using At = std::vector<Sample>::const_iterator;

  // Visits the samples from now_ to `end` with the placeholder, because the table lacks their
  // chains.
  void visit_without_chain(At end) {
    if (now_ == end) return;
    const std::uint32_t none = code_.missing_chain_frame();
    visit_({now_, end}, {&none, 1});
    now_ = end;
  }
  void visit_current() {
    rows_ = 0;
    if (frames_.empty()) return visit_without_chain(end_);
    if (now_ != end_) visit_({now_, end_}, frames_);
    frames_.clear();
    now_ = end_;
  }

  const Samples& samples_;
  const VisitCallChain& visit_;
  CodeFrames& code_;
  At now_;  // now_ to end_: the samples of the current chain
  At end_;
  std::vector<std::uint32_t> frames_;  // of the current chain
  std::size_t rows_ = 0;               // number of rows of the current chain
  std::int64_t too_deep_ = 0;
};

// Reads chains from a table that has a row for each frame.
class CallChainReading {
 public:
  // `sorted` means that the query sorts the rows; their order is not checked then.
  CallChainReading(SampleKind kind, CallChainVisits visits, bool sorted)
      : of_cpu_(kind == SampleKind::kCpu), visits_(std::move(visits)), sorted_(sorted) {}

  std::int64_t too_deep() const { return visits_.too_deep(); }

  // False if the rows are not in order. In that case all rows after the first wrong one are
  // ignored.
  bool in_order() const { return in_order_; }

  void add(const report::Row& row) {
    const std::int64_t chain = chain_id(row);
    const std::int64_t depth = chain_depth(row);
    if (!begun_ || chain != chain_) {
      in_order_ = in_order_ && (sorted_ || !begun_ || chain > chain_);
      if (in_order_) begin(chain);
    } else {
      in_order_ = in_order_ && (sorted_ || depth > depth_);
    }
    depth_ = depth;
    if (!in_order_ || !has_samples_) return;
    CallChainRow frame = call_chain_row(row);
    if (of_cpu_ && depth == 0) frame.flags |= CallChainRow::kSampled;
    visits_.add(frame);
  }
  void finish() { visits_.finish(); }

 private:
  void begin(std::int64_t chain) {
    chain_ = chain;
    begun_ = true;
    has_samples_ = visits_.begin(chain);
  }

  bool of_cpu_;
  CallChainVisits visits_;
  bool sorted_;
  std::int64_t chain_ = 0;
  std::int64_t depth_ = 0;
  bool begun_ = false;
  bool has_samples_ = false;
  bool in_order_ = true;
};

// Calls `visit(number)` for the numbers of a JSON array. Returns false if the text is something
// else.
template <class Visit>
bool for_each_number(std::string_view text, Visit visit) {
  if (!text.starts_with('[') || !text.ends_with(']')) return false;
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return false;
    visit(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) return true;
    if (text.front() != ',') return false;
    text.remove_prefix(1);
  }
  return true;
}

// Reads the chains that CPU samples share (has_shared_sample_chains()).
base::Status visit_shared_chains(const report::ReportReader& reader, CallChainVisits visits) {
  std::unordered_map<std::int64_t, CallChainRow> frames;
  base::Status read = report::scan(
      reader, {kSampleFrameTable, call_chain_columns(reader, kSampleFrameTable)},
      [&](const report::Row& row) { frames.emplace(chain_id(row), call_chain_row(row)); });
  if (!read) return read;
  std::int64_t faulty = 0;
  // The id is the table's key, so the rows are in its order.
  read = report::scan(reader, {kSampleChainTable, {"id", "frames"}}, [&](const report::Row& row) {
    if (!visits.begin(row.integer(0))) return;
    bool is_first = true;
    const bool is_array = for_each_number(row.text(1), [&](std::int64_t id) {
      const auto found = frames.find(id);
      if (found == frames.end()) return;
      CallChainRow frame = found->second;
      if (std::exchange(is_first, false)) frame.flags |= CallChainRow::kSampled;
      visits.add(frame);
    });
    if (!is_array) ++faulty;
  });
  if (faulty > 0) reader.note_faulty(kSampleChainTable, faulty);
  if (visits.too_deep() > 0) reader.note_too_deep(kSampleChainTable, visits.too_deep());
  if (read) visits.finish();
  return read;
}

}  // namespace

base::Status for_each_call_chain(const report::ReportReader& reader, SampleKind kind,
                                 const Samples& samples, CodeFrames& code,
                                 const VisitCallChain& visit,
                                 const std::function<void()>& restart) {
  if (kind == SampleKind::kCpu && has_shared_sample_chains(reader))
    return visit_shared_chains(reader, CallChainVisits(samples, visit, code));
  const char* table = sample_call_chain_table(kind);
  if (!reader.has_table(table)) {
    CallChainVisits(samples, visit, code).finish();
    return {};
  }
  const report::ScanColumns columns = call_chain_columns(reader, table);
  const auto read = [&](bool sorted) -> base::Result<bool> {
    CallChainReading reading(kind, CallChainVisits(samples, visit, code), sorted);
    const auto add = [&](const report::Row& row) { reading.add(row); };
    const base::Status done =
        sorted ? report::scan_sql(reader, columns_sql(columns),
                                  fmt::format("(SELECT * FROM {} ORDER BY id, stackDepth)", table),
                                  add)
               : report::scan(reader, {table, columns}, add);
    if (!done) return tl::make_unexpected(done.error());
    if (reading.in_order()) reading.finish();
    if (reading.too_deep() > 0) reader.note_too_deep(table, reading.too_deep());
    return reading.in_order();
  };
  // Rows are usually in order already, and sorting them takes longer than reading them.
  auto in_order = read(false);
  if (in_order && !*in_order) {
    restart();
    in_order = read(true);
  }
  if (!in_order) return tl::make_unexpected(in_order.error());
  return {};
}

}  // namespace prof::events
