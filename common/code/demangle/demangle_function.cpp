#include "common/code/demangle/demangle_function.hpp"

#define HAVE_DECL_BASENAME 1  // the declaration in libiberty conflicts with that in <cstring>
#include <libiberty/demangle.h>

#include <csetjmp>
#include <cstddef>
#include <string_view>

namespace prof::demangle {
namespace {

constexpr int kOptions = DMGL_PARAMS | DMGL_ANSI;
// Longer names are cut, because nobody reads them.
constexpr std::size_t kLongestName = 4096, kLongestText = 16384;

// Arguments after a template parameter (T_I…E) in the type of a conversion operator (cv): libiberty
// parses them twice, so nested ones double its time.
constexpr int kMaxDoubled = 12;

struct Text {
  std::string characters;
  std::jmp_buf too_long;
};

// A hundred characters can stand for gigabytes of text. The demanglers cannot be stopped, but they
// hold no resources while they call back, so it is safe to leave them by longjmp.
void append(const char* part, std::size_t size, void* to) {
  Text& text = *static_cast<Text*>(to);
  if (text.characters.size() + size > kLongestText) std::longjmp(text.too_long, 1);
  text.characters.append(part, size);
}

bool takes_too_long(std::string_view name) {
  if (name.find("cv") == name.npos) return false;
  int doubled = 0;
  for (std::size_t at = 0; (at = name.find('T', at)) != name.npos;) {
    at = name.find_first_not_of("0123456789", at + 1);
    if (at != name.npos && name.substr(at).starts_with("_I")) ++doubled;
  }
  return doubled > kMaxDoubled;
}

bool demangle(const char* name, Text& text) {
  if (setjmp(text.too_long) != 0) return false;
  // C++ comes second, because Rust's legacy names look like those of C++.
  if (rust_demangle_callback(name, kOptions, append, &text) != 0) return true;
  text.characters.clear();
  return cplus_demangle_v3_callback(name, kOptions, append, &text) != 0;
}

}  // namespace

std::string demangle_function(const std::string& name) {
  const bool is_mangled = name.size() > 2 && name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
  if (!is_mangled || name.size() > kLongestName || takes_too_long(name)) return name;
  Text text;
  text.characters.reserve(kLongestText);  // so that longjmp cannot leak an allocation
  return demangle(name.c_str(), text) ? std::string(text.characters) : name;
}

}  // namespace prof::demangle
