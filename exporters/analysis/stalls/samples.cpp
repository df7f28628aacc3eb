#include "exporters/analysis/stalls/samples.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "common/report/table_scan.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/events/sums.hpp"

namespace prof::stalls {
namespace {

void add_to(Count& count, const Count& more) {
  count.samples = events::sum(count.samples, more.samples);
  count.not_issued = events::sum(count.not_issued, more.not_issued);
}

}  // namespace

void Sum::add(std::int64_t reason, const Count& count) {
  add_to(by_reason_[reason], count);
  add_to(total_, count);
}

void Sum::add(const Sum& other) {
  for (const auto& [reason, count] : other.by_reason_) add(reason, count);
}

double Sum::issued() const {
  if (total_.samples <= 0) return 0;
  return 1 - static_cast<double>(total_.not_issued) / static_cast<double>(total_.samples);
}

base::Result<std::vector<Instruction>> read_instructions(const report::ReportReader& reader) {
  std::map<std::tuple<std::int64_t, std::int64_t, std::uint64_t>, Sum> sums;
  if (!reader.has_table(events::kPcSampleTable)) return std::vector<Instruction>();
  const base::Status read = report::scan(
      reader,
      {events::kPcSampleTable,
       {"functionId", "cubinCrc", "pcOffset", "stallId", "samples", "notIssued"}},
      [&](const report::Row& row) {
        const Count count{row.integer(4), row.integer(5)};
        if (count.samples <= 0 || count.not_issued < 0 || count.not_issued > count.samples) return;
        sums[{row.integer(0), row.integer(1), static_cast<std::uint64_t>(row.integer(2))}].add(
            row.integer(3), count);
      });
  if (!read) return tl::make_unexpected(read.error());
  std::vector<Instruction> result;
  result.reserve(sums.size());
  for (auto& [key, sum] : sums)
    result.push_back({std::get<1>(key), std::get<0>(key), std::get<2>(key), std::move(sum)});
  return result;
}

const std::string& ReasonNames::name(std::int64_t reason) {
  const auto [at, is_new] = names_.try_emplace(reason);
  if (is_new) at->second = reason_of(events::Strings(*reader_).text(reason)).name;
  return at->second;
}

ReasonNames::Main ReasonNames::main_of(const Sum& sum) {
  Main main;
  for (const auto& [reason, count] : sum.by_reason()) {
    if (count.samples < main.samples || count.samples == 0 || name(reason) == "selected") continue;
    // Ids differ between reports, so the order of reasons decides between equal numbers.
    if (count.samples > main.samples || place_of(name(reason)) < place_of(name(main.reason)))
      main = {reason, count.samples};
  }
  return main;
}

ReasonNames::Main ReasonNames::main_of(const Sum& sum, Cause of) {
  Main main;
  for (const auto& [reason, count] : sum.by_reason())
    if (count.samples > main.samples && cause(reason) == of) main = {reason, count.samples};
  return main;
}

std::int64_t ReasonNames::samples_of(const Sum& sum, Cause of) {
  std::int64_t samples = 0;
  for (const auto& [reason, count] : sum.by_reason())
    if (cause(reason) == of) samples = events::sum(samples, count.samples);
  return samples;
}

}  // namespace prof::stalls
