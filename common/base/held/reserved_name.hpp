// Names of reports that nobody has created yet, but somebody will, so that nobody else chooses
// them. A file beside the report says so, which is held (held_file.hpp).
#pragma once

#include <optional>
#include <string>

#include "common/base/unique_fd.hpp"

namespace prof::base {

class ReservedName {
 public:
  // Until the recording has been created. Nothing: somebody else has reserved the name. Where no
  // file can be created nothing is reserved, but the report cannot be created either.
  static std::optional<ReservedName> choose(const std::string& path);
  // For a recording that begins later: by the process that will create it, while another one has
  // chosen the name for it.
  static ReservedName await(const std::string& path);

  ReservedName(ReservedName&& other) noexcept;
  ReservedName& operator=(ReservedName&& other) noexcept;
  ~ReservedName();

 private:
  ReservedName(std::string file, UniqueFd held) : file_(std::move(file)), held_(std::move(held)) {}
  std::string file_;
  UniqueFd held_;
};

}  // namespace prof::base
