// Files of /proc and /sys that are read again and again through one descriptor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/unique_fd.hpp"

namespace prof::metrics {

class StatFile {
 public:
  explicit StatFile(const std::string& path);
  bool is_open() const { return static_cast<bool>(fd_); }
  // The whole text; empty if it cannot be read. Valid until the next call.
  std::string_view read();
  // For files with one number.
  std::optional<double> read_number();

 private:
  base::UniqueFd fd_;
  std::string text_;
};

// A file that several readers take their parts of. It is read again when a reader asks for the
// second time.
class SharedStatFile {
 public:
  explicit SharedStatFile(const std::string& path) : file_(path) {}
  bool is_open() const { return file_.is_open(); }
  // `seen` is the reader's, 0 at first.
  std::string_view text(std::uint64_t& seen);

 private:
  StatFile file_;
  std::string_view text_;
  std::uint64_t reading_ = 0;
};

// The first word of a text, which is removed from it together with the blanks around it; empty at
// the end.
std::string_view take_word(std::string_view& text);
// The same for a line.
std::string_view take_line(std::string_view& text);
// The numbers of a line; stops at the first word that is not one.
std::vector<double> numbers_of(std::string_view line);
// The rest of the first line that starts with `key` and a blank or colon; none: there is no such.
std::optional<std::string_view> line_of(std::string_view text, std::string_view key);
// The first number of that line; NaN if there is none.
double number_after(std::string_view text, std::string_view key);

// Names of the entries of a folder, sorted; none if it cannot be read.
std::vector<std::string> entries_of(const std::string& folder);

}  // namespace prof::metrics
