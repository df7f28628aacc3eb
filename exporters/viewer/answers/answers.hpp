// Makes the answers to api/NAME?PARAMETERS, without HTTP. Several threads may ask at the same time.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/graph_nodes.hpp"
#include "exporters/viewer/answers/outcome.hpp"
#include "exporters/viewer/answers/parameters.hpp"
#include "exporters/viewer/answers/source/source_folders.hpp"

namespace prof::timeline {
class Timeline;
}

namespace prof::view {

class AnswerCache;

// A report that is viewed.
class ServedReport {
 public:
  // Checks that the file is a report, and keeps the values that identify the file.
  static base::Result<ServedReport> open(const std::string& path);

  const std::string& path() const { return path_; }
  // Returns a reader for one request, for use in one thread. Fails with 409 if the file is not the
  // file of open() any more. readable() must be called after the last read.
  Outcome<report::ReportReader> read() const;
  // Checks that the rows that were read are reliable: the file did not change since read().
  Outcome<void> readable(const report::ReportReader& reader) const;

 private:
  ServedReport(std::string path, const struct stat& file) : path_(std::move(path)), file_(file) {}

  std::string path_;
  struct stat file_;
};

// The sources of all answers.
struct Sources {
  std::vector<ServedReport> reports;  // at least one; in the order of Snapshot::reports()
  std::shared_ptr<timeline::Timeline> timeline;
  // Which NVTX ranges work in CUDA graphs is in.
  events::RangeOf range_of = events::RangeOf::kBoth;
  // The folders whose source files the user allows to show.
  SourceFolders source_folders = {};
  // Which opening of the report this is, if a page of a job opens and closes reports. 0: it stays
  // open.
  std::int64_t opening = 0;
  // Answers makes this object. It is destroyed first, because its threads read the other members.
  std::shared_ptr<AnswerCache> kept = {};
};

// Requests of one queue are answered in the order of their arrival, and never wait for requests of
// another queue.
enum class Queue { kTiles, kEvents, kStatistics };

struct Handler {
  std::string_view name;  // "tile" of api/tile
  Queue queue;
  Outcome<Answer> (*handle)(const Sources& sources, const Parameters& parameters);
};

class Answers {
 public:
  explicit Answers(Sources sources);

  // Returns the handler, or null if there is none of that name.
  static const Handler* find(std::string_view name);
  // Makes the answer. It never throws: an exception of a handler becomes a fault.
  Outcome<Answer> get(const Handler& handler, const Parameters& parameters) const;

  const Sources& sources() const { return sources_; }

 private:
  Sources sources_;
};

}  // namespace prof::view
