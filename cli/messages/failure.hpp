// The only exception type: a failure that ends prof with a message for the user. The message is
// empty if it has already been printed.
#pragma once

#include <stdexcept>
#include <string>

#include "common/base/result.hpp"

namespace prof::cli {

inline constexpr int kFailed = 1;
inline constexpr int kBadUsage = 2;

class Failure : public std::runtime_error {
 public:
  // `code` is a word for programs (failure_output.hpp).
  explicit Failure(const std::string& message, int status = kFailed, const char* code = "")
      : std::runtime_error(message), status_(status), code_(code) {}
  int status() const { return status_; }
  const char* code() const { return code_; }

 private:
  int status_;
  const char* code_;
};

// Unwraps a result or throws its error.
template <class T>
T take(base::Result<T> result) {
  if (!result) throw Failure(result.error().message);
  return std::move(*result);
}
inline void check(const base::Status& status) {
  if (!status) throw Failure(status.error().message);
}

}  // namespace prof::cli
