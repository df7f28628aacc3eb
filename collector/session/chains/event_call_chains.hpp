// Replaces the stacks that processes copied at events by nodes of the call chain tree, before the
// server writes the records to the spool. That is done at once, while the collector knows what is
// mapped where.
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
#include "common/code/unwind/unwinder.hpp"
#include "common/wire/chunk.hpp"
#include "common/wire/stack_records.hpp"

namespace prof::session {

class EventCallChains {
 public:
  // `clock`: of the records. `osrt_depth`: maximum number of frames of an OS-runtime call. The
  // references outlive the object.
  EventCallChains(CallChainContext& chains, SpoolRecorder& recorder, TickClock clock,
                  std::uint32_t osrt_depth)
      : chains_(chains), recorder_(recorder), clock_(clock), osrt_depth_(osrt_depth) {}

  // Called before the pieces of a drain are read.
  void begin_drain() { clock_.set(); }

  // Accepts samples that processes take of themselves.
  void enable_samples(const sampler::CpuOptions& options) { samples_.emplace(chains_, options); }

  // Adds a process image that joined at `time` (on the session's clock). A fork child may have
  // ended since. `parent`: the image it was forked from, or 0. `slot` outlives the image.
  void add(std::uint32_t serial, pid_t pid, std::uint32_t parent, std::uint64_t time,
           const wire::ProcessSlot& slot);
  // Notes that the image has ended. Its last records are still to come.
  void end(std::uint32_t serial) { chains_.images.end(serial); }
  void forget(std::uint32_t serial);

  // The records of a piece, with StackNodeRecords in place of StackRecords, and likewise for
  // samples. The spool has the nodes then. The bytes are not trusted, and may change while they are
  // read. The result is valid until the next call.
  std::span<const std::byte> replace_stacks(const spool::PieceHeader& piece,
                                            std::span<const std::byte> bytes);

 private:
  std::vector<unwind::ImageMaps::Unloaded> unloaded_code(std::uint32_t serial,
                                                         const wire::ProcessSlot& slot);
  void append_node(const spool::PieceHeader& piece, std::span<const std::byte> bytes);
  void append_sample(const spool::PieceHeader& piece, std::span<const std::byte> bytes);
  std::uint32_t node_of(const spool::PieceHeader& piece, const wire::StackRecord& record,
                        std::span<const std::byte> stack);
  // Returns the mappings of the image; null if the image is not known.
  const unwind::ModuleMap* map_of(std::uint32_t serial);
  // Looks for new mappings. Returns false if there is nothing to look at.
  bool refresh_map(std::uint32_t serial);
  bool unwind(std::uint32_t serial, std::uint64_t time, const unwind::Registers& registers,
              const unwind::StackSlice& stack);
  void drop_inner_frames(const unwind::ModuleMap& map, std::uint64_t time, std::uint8_t flags);
  void append(std::span<const std::byte> bytes);
  sampler::ChainOwner thread_of(const spool::PieceHeader& piece);

  CallChainContext& chains_;
  SpoolRecorder& recorder_;
  TickClock clock_;
  const std::uint32_t osrt_depth_;
  unwind::Unwinder unwinder_;
  unwind::CallChain chain_;
  std::optional<SampleCallChains> samples_;
  struct Image {
    pid_t pid = 0;
    std::uint64_t last_unload = 0;  // the last known unload, on the session's clock
  };
  std::unordered_map<std::uint32_t, Image> process_images_;
  std::vector<std::byte> records_;    // a piece as it was read
  std::vector<std::byte> rewritten_;  // the same piece for the spool
};

}  // namespace prof::session
