// Expected failures as values. Each Error is one line for the user: what failed and what to do.
#pragma once

#include <cstring>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace prof::base {

struct Error {
  std::string message;
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> fail(std::string message) {
  return tl::make_unexpected(Error{std::move(message)});
}

// Returns the error "<what>: <text of errno>".
inline tl::unexpected<Error> fail_errno(std::string what, int error) {
  return fail(std::move(what) + ": " + std::strerror(error));
}

}  // namespace prof::base
