// Numbers and texts of partial results as bytes: numbers have 7 bits a byte, lowest bits first, and
// the highest bit of a byte says that more bytes follow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.hpp"

namespace prof::ranks {

__extension__ using Wide = __int128;  // for sums that do not fit 64 bits

void append_number(std::string& bytes, std::uint64_t number);
void append_text(std::string& bytes, std::string_view text);
void append_wide(std::string& bytes, Wide number);  // 16 bytes
std::size_t size_of_number(std::uint64_t number);   // in bytes

// These functions read from the start of `bytes` and remove what they read.
base::Result<std::uint64_t> read_number(std::string_view& bytes);
base::Result<std::string> read_text(std::string_view& bytes);
base::Result<Wide> read_wide(std::string_view& bytes);

}  // namespace prof::ranks
