// Frames that stand for no code.
#pragma once

#include <string_view>

#include "collector/report/report_writer.hpp"
#include "collector/report/stack_words.hpp"

namespace prof::ingest {

inline report::StackFrame mark_frame(report::ReportWriter& writer, std::string_view text) {
  report::StackFrame frame;
  frame.symbol = writer.string_id(text);
  frame.module = writer.string_id(report::kUnknownCode);
  frame.set(report::StackFrame::kUnresolved);
  // A frame of which nothing is known is one nevertheless.
  if (text != report::kUnknownCode) frame.set(report::StackFrame::kSpecialEntry);
  return frame;
}

}  // namespace prof::ingest
