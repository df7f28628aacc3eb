// Reads decimal numbers without libc, whose functions depend on the locale and set errno.
#pragma once

namespace prof::core {

// Returns -1 if `text` contains anything but digits.
inline int number_of(const char* text) {
  int number = 0;
  for (; *text >= '0' && *text <= '9'; ++text) number = number * 10 + (*text - '0');
  return *text == '\0' ? number : -1;
}

}  // namespace prof::core
