// Finds what is at the paths below the token: the page's files, and the answers.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "common/http/connection.hpp"
#include "exporters/viewer/answers/answers.hpp"
#include "exporters/viewer/embedded/page_files.hpp"
#include "exporters/viewer/run/run_answers.hpp"

namespace prof::view {

http::Reply reply_of(Outcome<Answer> outcome);
http::Reply reply_of(const PageFile& file);

// An answer that is made in a queue.
struct Work {
  Queue queue;
  std::function<Outcome<Answer>(const Parameters&)> make;
};

// The thing at a path: a file, an answer, or nothing.
struct Route {
  const PageFile* file = nullptr;
  std::optional<Work> work = {};
};

class Site {
 public:
  virtual ~Site() = default;
  virtual Route find(std::string_view path) const = 0;
};

// The page of one or several reports.
class ReportSite final : public Site {
 public:
  explicit ReportSite(const Answers& answers) : answers_(answers) {}
  Route find(std::string_view path) const override;

 private:
  const Answers& answers_;
};

// The page of a job, and below "/report/NUMBER" the page of each of its reports.
class RunSite final : public Site {
 public:
  explicit RunSite(const RunAnswers& answers) : answers_(answers) {}
  Route find(std::string_view path) const override;

 private:
  Route find_of_report(std::string_view path) const;

  const RunAnswers& answers_;
};

}  // namespace prof::view
