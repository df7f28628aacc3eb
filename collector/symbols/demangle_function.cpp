#include "collector/symbols/demangle_function.hpp"

#include <libiberty/demangle.h>

#include <cstdlib>
#include <memory>

namespace prof::symbols {

std::string demangle_function(const std::string& name) {
  // Demangling can multiply a name by a thousand; nobody reads one of that length.
  constexpr std::size_t kLongest = 4096;
  if (name.size() < 3 || name[0] != '_' || (name[1] != 'Z' && name[1] != 'R') ||
      name.size() > kLongest)
    return name;
  const std::unique_ptr<char, decltype(&std::free)> text(
      cplus_demangle(name.c_str(), DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO), &std::free);
  return text ? std::string(text.get()) : name;
}

}  // namespace prof::symbols
