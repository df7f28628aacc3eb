// Names of functions without what a library adds to its symbols.
#pragma once

#include <string_view>

namespace prof::events {

// The name by which programs call a symbol of the C library: __GI___libc_write and
// write@@GLIBC_2.2.5 are write.
std::string_view public_name(std::string_view symbol);

// The same without what variants of a function append: __read_chk is read, pread64 is pread, and
// fputs_unlocked is fputs.
std::string_view base_name(std::string_view symbol);

// The system call that a function of Go's libraries makes: syscall.read makes read. Empty if it is
// another function.
std::string_view go_system_call(std::string_view function);

// Whether the function belongs to Go's own libraries, such as os.(*File).Read.
bool is_go_library(std::string_view function);

}  // namespace prof::events
