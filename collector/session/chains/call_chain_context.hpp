// The call chains of a session: what is mapped in its processes, and the frames that were found.
#pragma once

#include <memory>

#include "collector/sampler/call_chain_tree.hpp"
#include "collector/session/chains/jit_dumps.hpp"
#include "collector/session/spool_recorder.hpp"
#include "collector/unwind/address_spaces.hpp"
#include "collector/unwind/image_maps.hpp"

namespace prof::session {

struct CallChainContext {
  unwind::AddressSpaces spaces;
  unwind::ImageMaps images{spaces.modules()};
  sampler::CallChainTree tree;
  // Made when it is needed: a clock has to be measured.
  std::unique_ptr<JitDumps> jit_dumps;

  // What JIT compilers have told of by now; before stacks are unwound.
  void read_jit_dumps(SpoolRecorder& recorder) {
    unwind::JitCodes& codes = spaces.modules().jit();
    if (!jit_dumps && codes.has_found_dumps()) jit_dumps = std::make_unique<JitDumps>(codes);
    if (jit_dumps) jit_dumps->read(recorder);
    codes.begin_round();
  }

  // Into the spool; before what refers to the nodes.
  void write_definitions(SpoolRecorder& recorder) {
    tree.take_definitions(
        [&](const nlohmann::json& note) { recorder.note(note); },
        [&](const spool::StackPieceHeader& piece, std::span<const std::byte> nodes) {
          recorder.stack_nodes(piece, nodes);
        });
  }
};

}  // namespace prof::session
