// Hides in answers where, by whom and with which arguments a program ran.
//
// That makes answers easier to share. It does not protect them: a query that takes a text apart
// gets its parts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "exporters/mcp/features.hpp"

namespace prof::mcp {

class Redaction {
 public:
  // Writes "~" in place of `home`, /home/NAME and /root. `home` may be empty.
  void hide_homes(const std::string& home);
  // Keeps the last part of each absolute path: "…/train.py".
  void hide_paths() { hides_paths_ = true; }
  // Writes `by` in place of the text where it stands alone: "node1" in "4711@node1", not in
  // "node12".
  void hide(const std::string& text, const std::string& by);
  // Hides texts that are equal to this one.
  void hide_whole(const std::string& text) { whole_.push_back(text); }

  std::string text(std::string_view from) const;
  // Returns the value with all of its texts redacted, but not the keys of objects.
  Object json(const Object& from) const;

 private:
  struct Hidden {
    std::string text;
    std::string by;
  };
  std::string without_hidden(std::string text) const;
  std::string shown_path(std::string_view path) const;
  std::string_view path_at(std::string_view text, std::size_t at) const;
  std::size_t home_size(std::string_view path) const;

  std::string home_;
  bool hides_homes_ = false;
  bool hides_paths_ = false;
  std::vector<Hidden> hidden_;
  std::vector<std::string> whole_;
};

}  // namespace prof::mcp
