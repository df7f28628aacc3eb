// The call chains of a session: what is mapped in its processes, and the frames that were found.
#pragma once

#include "collector/sampler/stack_tree.hpp"
#include "collector/session/recorder.hpp"
#include "collector/unwind/address_spaces.hpp"
#include "collector/unwind/image_maps.hpp"

namespace prof::session {

struct CallStacks {
  unwind::AddressSpaces spaces;
  unwind::ImageMaps images{spaces.modules()};
  sampler::StackTree tree;

  // Into the spool; before what refers to the nodes.
  void write_definitions(Recorder& recorder) {
    tree.take_definitions(
        [&](const nlohmann::json& note) { recorder.note(note); },
        [&](const ingest::StackPieceHeader& piece, std::span<const std::byte> nodes) {
          recorder.stack_nodes(piece, nodes);
        });
  }
};

}  // namespace prof::session
