// The outcome of a request: an answer or a fault.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "common/base/result.hpp"
#include "common/base/text/json.hpp"

namespace prof::view {

using base::Json;  // writes answers

struct Answer {
  std::string body;
  std::string type = "application/json";
  // True if the answer to this URL never changes while the server runs, so that the browser may
  // keep it.
  bool permanent = false;
};

// An error, which becomes {"error": TEXT}.
struct Fault {
  int status = 400;  // 400 wrong parameter, 404 no such row or event, 409 report changed, 503 busy
  std::string text;
};

template <class T>
using Outcome = tl::expected<T, Fault>;

inline tl::unexpected<Fault> fault(int status, std::string text) {
  return tl::make_unexpected(Fault{status, std::move(text)});
}

// Returns make(), or a fault in place of an exception.
template <class Make>
Outcome<Answer> without_exceptions(Make make) {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    return fault(503, "out of memory");
  } catch (const std::exception& error) {
    return fault(500, std::string("internal error: ") + error.what());
  }
}

// Makes a fault of an error of reading: the report changed since the server began, or is damaged.
inline tl::unexpected<Fault> unreadable(const base::Error& error) {
  return fault(409, error.message);
}

}  // namespace prof::view
