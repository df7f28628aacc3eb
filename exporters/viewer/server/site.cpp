#include "exporters/viewer/server/site.hpp"

#include "common/base/text/json.hpp"

namespace prof::view {

namespace {

constexpr std::string_view kPermanent = "private, max-age=31536000, immutable";

}  // namespace

http::Reply reply_of(Outcome<Answer> outcome) {
  if (outcome)
    return {200, std::move(outcome->type), std::move(outcome->body),
            outcome->permanent ? kPermanent : ""};
  const Fault& fault = outcome.error();
  return {fault.status, "application/json", "{\"error\":" + base::quoted_json(fault.text) + "}"};
}

http::Reply reply_of(const PageFile& file) {
  // The files cannot change under this token, because each server has another token.
  return {200, std::string(file.type()), std::string(file.content),
          file.name == "index.html" ? "" : kPermanent};
}

Route find_route(std::string_view path) {
  constexpr std::string_view kFiles = "/page/";
  constexpr std::string_view kAnswers = "/api/";
  if (path == "/") return {find_page_file("index.html"), nullptr};
  if (path.starts_with(kFiles)) return {find_page_file(path.substr(kFiles.size())), nullptr};
  if (path.starts_with(kAnswers)) return {nullptr, Answers::find(path.substr(kAnswers.size()))};
  return {};
}

}  // namespace prof::view
