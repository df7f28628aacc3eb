// While it exists, messages of the collector go to the command that it works for.
#pragma once

#include <unistd.h>

#include "common/base/unique_fd.hpp"

namespace prof::session {

class ClientOutput {
 public:
  explicit ClientOutput(int error) : saved_(dup(STDERR_FILENO)) {
    if (error >= 0) dup2(error, STDERR_FILENO);
  }
  ~ClientOutput() { dup2(saved_.get(), STDERR_FILENO); }
  ClientOutput(const ClientOutput&) = delete;

 private:
  base::UniqueFd saved_;
};

}  // namespace prof::session
