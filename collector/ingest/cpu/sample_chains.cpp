#include "collector/ingest/cpu/sample_chains.hpp"

namespace prof::ingest {

using report::StackFrame;

std::size_t SampleChains::FrameHash::operator()(const StackFrame& frame) const {
  std::uint64_t hash = static_cast<std::uint64_t>(frame.address);
  for (const std::int32_t part : {frame.symbol, frame.module, frame.method, frame.line})
    hash = (hash ^ static_cast<std::uint32_t>(part)) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 29;
}

SampleChains::SampleChains(StackTable& stacks, report::ReportWriter& writer)
    : stacks_(stacks),
      writer_(writer),
      known_(writer.memory()),
      frames_(writer.memory()),
      chains_(writer.memory()) {}

std::int64_t SampleChains::id_of(std::uint32_t node, std::uint64_t time) {
  const auto [known, is_new] = known_.try_emplace({node, stacks_.epoch(node, time)}, 0);
  if (!is_new) return known->second;
  std::string frames;
  stacks_.frames(node, time, [&](const StackFrame& frame) {
    frames += frames.empty() ? '[' : ',';
    frames += std::to_string(frame_id(frame));
  });
  if (!frames.empty()) known->second = chain_id(frames += ']');
  return known->second;
}

std::int64_t SampleChains::frame_id(const StackFrame& frame) {
  const auto [known, is_new] =
      frames_.try_emplace(frame, static_cast<std::int64_t>(frames_.size()) + 1);
  if (is_new) writer_.add(report::SampleFrameRow{frame, known->second});
  return known->second;
}

std::int64_t SampleChains::chain_id(const std::string& frames) {
  const auto [known, is_new] =
      chains_.try_emplace(frames, static_cast<std::int64_t>(chains_.size()) + 1);
  if (is_new) writer_.add(report::SampleChainRow{.id = known->second, .frames = known->first});
  return known->second;
}

}  // namespace prof::ingest
