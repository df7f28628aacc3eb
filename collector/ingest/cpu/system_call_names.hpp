// Names of system calls by number.
#pragma once

#include <cstdint>
#include <string>

namespace prof::ingest {

// Returns the name of a system call on this processor: "syscall_NUMBER" if it is not known, and
// "syscall_NUMBER (32-bit)" for each call of a 32-bit program.
std::string system_call_name(std::uint32_t number, bool is_32_bit);

}  // namespace prof::ingest
