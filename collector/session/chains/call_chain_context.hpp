// What the makers of call chains in a session share: the mappings of its processes, and the tree of
// the call chains found so far.
#pragma once

#include <functional>
#include <memory>

#include "collector/sampler/call_chain_tree.hpp"
#include "collector/session/chains/jit_dumps.hpp"
#include "collector/session/spool_recorder.hpp"
#include "common/code/unwind/address_spaces.hpp"
#include "common/code/unwind/image_maps.hpp"

namespace prof::session {

struct CallChainContext {
  unwind::AddressSpaces spaces;
  unwind::ImageMaps images{spaces.modules()};
  // Brings `spaces` up to date. Set if the kernel reports mappings (perf events with samples).
  // Otherwise mappings are read from /proc, into `images`.
  std::function<void()> follow_mappings;
  sampler::CallChainTree tree;
  // Created on demand, because measuring a clock takes time.
  std::unique_ptr<JitDumps> jit_dumps;

  // Reads what JIT compilers have described by now. Called before stacks are unwound.
  void read_jit_dumps(SpoolRecorder& recorder) {
    unwind::JitCodes& codes = spaces.modules().jit();
    if (!jit_dumps && codes.has_found_dumps()) jit_dumps = std::make_unique<JitDumps>(codes);
    if (jit_dumps) jit_dumps->read(recorder);
    codes.begin_round();
  }

  // Writes new nodes into the spool. Called before records that refer to them are written.
  void write_definitions(SpoolRecorder& recorder) {
    tree.take_definitions({
        .module = [&](const spool::StackModuleNote& note) { recorder.note(note); },
        .functions = [&](const spool::StackFunctionsNote& note) { recorder.note(note); },
        .nodes = [&](const spool::StackPieceHeader& piece,
                     std::span<const std::byte> nodes) { recorder.call_chain_nodes(piece, nodes); },
    });
  }
};

}  // namespace prof::session
