#include "exporters/stats/events/code_frames.hpp"

#include "collector/report/stack_words.hpp"

namespace prof::stats {

namespace {

// nsys marks them by nothing else.
bool is_mark(const ChainRow& row, std::string_view symbol) {
  return (row.flags & ChainRow::kSpecial) != 0 || symbol == report::kBrokenChain ||
         symbol == report::kMaxDepth;
}

std::string in_brackets(std::string_view module) {
  if (module.starts_with('[')) return std::string(module);
  return '[' + std::string(file_name(module)) + ']';
}

// Of Python frames our writer puts "file:line" there, for readers that have no column of lines:
// where the line begins, or npos.
std::size_t line_in(std::string_view module) {
  const std::size_t colon = module.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == module.size()) return std::string_view::npos;
  const std::string_view line = module.substr(colon + 1);
  return line.find_first_not_of("0123456789") == std::string_view::npos ? colon
                                                                        : std::string_view::npos;
}

}  // namespace

std::string_view file_name(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.empty() ? path : name;
}

std::string location(const Function& function, std::int64_t line) {
  return line > 0 ? function.module + ':' + std::to_string(line) : function.module;
}

std::uint32_t CodeFrames::read(const ChainRow& row) {
  return frames_.of({function_number(describe(row)), row.line, row.address});
}

Function CodeFrames::describe(const ChainRow& row) {
  const std::string& symbol = strings_.text(row.symbol);
  Function function{symbol, strings_.text(row.module), CodeKind::kNative};
  if (is_mark(row, symbol)) return {symbol, "", CodeKind::kMark};
  if ((row.flags & ChainRow::kUnresolved) != 0 || symbol == report::kUnknownCode) {
    function.name = in_brackets(function.module);
    function.kind = CodeKind::kUnresolved;
  } else if ((row.flags & ChainRow::kKernel) != 0) {
    function.kind = CodeKind::kKernel;
  } else if (const std::size_t colon = line_in(function.module);
             (row.flags & ChainRow::kNoAddress) != 0 && colon != std::string::npos) {
    function.kind = CodeKind::kPython;
    function.module.resize(colon);
  }
  return function;
}

std::uint32_t CodeFrames::function_number(Function function) {
  std::string key = function.name + '\0' + function.module;
  key += static_cast<char>(function.kind);
  const auto [at, is_new] =
      numbers_.try_emplace(std::move(key), static_cast<std::uint32_t>(functions_.size()));
  if (is_new) functions_.push_back(std::move(function));
  return at->second;
}

}  // namespace prof::stats
