// Reserves names of reports that will be created later, so that no other prof chooses them. A held
// file beside the report (held_file.hpp) reserves the name.
#pragma once

#include <optional>
#include <string>

#include "common/base/unique_fd.hpp"

namespace prof::base {

class ReservedName {
 public:
  // Reserves the name until the recording has been created. Returns nothing if somebody else has
  // reserved it. Where no file can be created nothing is reserved, but the report cannot be created
  // either.
  static std::optional<ReservedName> choose(const std::string& path);
  // Reserves the name of a recording that begins later. The process that will create the recording
  // calls this, while another process has chosen the name for it.
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
