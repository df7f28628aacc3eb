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
  // Returns the whole text, which is valid until the next call; empty if the file cannot be read.
  std::string_view read();
  // Returns the number in a file that has only one.
  std::optional<double> read_number();

 private:
  base::UniqueFd fd_;
  std::string text_;
};

// A file of which several readers read parts. It is read again as soon as a reader asks for the
// second time.
class SharedStatFile {
 public:
  explicit SharedStatFile(const std::string& path) : file_(path) {}
  bool is_open() const { return file_.is_open(); }
  // Returns the text. `seen` belongs to the reader and is 0 at first.
  std::string_view text(std::uint64_t& seen);

 private:
  StatFile file_;
  std::string_view text_;
  std::uint64_t reading_ = 0;
};

// Removes the first word of a text, together with the blanks around it, and returns the word; empty
// at the end.
std::string_view take_word(std::string_view& text);
// Removes the first line of a text and returns it.
std::string_view take_line(std::string_view& text);
// Returns the numbers of a line up to the first word that is not a number.
std::vector<double> numbers_of(std::string_view line);
// Returns the rest of the first line that starts with `key` and a blank or colon, if there is such
// a line.
std::optional<std::string_view> line_of(std::string_view text, std::string_view key);
// Returns the first number of the line that line_of() finds; NaN if it finds none.
double number_after(std::string_view text, std::string_view key);

// Returns the names of the entries of a folder, sorted; none if the folder cannot be read.
std::vector<std::string> entries_of(const std::string& folder);

}  // namespace prof::metrics
