#include "exporters/analysis/events/call_chains/symbol_names.hpp"

#include <algorithm>
#include <initializer_list>

namespace prof::events {

namespace {

bool remove_prefix(std::string_view& name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  return true;
}

bool remove_decoration(std::string_view& name) {
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"_", "GI_", "libc_", "IO_", "new_"},
      [&](std::string_view prefix) { return remove_prefix(name, prefix); });
}

// The packages of Go in which a program is likely to spend time. The name of a Go function starts
// with the path of its package.
constexpr std::string_view kGoPackages[] = {
    "runtime", "internal", "syscall",  "os",  "io",   "bufio",
    "bytes",   "strings",  "fmt",      "net", "time", "sync",
    "crypto",  "encoding", "compress", "log", "sort", "context"};

}  // namespace

std::string_view public_name(std::string_view symbol) {
  symbol = symbol.substr(0, symbol.find('@'));
  // The name of a program's own function may start with one of the decorations below, but not with
  // an underscore before it.
  if (symbol.starts_with('_'))
    while (remove_decoration(symbol)) {
    }
  return symbol;
}

std::string_view base_name(std::string_view symbol) {
  symbol = public_name(symbol);
  for (const std::string_view suffix : {"_chk", "_unlocked", "64"})
    if (symbol.ends_with(suffix)) symbol.remove_suffix(suffix.size());
  return symbol;
}

std::string_view go_system_call(std::string_view function) {
  for (const std::string_view package : {"syscall.", "golang.org/x/sys/unix."})
    if (remove_prefix(function, package))
      // Programs call syscall.Read, which calls syscall.read; only the lower-case function makes
      // the system call.
      return !function.empty() && function[0] >= 'a' && function[0] <= 'z' ? function
                                                                           : std::string_view();
  return "";
}

bool is_go_library(std::string_view function) {
  const std::string_view package = function.substr(0, function.find_first_of("./"));
  if (std::ranges::find(kGoPackages, package) == std::end(kGoPackages)) return false;
  // The names of function parts that GCC makes have dots, too: sort.part.0
  const std::string_view rest = function.substr(package.size());
  return !rest.empty() &&
         std::ranges::none_of(
             std::initializer_list<std::string_view>{".part.", ".constprop.", ".isra.", ".cold"},
             [&](std::string_view each) { return rest.starts_with(each); });
}

}  // namespace prof::events
