// What is at the paths below the token: the page's files, and the answers.
#pragma once

#include <string>
#include <string_view>

#include "exporters/viewer/answers/answers.hpp"
#include "exporters/viewer/server/page_files.hpp"

namespace prof::view {

// An answer on its way to the client.
struct Reply {
  int status = 200;
  std::string type;  // empty: no body
  std::string body;
  bool permanent = false;  // the browser may keep it
};

Reply reply_of(Outcome<Answer> outcome);
Reply reply_of(const PageFile& file);

// What a path leads to: a file, an answer that a handler makes, or nothing.
struct Place {
  const PageFile* file = nullptr;
  const Handler* handler = nullptr;
};
Place find_place(std::string_view path);

}  // namespace prof::view
