// Names of the kinds of code, as in docs/viewer-protocol.md.
#pragma once

#include "exporters/analysis/events/call_chains/code_frames.hpp"

namespace prof::view {

inline const char* name_of(events::CodeKind kind) {
  switch (kind) {
    case events::CodeKind::kNative:
      return "native";
    case events::CodeKind::kKernel:
      return "kernel";
    case events::CodeKind::kPython:
      return "python";
    case events::CodeKind::kUnresolved:
      return "unresolved";
    case events::CodeKind::kMark:
      return "mark";
  }
  return "mark";
}

}  // namespace prof::view
