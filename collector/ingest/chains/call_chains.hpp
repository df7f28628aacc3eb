// Call chains of a session's events and Python samples: the frames behind a chain's hash and behind
// a node of the native chains' tree, merged, and their rows. One table for all processes: a fork
// child refers to what its parent sent.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collector/ingest/chains/merged_chain.hpp"
#include "collector/ingest/chains/stack_table.hpp"
#include "collector/ingest/string_table.hpp"
#include "collector/report/report_writer.hpp"
#include "collector/spool/clock_model.hpp"
#include "injection/wire/chain_records.hpp"
#include "injection/wire/stack_records.hpp"

namespace prof::ingest {

class CallChains {
 public:
  // The references outlive the object. `native` has its names by the second pass.
  CallChains(const spool::ClockModel& clock, const StringTable& strings, StackTable& native,
             report::ReportWriter& writer)
      : clock_(clock), strings_(strings), native_(native), writer_(writer) {}

  // First pass. The bytes must outlive this (they lie in the mapped spool).
  void define(const wire::PythonCodeRecord& record, std::span<const std::byte> lines);
  void define(const wire::ChainRecord& record, std::span<const std::byte> frames);

  // Second pass, with the records of a thread in order: the chain of the call that comes next.
  void begin_thread() { pending_ = {}; }
  void announce(const wire::EventChainRecord& record);
  void announce(const wire::StackNodeRecord& record);

  // id of that chain in CUDA_CALLCHAINS or OSRT_CALLCHAINS, which gets its rows now if it does not
  // have them; 0: the call that began at `start` has none.
  std::int64_t cuda_chain(std::uint64_t start);
  std::int64_t osrt_chain(std::uint64_t start);

  // id of a sample's chain in PROF_PYTHON_CALLCHAINS, likewise; 0: it is not known.
  std::int64_t sample_chain(std::uint64_t chain);

  // Stacks that were not copied, as the buffer was filling.
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
  // Of an event: Python's chain by its hash and the native one by its node; 0: none.
  struct Key {
    std::uint64_t python = 0;
    std::uint32_t node = 0;
    std::uint64_t epoch = 0;  // of the native one

    bool is_any() const { return python != 0 || node != 0; }
    bool operator<(const Key& other) const {
      return std::tie(python, node, epoch) < std::tie(other.python, other.node, other.epoch);
    }
  };
  struct Pending {
    std::uint64_t start = 0;
    Key key;
  };
  using Ids = std::map<Key, std::int64_t>;
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
  std::unordered_map<std::uint64_t, Code> codes_;  // by key
  std::unordered_map<std::uint64_t, Chain> chains_;
  // By code and position.
  std::map<std::pair<std::uint64_t, std::uint32_t>, report::StackFrame> resolved_;
  Pending pending_;
  std::uint64_t skipped_ = 0;
  Ids cuda_ids_;
  Ids osrt_ids_;
  Ids sample_ids_;
};

}  // namespace prof::ingest
