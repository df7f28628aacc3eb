// Demangles names of kernels for programs under prof kernel (common/wire/kernel_names.hpp).
#pragma once

#include <cstdint>
#include <string>

#include "collector/session/session_directory.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::session {

class KernelNames {
 public:
  // The directory's files are there if programs may ask.
  explicit KernelNames(const SessionDirectory& directory);

  // Answers the programs that have asked since the last call.
  void answer();

 private:
  std::string new_lines();

  base::UniqueFd names_;
  base::UniqueFd answers_;
  std::int64_t read_ = 0;  // bytes
};

}  // namespace prof::session
