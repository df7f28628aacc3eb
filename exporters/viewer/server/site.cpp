#include "exporters/viewer/server/site.hpp"

#include <charconv>
#include <system_error>

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
          file.name.ends_with(".html") ? "" : kPermanent};
}

namespace {

constexpr std::string_view kPagePath = "/page/";
constexpr std::string_view kAnswersPath = "/api/";

Route find_file(std::string_view path, std::string_view first_page) {
  if (path == "/") return {find_page_file(first_page)};
  if (path.starts_with(kPagePath)) return {find_page_file(path.substr(kPagePath.size()))};
  return {};
}

}  // namespace

Route ReportSite::find(std::string_view path) const {
  if (!path.starts_with(kAnswersPath)) return find_file(path, "index.html");
  const Handler* handler = Answers::find(path.substr(kAnswersPath.size()));
  if (handler == nullptr) return {};
  return {nullptr, Work{handler->queue, [this, handler](const Parameters& parameters) {
                          return answers_.get(*handler, parameters);
                        }}};
}

Route RunSite::find(std::string_view path) const {
  constexpr std::string_view kReports = "/report/";
  if (path.starts_with(kReports)) return find_of_report(path.substr(kReports.size()));
  if (!path.starts_with(kAnswersPath)) return find_file(path, "run.html");
  const RunHandler* handler = RunAnswers::find(path.substr(kAnswersPath.size()));
  if (handler == nullptr) return {};
  return {nullptr, Work{handler->queue, [this, handler](const Parameters& parameters) {
                          return answers_.get(*handler, parameters);
                        }}};
}

Route RunSite::find_of_report(std::string_view path) const {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), number);
  if (error != std::errc()) return {};
  path.remove_prefix(static_cast<std::size_t>(end - path.data()));
  if (!path.starts_with(kAnswersPath)) return find_file(path, "index.html");
  const Handler* handler = Answers::find(path.substr(kAnswersPath.size()));
  if (handler == nullptr) return {};
  return {nullptr, Work{handler->queue, [this, number, handler](const Parameters& parameters) {
                          return answers_.get(number, *handler, parameters);
                        }}};
}

}  // namespace prof::view
