// Finds descriptors that the program has for a file.
#pragma once

#include <sys/stat.h>

namespace prof::core {

inline bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// Finds a descriptor of this process for the file; -1 if it has none. Returns false if that cannot
// be determined. Async-signal-safe.
bool find_open(const struct stat& file, int& found);

}  // namespace prof::core
