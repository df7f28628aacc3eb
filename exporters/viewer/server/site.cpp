#include "exporters/viewer/server/site.hpp"

#include <charconv>
#include <system_error>

#include "common/base/text/json.hpp"

namespace prof::view {

namespace {

constexpr std::string_view kPermanent = "private, max-age=31536000, immutable";
constexpr std::string_view kPagePath = "/page/";
constexpr std::string_view kAnswersPath = "/api/";

Route find_file(std::string_view path, std::string_view first_page) {
  if (path == "/") return {find_page_file(first_page)};
  if (path.starts_with(kPagePath)) return {find_page_file(path.substr(kPagePath.size()))};
  return {};
}

// Finds a file of the page, or an answer. `find(name)` returns the handler of an answer or null,
// `get(handler, parameters)` makes the answer.
template <class Find, class Get>
Route find_route(std::string_view path, std::string_view first_page, Find find, Get get) {
  if (!path.starts_with(kAnswersPath)) return find_file(path, first_page);
  const auto* handler = find(path.substr(kAnswersPath.size()));
  if (handler == nullptr) return {};
  return {nullptr, Work{handler->queue, [handler, get](const Parameters& parameters) {
                          return get(*handler, parameters);
                        }}};
}

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
          file.name.ends_with(".html") ? "" : kPermanent};
}

Route ReportSite::find(std::string_view path) const {
  return find_route(path, "index.html", Answers::find,
                    [this](const Handler& handler, const Parameters& parameters) {
                      return answers_.get(handler, parameters);
                    });
}

Route RunSite::find(std::string_view path) const {
  constexpr std::string_view kReports = "/report/";
  if (path.starts_with(kReports)) return find_of_report(path.substr(kReports.size()));
  return find_route(path, "run.html", RunAnswers::find,
                    [this](const RunHandler& handler, const Parameters& parameters) {
                      return answers_.get(handler, parameters);
                    });
}

Route RunSite::find_of_report(std::string_view path) const {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), number);
  if (error != std::errc()) return {};
  path.remove_prefix(static_cast<std::size_t>(end - path.data()));
  return find_route(path, "index.html", Answers::find,
                    [this, number](const Handler& handler, const Parameters& parameters) {
                      return answers_.get(number, handler, parameters);
                    });
}

}  // namespace prof::view
