#include "cli/output/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace prof::cli {

namespace {

constexpr std::size_t kUsualWidth = 120;
constexpr std::size_t kMinWidth = 40;  // no table is narrower

}  // namespace

bool is_terminal(int descriptor) { return isatty(descriptor) != 0; }

std::size_t terminal_width(int descriptor) {
  struct winsize size {};
  std::size_t width = 0;
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0) width = size.ws_col;
  const char* columns = std::getenv("COLUMNS");
  if (width == 0 && columns != nullptr) width = std::strtoul(columns, nullptr, 10);
  if (width == 0 || width > 10'000) return kUsualWidth;
  return width < kMinWidth ? kMinWidth : width;
}

bool allows_color() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return (no_color == nullptr || *no_color == '\0') &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

}  // namespace prof::cli
