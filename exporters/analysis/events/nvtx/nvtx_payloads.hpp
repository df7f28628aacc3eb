// Reads the payloads of NVTX events, by the names of their fields.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"

namespace prof::events {

inline constexpr std::int64_t kNvtxMarkType = 34;  // ENUM_NSYS_EVENT_TYPE

// Calls `visit` for every range and mark whose payload was decoded. A mark has equal start and end.
// `json` is an object of the payload's fields; it is valid only during the call.
base::Status for_each_payload(
    const report::ReportReader& reader, RangeNames& names,
    const std::function<void(const NvtxRange& range, std::string_view json)>& visit);

}  // namespace prof::events
