// A second connection to a report, so that two threads can read it at once.
#pragma once

#include <future>
#include <optional>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::events {

class SecondReader {
 public:
  // `reader` must outlive this object and have views (report_views.hpp). Small reports, and those
  // that may change, have no second connection: get() returns `reader` then.
  explicit SecondReader(const report::ReportReader& reader);

  // How to start what reads with get(): in another thread, or when the first one asks for it.
  std::launch policy() const { return second_ ? std::launch::async : std::launch::deferred; }
  const report::ReportReader& get() const { return second_ ? *second_ : reader_; }

  // Tells the first reader what the second one has left out. Call it in the thread of the first
  // reader, when the second one is no longer used.
  void finish() const;

 private:
  const report::ReportReader& reader_;
  std::optional<report::ReportReader> second_;
};

}  // namespace prof::events
