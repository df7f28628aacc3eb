#include "exporters/analysis/events/call_chains/sample_call_chains.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "exporters/analysis/events/call_chains/call_chain_rows.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::events {

namespace {

// Reads the rows of call chains and visits each chain together with its samples.
class CallChainVisits {
 public:
  // `sorted` means that the query sorts the rows; their order is not checked then.
  CallChainVisits(SampleKind kind, const Samples& samples, CodeFrames& code,
                  const VisitCallChain& visit, bool sorted)
      : of_cpu_(kind == SampleKind::kCpu),
        samples_(samples),
        code_(code),
        visit_(visit),
        sorted_(sorted),
        now_(samples.all.begin()),
        end_(now_) {}

  // The number of rows that were ignored because their chains are too long.
  std::int64_t too_deep() const { return too_deep_; }

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
    if (!in_order_ || now_ == end_) return;
    if (++rows_ > kMaxChainRows) {
      ++too_deep_;
      return;
    }
    CallChainRow frame = call_chain_row(row);
    if (of_cpu_ && depth == 0) frame.flags |= CallChainRow::kSampled;
    code_.add(frame, frames_);
  }
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
  }
  void begin(std::int64_t chain) {
    visit_current();
    chain_ = chain;
    begun_ = true;
    const auto first = std::find_if(now_, samples_.all.end(),
                                    [&](const Sample& sample) { return sample.chain >= chain; });
    visit_without_chain(first);
    now_ = first;
    end_ = std::find_if(first, samples_.all.end(),
                        [&](const Sample& sample) { return sample.chain != chain; });
  }
  void visit_current() {
    if (now_ != end_) visit_({now_, end_}, frames_);
    frames_.clear();
    rows_ = 0;
    now_ = end_;
  }

  bool of_cpu_;
  const Samples& samples_;
  CodeFrames& code_;
  const VisitCallChain& visit_;
  bool sorted_;
  At now_;  // now_ to end_: the samples of the current chain
  At end_;
  std::int64_t chain_ = 0;
  std::int64_t depth_ = 0;
  bool begun_ = false;
  bool in_order_ = true;
  std::size_t rows_ = 0;  // number of rows of the current chain
  std::int64_t too_deep_ = 0;
  std::vector<std::uint32_t> frames_;
};

}  // namespace

base::Status for_each_call_chain(const report::ReportReader& reader, SampleKind kind,
                                 const Samples& samples, CodeFrames& code,
                                 const VisitCallChain& visit,
                                 const std::function<void()>& restart) {
  const char* table = sample_call_chain_table(kind);
  if (!reader.has_table(table)) {
    CallChainVisits(kind, samples, code, visit, true).finish();
    return {};
  }
  const report::ScanColumns columns = call_chain_columns(reader, table);
  const auto read = [&](bool sorted) -> base::Result<bool> {
    CallChainVisits reading(kind, samples, code, visit, sorted);
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
