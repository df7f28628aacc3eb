#include "exporters/stats/events/call_chains.hpp"

#include <fmt/format.h>

#include "exporters/stats/events/rows.hpp"

namespace prof::stats {

base::Result<Callers> Callers::read(const report::ReportReader& reader, const char* table,
                                    std::int64_t depth, Strings& strings) {
  Callers callers;
  std::int64_t chain = 0;
  Frames frames;
  const std::string which = depth < 0 ? "" : fmt::format("WHERE stackDepth < {}", depth);
  const base::Status read =
      for_each_row(reader,
                   fmt::format("SELECT id, symbol, module FROM {} {} ORDER BY id, stackDepth",
                               report::quoted(table), which),
                   [&](const report::Statement& row) {
                     if (!frames.empty() && row.integer(0) != chain) {
                       callers.add(chain, frames, strings);
                       frames.clear();
                     }
                     chain = row.integer(0);
                     frames.emplace_back(row.integer(1), row.integer(2));
                   });
  if (!read) return tl::make_unexpected(read.error());
  if (!frames.empty()) callers.add(chain, frames, strings);
  return callers;
}

void Callers::add(std::int64_t chain, const Frames& frames, Strings& strings) {
  const auto [known, is_new] =
      numbers_.try_emplace(frames, static_cast<std::int64_t>(texts_.size()));
  chains_[chain] = known->second;
  if (!is_new) return;
  Caller& caller = texts_.emplace_back();
  for (const auto& [symbol, module] : frames) {
    const char* between = caller.functions.empty() ? "" : " < ";
    caller.functions += between + strings.text(symbol);
    caller.places += between + strings.text(module);
  }
}

}  // namespace prof::stats
