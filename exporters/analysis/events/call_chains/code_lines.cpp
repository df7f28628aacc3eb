#include "exporters/analysis/events/call_chains/code_lines.hpp"

#include <algorithm>
#include <tuple>

#include "common/report/table_scan.hpp"
#include "exporters/analysis/events/strings.hpp"

namespace prof::events {

base::Result<std::vector<CodePlace>> read_code_places(const report::ReportReader& reader) {
  std::vector<CodePlace> all;
  if (!reader.has_table(kCodePlaceTable)) return all;
  const base::Status read = report::scan(
      reader,
      {kCodePlaceTable, {"module", "originalIP", "isReturnAddress", "fileOffset", "buildId"}},
      [&](const report::Row& row) {
        all.push_back({row.integer(0), row.integer(1), row.integer(2) != 0, row.integer(3),
                       row.integer_or(4, Strings::kNone)});
      });
  if (!read) return tl::make_unexpected(read.error());
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  const auto key = [](const CodePlace& place) {
    return std::tuple(place.module, place.address, place.is_return_address);
  };
  std::vector<CodePlace> places;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_ambiguous = (i > 0 && key(all[i]) == key(all[i - 1])) ||
                              (i + 1 < all.size() && key(all[i]) == key(all[i + 1]));
    if (!is_ambiguous) places.push_back(all[i]);
  }
  return places;
}

const CodeLines::Frames* CodeLines::find(std::int64_t module, std::int64_t address,
                                         bool is_sampled) const {
  const auto place = places_.find({module, address});
  if (place == places_.end()) return nullptr;
  const auto [sampled, returned_to] = place->second;
  const bool takes_sampled = returned_to == kNone || (is_sampled && sampled != kNone);
  return &frames_[takes_sampled ? sampled : returned_to];
}

}  // namespace prof::events
