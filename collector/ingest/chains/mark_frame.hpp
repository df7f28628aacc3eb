// Frames that are not code but remarks about the call chain.
#pragma once

#include <string_view>

#include "common/report/report_writer.hpp"
#include "common/report/stack_words.hpp"

namespace prof::ingest {

inline report::StackFrame mark_frame(report::ReportWriter& writer, std::string_view text) {
  report::StackFrame frame;
  frame.symbol = writer.string_id(text);
  frame.module = writer.string_id(report::kUnknownCode);
  frame.is_unresolved = true;
  // The frame of unknown code stands for code, so it is not special.
  if (text != report::kUnknownCode) frame.set<&report::StackFrame::is_special>(true);
  return frame;
}

}  // namespace prof::ingest
