#include "collector/ingest/chains/merged_chain.hpp"

#include <algorithm>

namespace prof::ingest {

using report::StackFrame;

namespace {

using Run = std::span<const PythonChainFrame>;

std::vector<Run> runs_of(std::span<const PythonChainFrame> python) {
  std::vector<Run> runs;
  std::size_t begin = 0;
  for (std::size_t i = 1; i <= python.size(); ++i) {
    if (i < python.size() && !python[i].below_native) continue;
    runs.push_back(python.subspan(begin, i - begin));
    begin = i;
  }
  return runs;
}

void append(std::vector<StackFrame>& merged, Run run) {
  for (const PythonChainFrame& each : run) merged.push_back(each.frame);
}

}  // namespace

std::vector<StackFrame> merge_chains(std::span<const StackFrame> native,
                                     std::span<const PythonChainFrame> python,
                                     const std::function<bool(const StackFrame&)>& is_interpreter) {
  std::vector<StackFrame> marks;
  while (!native.empty() && native.back().is_special) {
    marks.insert(marks.begin(), native.back());
    native = native.first(native.size() - 1);
  }
  const bool native_is_cut = !marks.empty();
  bool python_is_cut = false;
  while (!python.empty() && python.back().frame.is_special) {
    if (!native_is_cut) marks.insert(marks.begin(), python.back().frame);
    python = python.first(python.size() - 1);
    python_is_cut = true;
  }
  const std::vector<Run> runs = runs_of(python);
  const auto evaluations =
      static_cast<std::size_t>(std::count_if(native.begin(), native.end(), is_interpreter));
  const bool fits = evaluations == runs.size() || (native_is_cut && evaluations < runs.size()) ||
                    (python_is_cut && evaluations > runs.size());
  std::vector<StackFrame> merged;
  std::size_t next = 0;  // index in `runs`
  if (!fits && evaluations == 0) append(merged, python);
  for (const StackFrame& frame : native) {
    const bool is_evaluation = is_interpreter(frame);
    if (is_evaluation && !fits) {
      if (next++ == 0) append(merged, python);
    } else if (is_evaluation && next < runs.size()) {
      append(merged, runs[next++]);
    } else {
      merged.push_back(frame);
    }
  }
  if (fits)
    while (next < runs.size()) append(merged, runs[next++]);
  merged.insert(merged.end(), marks.begin(), marks.end());
  return merged;
}

}  // namespace prof::ingest
