#include "collector/ingest/nvtx/graph_ranges.hpp"

#include <algorithm>

#include "common/wire/records.hpp"

namespace prof::ingest {

void GraphRanges::add(std::int64_t global_tid, const wire::NvtxGraphRangeRecord& record) {
  ranges_.insert_or_assign({global_tid, record.start, record.header.aux}, record);
}

void GraphRanges::finish(std::int64_t end) {
  for (const auto& [key, record] : ranges_) {
    const std::int64_t start = clock_.to_ns(record.start);
    const bool has_text = (record.header.flags & wire::kNvtxHasText) != 0;
    writer_.add("PROF_GRAPH_RANGES",
                {start, std::max(start, record.end == 0 ? end : clock_.to_ns(record.end)),
                 std::get<0>(key), std::int64_t{record.header.aux},
                 has_text ? report::Value(static_cast<std::int64_t>(
                                writer_.string_id(strings_.text(record.text))))
                          : report::Value(nullptr)});
  }
  ranges_.clear();
}

}  // namespace prof::ingest
