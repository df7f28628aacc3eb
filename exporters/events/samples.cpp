#include "exporters/events/samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "exporters/events/api_calls.hpp"
#include "exporters/events/chain_rows.hpp"
#include "exporters/events/event_tables.hpp"
#include "exporters/events/rows.hpp"
#include "exporters/events/sums.hpp"

namespace prof::events {

namespace {

struct Source {
  const char* events;
  const char* columns;  // start, end or NULL, globalTid, chain, weight or NULL, name or NULL
  const char* where;
  const char* chains;
};

// In the order of SampleKind.
constexpr Source kSources[] = {
    {kCpuSampleTable, "start, NULL, globalTid, id, cpuCycles, NULL", "", "SAMPLING_CALLCHAINS"},
    {"PROF_PYTHON_SAMPLES", "start, NULL, globalTid, callchainId, NULL, NULL", "",
     "PROF_PYTHON_CALLCHAINS"},
    {kOsrtTable, "start, \"end\", globalTid, callchainId, NULL, nameId", kWhereOsrtCall,
     "OSRT_CALLCHAINS"},
    {kApiTable, "start, \"end\", globalTid, callchainId, NULL, nameId", "", "CUDA_CALLCHAINS"},
};

const Source& source_of(SampleKind kind) { return kSources[static_cast<std::size_t>(kind)]; }

struct Same {
  std::uint64_t operator()(std::int64_t value) const { return static_cast<std::uint64_t>(value); }
};

class SampleReading {
 public:
  explicit SampleReading(SampleKind kind) : calls_(kind > SampleKind::kPython) {}

  void add(const report::Row& row) {
    const Times times{row.integer_or(0, INT64_MAX), row.integer_or(calls_ ? 1 : 0, INT64_MIN)};
    if (!times.make_sense()) {
      ++faulty_;
      return;
    }
    Sample sample{times.start, row.integer_or(3, Sample::kNoChain), 1, 0, Sample::kNoCall};
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
  Numbering<std::int64_t, Same> threads_;
  Numbering<std::int64_t, Same> names_;
  std::int64_t faulty_ = 0;
};

// Brings the rows of chains, chain after chain, to the samples that have them.
class ChainReading {
 public:
  // `sorted`: the rows are in order, as far as that can be.
  ChainReading(SampleKind kind, const Samples& samples, CodeFrames& code, const VisitChain& visit,
               bool sorted)
      : of_cpu_(kind == SampleKind::kCpu),
        samples_(samples),
        code_(code),
        visit_(visit),
        sorted_(sorted),
        now_(samples.all.begin()),
        end_(now_) {}

  // False: the rows are not in order; what follows is not looked at.
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
    ChainRow frame = chain_row(row);
    if (of_cpu_ && depth == 0) frame.flags |= ChainRow::kSampled;
    code_.add(frame, frames_);
  }
  void finish() {
    put();
    visit_chainless(samples_.all.end());
  }

 private:
  using At = std::vector<Sample>::const_iterator;

  // From now_ to there: their chains are not in the table.
  void visit_chainless(At end) {
    if (now_ == end) return;
    const std::uint32_t none = code_.of_no_chain();
    visit_({now_, end}, {&none, 1});
  }
  void begin(std::int64_t chain) {
    put();
    chain_ = chain;
    begun_ = true;
    const auto first = std::find_if(now_, samples_.all.end(),
                                    [&](const Sample& sample) { return sample.chain >= chain; });
    visit_chainless(first);
    now_ = first;
    end_ = std::find_if(first, samples_.all.end(),
                        [&](const Sample& sample) { return sample.chain != chain; });
  }
  void put() {
    if (now_ != end_) visit_({now_, end_}, frames_);
    frames_.clear();
    now_ = end_;
  }

