// Names of system calls by number.
#pragma once

#include <cstdint>
#include <string>

namespace prof::ingest {

// The name on this processor; "syscall_NUMBER" if it is not known; "syscall_NUMBER (32-bit)" for
// all calls of 32-bit programs.
std::string system_call_name(std::uint32_t number, bool is_32_bit);

}  // namespace prof::ingest
