// Call chains of CPU samples: each different chain is written once, and each different frame. A
// chain has some 50 frames, and most samples have a chain that another sample has, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <unordered_map>
#include <utility>

#include "collector/ingest/chains/stack_table.hpp"
#include "common/report/report_writer.hpp"

namespace prof::ingest {

class SampleChains {
 public:
  // The references outlive the object.
  SampleChains(StackTable& stacks, report::ReportWriter& writer);

  // Returns the PROF_SAMPLE_CHAINS.id of the chain that ends at a node; 0 if it has no frames.
  // `time` (CLOCK_MONOTONIC_RAW, ns) is when it was recorded.
  std::int64_t id_of(std::uint32_t node, std::uint64_t time);

 private:
  struct FrameHash {
    std::size_t operator()(const report::StackFrame& frame) const;
  };
  struct NodeHash {
    std::size_t operator()(const std::pair<std::uint32_t, std::uint64_t>& key) const {
      return (key.first ^ key.second) * 0x9e3779b97f4a7c15 >> 7;
    }
  };

  std::int64_t frame_id(const report::StackFrame& frame);
  std::int64_t chain_id(const std::string& frames);

  StackTable& stacks_;
  report::ReportWriter& writer_;
  // The chains that are known, by node and StackTable::epoch().
  std::pmr::unordered_map<std::pair<std::uint32_t, std::uint64_t>, std::int64_t, NodeHash> known_;
  std::pmr::unordered_map<report::StackFrame, std::int64_t, FrameHash> frames_;
  // The keys do not move, so rows can refer to them until they are flushed.
  std::pmr::unordered_map<std::string, std::int64_t> chains_;  // by PROF_SAMPLE_CHAINS.frames
};

}  // namespace prof::ingest
