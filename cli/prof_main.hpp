// The function of libprof_report.so that is the command prof.
//
// elfutils is linked into the command, not into the library: the archives of distributions have
// thread-local variables for programs only. The library calls it through addresses that it gets
// from the command (machine/*.S). Other programs that load the library do not come to such calls.
#pragma once

#include <cstddef>

namespace prof::cli {

enum ElfutilsFunction : std::size_t {
#define F(name) k_##name,
#include "cli/elf_functions.def"
#undef F
  kElfutilsFunctions
};

struct Elfutils {
  std::size_t count;  // of a command and a library that belong together: equal
  void (*functions[kElfutilsFunctions])();
};

}  // namespace prof::cli

// Returns the exit status.
extern "C" __attribute__((visibility("default"))) int prof_main(int count, char** words,
                                                                const prof::cli::Elfutils* calls);
