// Events whose times the program gives (nvtxEventSubmit, nvtxEventBatchSubmit).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collector/ingest/nvtx/payload_blocks.hpp"
#include "collector/ingest/nvtx/payload_schemas.hpp"
#include "collector/ingest/nvtx/payload_values.hpp"
#include "collector/ingest/nvtx/time_domains.hpp"

namespace prof::ingest {

struct DeferredEvent {
  enum class Kind { kMark, kPushPop, kStartEnd, kPush, kPop, kStart, kEnd };

  Kind kind;
  std::int64_t begin;                // ns; the time of a mark or of half a range
  std::int64_t end;                  // ns; only for ranges
  std::optional<std::uint32_t> tid;  // nothing: it belongs to no known thread
  std::uint64_t range_id;            // 0: not given
  std::vector<PayloadValue> values;
};

struct DeferredStats {
  std::uint64_t without_time = 0;  // events whose clock is not known
};

class DeferredEvents {
 public:
  DeferredEvents(const spool::ClockModel& clock, const StringTable& strings,
                 const PayloadSchemas& schemas, const TimeDomains& times)
      : clock_(clock), strings_(strings), schemas_(schemas), times_(times) {}

  // Returns the events of a record of this thread.
  std::vector<DeferredEvent> events(std::uint32_t serial, std::uint32_t tid,
                                    const wire::NvtxDeferredRecord& record,
                                    const PayloadBlocks& blocks);

  const DeferredStats& stats() const { return stats_; }

 private:
  struct Origin {
    std::uint32_t serial, tid, domain;
    const wire::NvtxDeferredRecord& record;
  };
  std::optional<std::int64_t> time_of(const Origin& origin, const PayloadValue& value) const;
  std::optional<std::uint32_t> thread_of(const Origin& origin,
                                         const std::vector<PayloadValue>& values) const;
  std::optional<DeferredEvent> event_of(const Origin& origin, std::uint64_t schema_flags,
                                        std::vector<PayloadValue> values);

  const spool::ClockModel& clock_;
  const StringTable& strings_;
  const PayloadSchemas& schemas_;
  const TimeDomains& times_;
  DeferredStats stats_;
};

}  // namespace prof::ingest
