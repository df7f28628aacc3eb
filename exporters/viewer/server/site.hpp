// Finds what is at the paths below the token: the page's files, and the answers.
#pragma once

#include <string_view>

#include "common/http/connection.hpp"
#include "exporters/viewer/answers/answers.hpp"
#include "exporters/viewer/server/page_files.hpp"

namespace prof::view {

http::Reply reply_of(Outcome<Answer> outcome);
http::Reply reply_of(const PageFile& file);

// The thing at a path: a file, an answer that a handler makes, or nothing.
struct Route {
  const PageFile* file = nullptr;
  const Handler* handler = nullptr;
};
Route find_route(std::string_view path);

}  // namespace prof::view
