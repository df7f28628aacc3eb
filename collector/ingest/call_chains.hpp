// Call chains of a session: the frames behind a chain's hash, and their rows. One table for all
// processes: a fork child refers to what its parent sent.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "collector/ingest/string_table.hpp"
#include "collector/report/report_writer.hpp"
#include "injection/wire/chain_records.hpp"

namespace prof::ingest {

class CallChains {
 public:
  CallChains(const StringTable& strings, report::ReportWriter& writer)
      : strings_(strings), writer_(writer) {}

  // First pass. The bytes must outlive this (they lie in the mapped spool).
  void define(const wire::PythonCodeRecord& record, std::span<const std::byte> lines);
  void define(const wire::ChainRecord& record, std::span<const std::byte> frames);

  // Second pass, with the records of a thread in order: the chain of the call that comes next.
  void begin_thread() { pending_ = {}; }
  void announce(const wire::EventChainRecord& record) { pending_ = record; }

  // id of that chain in CUDA_CALLCHAINS or OSRT_CALLCHAINS, which gets its rows now if it does not
  // have them; 0: the call that began at `start` has none.
  std::int64_t cuda_chain(std::uint64_t start);
  std::int64_t osrt_chain(std::uint64_t start);

  // id of a sample's chain in PROF_PYTHON_CALLCHAINS, likewise; 0: it is not known.
  std::int64_t sample_chain(std::uint64_t chain);

 private:
  struct Code {
    wire::PythonCodeRecord record;
    std::span<const std::byte> lines;
  };
  struct Chain {
    std::span<const std::byte> frames;
    std::uint8_t flags;
  };
  // As a row has it.
  struct Frame {
    std::int64_t symbol;
    std::int64_t module;
    std::int64_t line;  // 0: none
    bool resolved;

    report::Value unresolved() const {
      return resolved ? report::Value(nullptr) : report::Value(std::int64_t{1});
    }
    report::Value line_value() const { return line == 0 ? report::Value(nullptr) : line; }
  };
  using Ids = std::unordered_map<std::uint64_t, std::int64_t>;  // by hash of the chain
  using Write = void (CallChains::*)(std::int64_t id, std::int64_t depth, const Frame& frame);

  std::uint64_t take(std::uint64_t start);
  std::int64_t id_of(std::uint64_t chain, Ids& ids, Write write);
  void write_frames(const Chain& chain, std::int64_t id, Write write);
  void write_cuda(std::int64_t id, std::int64_t depth, const Frame& frame);
  void write_osrt(std::int64_t id, std::int64_t depth, const Frame& frame);
  void write_sample(std::int64_t id, std::int64_t depth, const Frame& frame);
  Frame resolve(const wire::ChainFrame& frame);
  Frame mark(std::string_view text);

  const StringTable& strings_;
  report::ReportWriter& writer_;
  std::unordered_map<std::uint64_t, Code> codes_;  // by key
  std::unordered_map<std::uint64_t, Chain> chains_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, Frame> resolved_;  // by code and position
  wire::EventChainRecord pending_{};
  Ids cuda_ids_;
  Ids osrt_ids_;
  Ids sample_ids_;
};

}  // namespace prof::ingest
