// Stacks that targets copied at events become nodes of the call chains' tree, on their way into the
// spool: while the collector still knows what is mapped where.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "collector/session/chains/call_chain_context.hpp"
#include "collector/session/chains/sample_call_chains.hpp"
#include "collector/session/chains/tick_clock.hpp"
#include "collector/unwind/unwinder.hpp"
#include "injection/wire/chunk.hpp"
#include "injection/wire/stack_records.hpp"

namespace prof::session {

class EventCallChains {
 public:
  // `clock`: of the records. `osrt_depth`: most frames of an OS-runtime call. The references
  // outlive the object.
  EventCallChains(CallChainContext& stacks, SpoolRecorder& recorder, TickClock clock, std::uint32_t osrt_depth)
      : stacks_(stacks), recorder_(recorder), clock_(clock), osrt_depth_(osrt_depth) {}

  // Before pieces are taken.
  void begin_drain() { clock_.set(); }

  // Processes take samples of themselves.
  void expect_samples(const sampler::CpuOptions& options) { samples_.emplace(stacks_, options); }

  // A process image joined, and runs. `parent`: the image it was forked from, or 0. `slot` outlives
  // the image.
  void add(std::uint32_t serial, pid_t pid, std::uint32_t parent, const wire::ProcessSlot& slot);
  // It has ended; its last records are still to come.
  void end(std::uint32_t serial) { stacks_.images.end(serial); }
  void forget(std::uint32_t serial);

  // Into the spool, with StackNodeRecords for StackRecords, and the same of samples. What the bytes
  // say is not trusted, nor that they stay as they are.
  void take(const spool::PieceHeader& piece, std::span<const std::byte> bytes);

 private:
  std::vector<unwind::ImageMaps::Unloaded> unloaded(std::uint32_t serial,
                                                    const wire::ProcessSlot& slot);
  void rewrite(const spool::PieceHeader& piece);
  void put_node(const spool::PieceHeader& piece, std::span<const std::byte> bytes);
  void put_sample(const spool::PieceHeader& piece, std::span<const std::byte> bytes);
  std::uint32_t node_of(const spool::PieceHeader& piece, const wire::StackRecord& record,
                        std::span<const std::byte> stack);
  bool unwind(std::uint32_t serial, std::uint64_t time, const unwind::Registers& registers,
              const unwind::StackSlice& stack);
  void drop_inner_frames(const unwind::ModuleMap& map, std::uint64_t time, std::uint8_t flags);
  void put(std::span<const std::byte> bytes);
  sampler::ChainOwner thread_of(const spool::PieceHeader& piece);

  CallChainContext& stacks_;
  SpoolRecorder& recorder_;
  TickClock clock_;
  const std::uint32_t osrt_depth_;
  unwind::Unwinder unwinder_;
  unwind::CallChain chain_;
  std::optional<SampleCallChains> samples_;
  struct Image {
    pid_t pid = 0;
    std::uint64_t last_unload = 0;  // that we know of, on the session's clock
  };
  std::unordered_map<std::uint32_t, Image> process_images_;
  std::vector<std::byte> records_;    // a piece as it was
  std::vector<std::byte> rewritten_;  // and as it goes on
};

}  // namespace prof::session
