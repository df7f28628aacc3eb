// Call chains of events and Python samples: finds the Python frames by a chain's hash and the
// native frames by a node of the tree, merges them, and writes rows. All processes share a table,
// because a forked child refers to chains that its parent sent.
#pragma once

#include <cstdint>
#include <map>
#include <memory_resource>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collector/ingest/chains/merged_chain.hpp"
#include "collector/ingest/chains/stack_table.hpp"
#include "collector/ingest/string_table.hpp"
#include "collector/spool/clock_model.hpp"
#include "common/report/report_writer.hpp"
#include "common/wire/chain_records.hpp"
#include "common/wire/stack_records.hpp"

namespace prof::ingest {

class CallChains {
 public:
  // The references outlive the object. `native` has all names before the second pass.
  CallChains(const spool::ClockModel& clock, const StringTable& strings, StackTable& native,
             report::ReportWriter& writer)
      : clock_(clock),
        strings_(strings),
        native_(native),
        writer_(writer),
        codes_(writer.memory()),
        chains_(writer.memory()),
        resolved_(writer.memory()),
        cuda_ids_(writer.memory()),
        osrt_ids_(writer.memory()),
        sample_ids_(writer.memory()) {}

  // First pass. The bytes must outlive the object: they are in the mapped spool.
  void define(const wire::PythonCodeRecord& record, std::span<const std::byte> lines);
  void define(const wire::ChainRecord& record, std::span<const std::byte> frames);

  // Second pass: begins the records of a thread, which follow in order. A chain belongs to the next
  // call.
  void begin_thread() { pending_ = {}; }
  void announce(const wire::EventChainRecord& record);
  void announce(const wire::StackNodeRecord& record);

  // Returns the id, in CUDA_CALLCHAINS or OSRT_CALLCHAINS, of the chain of the call that began at
  // `start`; 0: the call has no chain. Writes the rows of the chain if they are not written yet.
  std::int64_t cuda_chain(std::uint64_t start);
  std::int64_t osrt_chain(std::uint64_t start);

  // Returns the id, in PROF_PYTHON_CALLCHAINS, of the chain of a sample; 0: the chain is not known.
  std::int64_t sample_chain(std::uint64_t chain);

  // The number of stacks that were not copied because the event buffer was filling up.
  std::uint64_t skipped() const { return skipped_; }

 private:
  struct Code {
    wire::PythonCodeRecord record;
    std::span<const std::byte> lines;
  };
  struct Chain {
    std::span<const std::byte> frames;
    std::uint8_t flags;
  };
  // The chains of an event: the hash of the Python chain and the node of the native one; 0: none.
  struct Key {
    std::uint64_t python = 0;
    std::uint32_t node = 0;
    std::uint64_t epoch = 0;  // of the native chain

    bool is_any() const { return python != 0 || node != 0; }
    bool operator<(const Key& other) const {
      return std::tie(python, node, epoch) < std::tie(other.python, other.node, other.epoch);
    }
  };
  struct Pending {
    std::uint64_t start = 0;
    Key key;
  };
  using Ids = std::pmr::map<Key, std::int64_t>;
  using Write = void (CallChains::*)(std::int64_t id, std::int64_t depth,
                                     const report::StackFrame& frame);

  Key& pending_at(std::uint64_t start);
  Key take(std::uint64_t start);
  std::int64_t id_of(Key key, std::uint64_t start, Ids& ids, Write write);
  std::vector<report::StackFrame> frames_of(const Key& key, std::uint64_t time);
  std::vector<PythonChainFrame> python_frames(const Chain& chain);
  report::StackFrame resolve(const wire::ChainFrame& frame);
  void write_cuda(std::int64_t id, std::int64_t depth, const report::StackFrame& frame);
  void write_osrt(std::int64_t id, std::int64_t depth, const report::StackFrame& frame);
  void write_sample(std::int64_t id, std::int64_t depth, const report::StackFrame& frame);

  const spool::ClockModel& clock_;
  const StringTable& strings_;
  StackTable& native_;
  report::ReportWriter& writer_;
  std::pmr::unordered_map<std::uint64_t, Code> codes_;  // by key
  std::pmr::unordered_map<std::uint64_t, Chain> chains_;
  // Frames by code and position.
  std::pmr::map<std::pair<std::uint64_t, std::uint32_t>, report::StackFrame> resolved_;
  Pending pending_;
  std::uint64_t skipped_ = 0;
  Ids cuda_ids_;
  Ids osrt_ids_;
  Ids sample_ids_;
};

}  // namespace prof::ingest
