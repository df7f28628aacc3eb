// Turns the NVTX records of a session into rows of NVTX_EVENTS. Pairs pushes with pops and starts
// with ends. Gives forked children the domains and categories that they inherited.
#pragma once

#include <cstdint>
#include <map>
#include <memory_resource>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "collector/ingest/nvtx/deferred_events.hpp"
#include "collector/ingest/nvtx/payload_blocks.hpp"
#include "collector/ingest/nvtx/payload_schemas.hpp"
#include "collector/ingest/nvtx/payload_values.hpp"
#include "collector/ingest/process_table.hpp"
#include "collector/ingest/string_table.hpp"
#include "collector/ingest/thinning.hpp"
#include "collector/spool/clock_model.hpp"
#include "collector/spool/nvtx_ranges.hpp"
#include "common/report/report_writer.hpp"
#include "common/wire/records.hpp"

namespace prof::ingest {

struct NvtxStats {
  std::uint64_t events = 0;
  std::uint64_t unmatched_pops = 0;
  std::uint64_t unmatched_ends = 0;
  std::uint64_t open_ranges = 0;  // ranges that were pushed or started and never ended
};

class NvtxBuilder {
 public:
  NvtxBuilder(const spool::ClockModel& clock, const StringTable& strings,
              const ProcessTable& processes, const PayloadSchemas& schemas, Thinning& thinning,
              report::ReportWriter& writer)
      : clock_(clock),
        strings_(strings),
        processes_(processes),
        schemas_(schemas),
        thinning_(thinning),
        writer_(writer),
        pushed_(spool::kAllRanges, writer.memory()),
        started_(writer.memory()),
        names_(writer.memory()),
        kept_(writer.memory()) {}

  // Begins a thread. Its records come in order, between begin_thread and end_thread.
  void begin_thread(std::uint32_t serial, std::uint32_t tid);
  void push(const wire::NvtxPushRecord& record);
  void pop(const wire::NvtxPopRecord& record);
  void pop(const wire::NvtxPopPayloadRecord& record);
  void event(const wire::NvtxEventRecord& record);  // push, mark or start with attributes
  void end(const wire::NvtxEndRecord& record);
  void end(const wire::NvtxEndPayloadRecord& record);
  void payload(const wire::NvtxPayloadRecord& record, std::span<const std::byte> bytes);
  PayloadBlocks take_payloads(std::uint64_t token) { return pieces_.take(token); }
  // Adds an event of this thread. Halves of ranges come in order of time.
  void deferred(DeferredEvent&& event, std::uint32_t domain);
  void domain(const wire::NvtxDomainRecord& record);
  void domain_end(const wire::NvtxDomainEndRecord& record);
  void category(const wire::NvtxCategoryRecord& record);
  void thread_name(const wire::ThreadNameRecord& record);
  void end_thread();

  // Writes ranges that are still open, and the names that forked children inherited. Called after
  // the last thread.
  void finish();

  // Sets the end of ranges that never ended. As in nsys, it is the end of the recording.
  void set_end(std::int64_t ns) { end_of_recording_ = ns; }

  const NvtxStats& stats() const { return stats_; }

 private:
  using CategoryKey = std::pair<std::uint32_t, std::uint32_t>;  // domain, category

  struct RangeEnd {
    std::int64_t time;
    std::int64_t global_tid;
    PayloadBlocks blocks;
  };
  // NVTX names of one process image.
  struct Names {
    explicit Names(std::pmr::memory_resource* memory)
        : domains(memory), categories(memory), used_domains(memory), used_categories(memory) {}

    std::pmr::map<std::uint32_t, std::uint64_t> domains;   // id -> name hash
    std::pmr::map<CategoryKey, std::uint64_t> categories;  // -> name hash
    std::pmr::set<std::uint32_t> used_domains;
    std::pmr::set<CategoryKey> used_categories;
  };

  report::NvtxRow row(report::NvtxEventType type, std::uint64_t time, std::uint32_t domain);
  void set_weight(report::NvtxRow& row, wire::RecordType type, std::uint64_t text);
  void set_text(report::NvtxRow& row, std::uint64_t hash, bool registered);
  void set_attributes(report::NvtxRow& row, const wire::NvtxEventRecord& record);
  static void set_payload(report::NvtxRow& row, const wire::NvtxEventRecord& record);
  // Adds the values of payloads with a schema, and uses the attributes among them.
  void add_payloads(report::NvtxRow& row, const PayloadBlocks& blocks);
  void add_values(report::NvtxRow& row, std::vector<PayloadValue>&& values);
  void deferred_half(report::NvtxRow& row, DeferredEvent&& event);
  void set_attribute(report::NvtxRow& row, const PayloadValue& value);
  std::string_view keep(std::string_view bytes);
  using Started = spool::StartedRanges<report::NvtxRow, RangeEnd>;

  void pop(std::uint32_t domain, std::uint64_t time, const PayloadBlocks& blocks);
  void end(std::uint64_t range_id, const RangeEnd& end);
  Started& started();  // of the current process image
  Names& names();      // names of the current process image
  void write_open(report::NvtxRow row);
  void write(const report::NvtxRow& row);
  void write_range(report::NvtxRow& row, const RangeEnd& end);
  void write_inherited(const ProcessImage& image, const Names& names);
  template <class Map, class Key>
  std::optional<std::uint64_t> inherited(const ProcessImage& image, Map Names::*map,
                                         const Key& key) const;

  const spool::ClockModel& clock_;
  const StringTable& strings_;
  const ProcessTable& processes_;
  const PayloadSchemas& schemas_;
  Thinning& thinning_;
  report::ReportWriter& writer_;
  std::int64_t end_of_recording_ = 0;
  NvtxStats stats_;

  std::uint32_t serial_ = 0;
  std::int64_t global_tid_ = 0;
  PayloadPieces pieces_;
  spool::PushedRanges<report::NvtxRow> pushed_;  // of the current thread
  // Open ranges of deferred events, by process image, domain, and thread or range id.
  std::map<std::tuple<std::uint32_t, std::int32_t, std::int64_t>, std::vector<report::NvtxRow>>
      deferred_;
  std::pmr::map<std::uint32_t, Started> started_;        // by serial
  std::pmr::unordered_map<std::uint32_t, Names> names_;  // by serial

  // JSON texts and bytes of rows, each once, because many events have the same.
  struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::pmr::unordered_set<std::pmr::string, TextHash, std::equal_to<>> kept_;
};

}  // namespace prof::ingest
