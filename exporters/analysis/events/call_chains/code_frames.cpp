#include "exporters/analysis/events/call_chains/code_frames.hpp"

#include <algorithm>

#include "common/code/names/script_name.hpp"
#include "common/report/stack_words.hpp"

namespace prof::events {

namespace {

// True if the row is a mark: a row that is not a frame. nsys's reports have no flag for marks, only
// these texts.
bool is_mark(const CallChainRow& row, std::string_view symbol) {
  return (row.flags & CallChainRow::kSpecial) != 0 || symbol == report::kBrokenChain ||
         symbol == report::kMaxDepth;
}

std::string in_brackets(std::string_view module) {
  if (module.starts_with('[')) return std::string(module);
  return '[' + std::string(file_name(module)) + ']';
}

// Returns the position of the colon before a line number in `module`, or npos. For Python frames
// prof's reports store "file:line" as the module, for readers that do not know the column of lines.
std::size_t line_position(std::string_view module) {
  const std::size_t colon = module.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == module.size()) return std::string_view::npos;
  const std::string_view line = module.substr(colon + 1);
  return line.find_first_not_of("0123456789") == std::string_view::npos ? colon
                                                                        : std::string_view::npos;
}

// True if the function is one of prof's that stands in for a function of a library.
bool is_wrapper(const Function& function) {
  return (function.name.starts_with("prof_awake_") || function.name.starts_with("prof_wrap_")) &&
         is_profiler_library(function.module);
}

// Gives a function in JavaScript the name and the file of the script. Returns the line at which the
// function begins, or 0 for other functions.
std::int64_t name_script_function(Function& function) {
  auto script = names::script_function(function.name);
  if (!script) return 0;
  function.name = std::move(script->function);
  function.file = std::move(script->file);
  return script->line;
}

}  // namespace

std::string_view file_name(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.empty() ? path : name;
}

bool is_profiler_library(std::string_view path) {
  const std::string_view file = file_name(path);
  return file.starts_with("libprof_") || file.starts_with("libToolsInjection");
}

std::string location(const Function& function, std::int64_t line) {
  const std::string& file = function.file.empty() ? function.module : function.file;
  return line > 0 ? file + ':' + std::to_string(line) : file;
}

void CodeFrames::read(CallChainRow row) {
  Function function = describe(row);
  is_wrapper_.push_back(is_wrapper(function));
  const bool is_in_a_file =
      function.kind == CodeKind::kNative || function.kind == CodeKind::kUnresolved;
  const CodeLines::Frames* source =
      lines_ != nullptr && is_in_a_file
          ? lines_->find(row.module, row.address, (row.flags & CallChainRow::kSampled) != 0)
          : nullptr;
  if (source == nullptr) {
    append(std::move(function), row.line, row.address, 0);
  } else {
    for (std::size_t depth = source->size(); depth-- > 0;) {
      const SourceFrame& each = (*source)[source->size() - 1 - depth];
      Function here = function;
      here.file = each.file;
      // The name of a function that is not inlined comes from the report, because debug information
      // lacks suffixes such as "[clone .cold]".
      if (!each.function.empty() && (depth > 0 || function.kind == CodeKind::kUnresolved)) {
        here.name = each.function;
        here.kind = CodeKind::kNative;
      }
      append(std::move(here), each.line, row.address, depth);
    }
  }
  ends_.push_back(static_cast<std::uint32_t>(of_rows_.size()));
}

void CodeFrames::append(Function function, std::int64_t line, std::int64_t address,
                        std::size_t inline_depth) {
  if (detail_ == FrameDetail::kFunction) {
    if (function.module != report::kJitModule) {
      function.file.clear();
      line = 0;
    }
    inline_depth = 0;
  }
  if (detail_ == FrameDetail::kLine) inline_depth = std::min<std::size_t>(inline_depth, 1);
  if (detail_ != FrameDetail::kAddress) address = 0;
  of_rows_.push_back(frames_.of({function_number(std::move(function)), line, address,
                                 static_cast<std::uint32_t>(inline_depth)}));
}

// Gives the row the line of a function in JavaScript, too.
Function CodeFrames::describe(CallChainRow& row) {
  const std::string& symbol = strings_.text(row.symbol);
  Function function{symbol, strings_.text(row.module), CodeKind::kNative};
  if (is_mark(row, symbol)) return {symbol, "", CodeKind::kMark};
  if ((row.flags & CallChainRow::kUnresolved) != 0 || symbol == report::kUnknownCode) {
    function.name = in_brackets(function.module);
    function.kind = CodeKind::kUnresolved;
  } else if ((row.flags & CallChainRow::kKernel) != 0) {
    function.kind = CodeKind::kKernel;
  } else if (const std::size_t colon = line_position(function.module);
             (row.flags & CallChainRow::kNoAddress) != 0 && colon != std::string::npos) {
    function.kind = CodeKind::kPython;
    function.module.resize(colon);
  } else if (function.module == report::kJitModule) {
    row.line = name_script_function(function);
  }
  return function;
}

std::uint32_t CodeFrames::function_number(Function function) {
  std::string key = function.name + '\0' + function.module + '\0' + function.file;
  key += static_cast<char>(function.kind);
  const auto [at, is_new] =
      numbers_.try_emplace(std::move(key), static_cast<std::uint32_t>(functions_.size()));
  if (is_new) functions_.push_back(std::move(function));
  return at->second;
}

}  // namespace prof::events
