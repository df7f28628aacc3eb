// Takes apart the simple statements of Python that compilers write.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace prof::ingest {

std::string_view trimmed(std::string_view text);

// True for a name without dots.
bool is_identifier(std::string_view text);

// Splits at the commas outside of brackets and quotes. Items are trimmed; an empty one at the end
// does not count. Returns nothing if there are more than kMaxItems, or brackets do not match.
inline constexpr std::size_t kMaxItems = 4096;
std::vector<std::string_view> split_list(std::string_view text);

// Returns what is between the bracket with which the text begins and the one that closes it.
std::optional<std::string_view> bracketed(std::string_view text);

using Sizes = std::vector<std::int64_t>;
// Returns the numbers of "(8, 512)", "(64, )", "()" or "[8, 512]". Returns nothing if one is not a
// number, as in "(s0, 512)", if it is negative, or if there are more than kMaxDimensions.
inline constexpr std::size_t kMaxDimensions = 64;
std::optional<Sizes> parse_sizes(std::string_view tuple);

std::optional<std::int64_t> parse_number(std::string_view text);

// "buf0 = extern_kernels.mm(buf1, buf2, out=buf3)". The texts are parts of the statement.
struct PythonCall {
  std::string_view result;  // "buf0", or empty
  std::string_view function;
  std::vector<std::string_view> arguments;                              // by position
  std::vector<std::pair<std::string_view, std::string_view>> keywords;  // name and value

  std::string_view keyword(std::string_view name) const;  // empty: there is none
};
// Returns nothing for a statement that does not begin with a call. What follows it is ignored.
std::optional<PythonCall> parse_call(std::string_view statement);

}  // namespace prof::ingest
