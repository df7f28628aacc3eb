#include "exporters/analysis/insight/torch_collectives.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::insight {

namespace {

constexpr std::string_view kModule = "torch.distributed.distributed_c10d.";
constexpr std::array<std::string_view, 9> kForAll{
    "barrier",        "all_reduce",        "all_reduce_coalesced",
    "all_gather",     "all_to_all",        "all_gather_into_tensor",
    "reduce_scatter", "all_to_all_single", "reduce_scatter_tensor"};
constexpr std::array<std::string_view, 4> kOthers{"broadcast", "reduce", "gather", "scatter"};

bool has_functions_of_torch(const report::ReportReader& reader) {
  bool found = false;
  const base::Status read = events::for_each_row(
      reader, "SELECT 1 FROM main.StringIds WHERE value GLOB 'torch.distributed.*' LIMIT 1",
      [&](const report::Statement&) { found = true; });
  return read && found;
}

}  // namespace

base::Result<std::vector<TorchCollective>> read_torch_collectives(
    const report::ReportReader& reader) {
  std::vector<TorchCollective> result;
  if (reader.has_table(events::kApiTable) || !reader.has_table(events::kNvtxTable) ||
      !has_functions_of_torch(reader))
    return result;
  events::RangeNames names(reader, events::RangeNames::Show::kText);
  std::unordered_map<std::int32_t, std::string> operations;  // by name; empty: another function
  const base::Status read =
      events::for_each_range(reader, names, [&](const events::NvtxRange& range) {
        const auto [at, is_new] = operations.try_emplace(range.name);
        if (is_new) {
          const std::string_view text = names.text(range.name);
          const std::string_view function =
              text.starts_with(kModule) ? text.substr(kModule.size()) : std::string_view();
          if (std::ranges::count(kForAll, function) + std::ranges::count(kOthers, function) > 0)
            at->second = function;
        }
        if (!at->second.empty() && range.type == events::kPushPopRange)
          result.push_back({range.start, range.end, range.global_tid, at->second});
      });
  if (!read) return tl::make_unexpected(read.error());
  return result;
}

bool waits_for_all(const TorchCollective& call) {
  return std::ranges::find(kForAll, call.operation) != kForAll.end();
}

}  // namespace prof::insight
