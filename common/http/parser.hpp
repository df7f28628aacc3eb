// Converts Boost.Beast's parsed request to a RequestHead.
#pragma once

#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <cstddef>

#include "common/http/request.hpp"

namespace prof::http {

inline constexpr std::size_t kMaxHeadBytes = 8 << 10;

using RequestParser = boost::beast::http::request_parser<boost::beast::http::empty_body>;

inline std::string_view view_of(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

// Returns the head of a request. It points into the parser.
inline RequestHead head_of(const RequestParser& parser) {
  const auto& header = parser.get();
  RequestHead head{view_of(header.method_string()), view_of(header.target()), {}};
  for (const auto& field : header)
    head.fields.emplace_back(view_of(field.name_string()), view_of(field.value()));
  return head;
}

}  // namespace prof::http