  bool of_cpu_;
  const Samples& samples_;
  CodeFrames& code_;
  const VisitChain& visit_;
  bool sorted_;
  At now_;  // from here to end_: the samples of the chain
  At end_;
  std::int64_t chain_ = 0;
  std::int64_t depth_ = 0;
  bool begun_ = false;
  bool in_order_ = true;
  std::vector<std::uint32_t> frames_;
};

// Calls within calls are told by their level. In nsys's reports of before 2024 CUDA calls have
// their chains in rows of their own, of class 67.
std::string condition(const report::ReportReader& reader, SampleKind kind) {
  std::string where = source_of(kind).where;
  if (kind == SampleKind::kOsrt && reader.has_column(source_of(kind).events, "nestingLevel"))
    where += " AND COALESCE(nestingLevel, 0) = 0";
  if (kind != SampleKind::kCuda) return where;
  bool own_rows = false;
  const base::Status read =
      for_each_row(reader, fmt::format("SELECT 1 FROM {} {} LIMIT 1", kApiTable, kWhereBacktrace),
                   [&](const report::Statement&) { own_rows = true; });
  if (!read) reader.note(read.error());
  return own_rows ? kWhereBacktrace : "";
}

std::optional<std::string> captured(const report::ReportReader& reader, std::string_view name) {
  if (!reader.has_table("META_DATA_CAPTURE")) return std::nullopt;
  std::optional<std::string> value;
  const base::Status read = for_each_row(
      reader, "SELECT value FROM META_DATA_CAPTURE WHERE name = " + report::quoted_text(name),
      [&](const report::Statement& row) { value = row.text(0); });
  if (!read) reader.note(read.error());
  return value;
}

// A number of at most 1e9: ns in a second, so that times of all samples are numbers.
constexpr std::int64_t kSecond = 1'000'000'000;

std::optional<std::int64_t> captured_number(const report::ReportReader& reader,
                                            std::string_view name) {
  const auto text = captured(reader, name);
  if (!text) return std::nullopt;
  std::int64_t value = 0;
  const char* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, value);
  const bool is_number = error == std::errc() && stop == end && value > 0 && value <= kSecond;
  return is_number ? std::optional(value) : std::nullopt;
}

}  // namespace

const char* sample_table(SampleKind kind) { return source_of(kind).events; }

base::Result<Samples> read_samples(const report::ReportReader& reader, SampleKind kind) {
  const Source& source = source_of(kind);
  if (!reader.has_table(source.events)) return Samples{};
  SampleReading reading(kind);
  const base::Status read = report::scan(
      reader, source.columns, fmt::format("{} {}", source.events, condition(reader, kind)),
      [&](const report::Row& row) { reading.add(row); });
  if (reading.faulty() > 0) reader.note_faulty(source.events, reading.faulty());
  if (!read) return tl::make_unexpected(read.error());
  return reading.take();
}

std::optional<std::int64_t> sampling_interval(const report::ReportReader& reader, SampleKind kind,
                                              const Samples& samples) {
  if (kind == SampleKind::kPython) return python_sampling_interval(reader);
  if (kind != SampleKind::kCpu) return std::nullopt;
  // By timers in the program: each sample weighs the periods that it stands for.
  if (const auto period = captured_number(reader, "SAMPLING_OPTIONS:TIMER_PERIOD_NS"))
    return period;
  if (!samples.of_clock) return std::nullopt;
  if (const auto frequency = captured_number(reader, "SAMPLING_OPTIONS:FREQUENCY"))
    return kSecond / *frequency;
  // nsys's period is of cycles otherwise, and says so in no other place.
  if (captured(reader, "LINUX_PERF_OPTIONS:CPU_IP_TRIGGER_TYPE") != "Software") return std::nullopt;
  return captured_number(reader, "LINUX_PERF_OPTIONS:SAMPLING_PERIOD");
}

std::optional<std::int64_t> python_sampling_interval(const report::ReportReader& reader) {
  const auto frequency = captured_number(reader, "PYTHON_SAMPLING_OPTIONS:FREQUENCY");
  return frequency ? std::optional(kSecond / *frequency) : std::nullopt;
}

std::int64_t sampled_time(std::int64_t weight, std::int64_t interval) {
  constexpr auto kLongest = std::numeric_limits<std::int64_t>::max();
  return weight > kLongest / interval ? kLongest : weight * interval;
}

base::Status for_each_chain(const report::ReportReader& reader, SampleKind kind,
                            const Samples& samples, CodeFrames& code, const VisitChain& visit,
                            const std::function<void()>& restart) {
  const char* table = source_of(kind).chains;
  if (!reader.has_table(table)) {
    ChainReading(kind, samples, code, visit, true).finish();
    return {};
  }
  const std::string columns = chain_columns(reader, table);
  const auto read = [&](const std::string& source, bool sorted) -> base::Result<bool> {
    ChainReading reading(kind, samples, code, visit, sorted);
    const base::Status done =
        report::scan(reader, columns, source, [&](const report::Row& row) { reading.add(row); });
    if (!done) return tl::make_unexpected(done.error());
    if (reading.in_order()) reading.finish();
    return reading.in_order();
  };
  // Rows are mostly written in order, and to sort them costs more than to read them.
  auto in_order = read(table, false);
  if (in_order && !*in_order) {
    restart();
    in_order = read(fmt::format("(SELECT * FROM {} ORDER BY id, stackDepth)", table), true);
  }
  if (!in_order) return tl::make_unexpected(in_order.error());
  return {};
}

}  // namespace prof::events
