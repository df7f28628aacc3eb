// Removes from function names what a library adds to its symbols.
#pragma once

#include <string_view>

namespace prof::events {

// Returns the name by which programs call a symbol of the C library: "write" for __GI___libc_write
// and write@@GLIBC_2.2.5.
std::string_view public_name(std::string_view symbol);

// Returns the public name without the suffix of a variant: "read" for __read_chk, "pread" for
// pread64, "fputs" for fputs_unlocked.
std::string_view base_name(std::string_view symbol);

// Returns the system call that a function of Go's libraries makes: "read" for syscall.read. Empty
// for other functions.
std::string_view go_system_call(std::string_view function);

// True if the function belongs to Go's own libraries, such as os.(*File).Read.
bool is_go_library(std::string_view function);

}  // namespace prof::events
