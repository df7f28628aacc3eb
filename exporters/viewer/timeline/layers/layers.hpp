// Determines which tables make which rows. A layer consists of the rows of one kind of a report,
// such as all rows of CUDA API calls, one for each thread.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/report/report_reader.hpp"
#include "common/report/table_scan.hpp"
#include "exporters/viewer/timeline/columns/event_lanes.hpp"
#include "exporters/viewer/timeline/names.hpp"
#include "exporters/viewer/timeline/rows.hpp"

namespace prof::timeline {

// Identifies a row of a layer. The meaning of the numbers depends on the layer's TreeLevel.
struct RowKey {
  std::array<std::int64_t, 4> ids{};
  bool operator==(const RowKey&) const = default;
};
struct RowKeyHash {
  std::size_t operator()(const RowKey& key) const {
    std::size_t hash = 0;
    for (const std::int64_t id : key.ids)
      hash = (hash ^ static_cast<std::size_t>(id)) * std::size_t{0x9e3779b97f4a7c15};
    return hash ^ hash >> 32;
  }
};

// Stands for all threads or streams of a process without a separate row.
inline constexpr std::int64_t kOthers = 0xffffff;

// The place of a layer's rows in the tree, and the numbers in their RowKey.
enum class TreeLevel : std::uint8_t {
  kThread,   // globalTid
  kDomain,   // globalTid, domainId of NVTX
  kProcess,  // globalPid
  kStream,   // globalPid, deviceId, contextId, streamId
  kDevice,   // globalPid, deviceId
  kReport,
};

// Numbers the names in one report. Must be used by one thread.
class NameReader {
 public:
  NameReader() = default;
  NameReader(const report::ReportReader& reader, Names& names) : reader_(&reader), names_(&names) {}

  // Returns the number of a text in StringIds.
  std::uint32_t string(std::int64_t id);
  std::uint32_t string(std::int64_t id, std::uint32_t color);
  std::string_view string_text(std::int64_t id) { return names_->text(string(id)); }
  // Returns the number of an API call's name, without CUDA's version.
  std::uint32_t call(std::int64_t id);
  std::uint32_t text(std::string_view text, std::uint32_t color = Names::kNoColor) {
    return names_->number(text, color);
  }
  // Returns the number of the label of a value in a table ENUM_….
  std::uint32_t label(const std::string& table, std::int64_t value);
  // Returns the number of the innermost function of a call chain.
  std::uint32_t leaf(const std::string& table, std::int64_t chain);

 private:
  // Numbers by id.
  class Numbers {
   public:
    std::uint32_t& operator[](std::int64_t id);

   private:
    std::vector<std::uint32_t> small_;
    std::unordered_map<std::int64_t, std::uint32_t> large_;
  };
  std::string read_string(std::int64_t id);
  bool is_one(const std::string& sql) const;
  bool has_index(const std::string& table) const;
  bool has_row_number(const std::string& table) const;  // its column id is the number of the row

  const report::ReportReader* reader_ = nullptr;
  Names* names_ = nullptr;
  Numbers strings_;
  Numbers calls_;
  std::map<std::pair<std::int64_t, std::uint32_t>, std::uint32_t> colored_;
  std::map<std::pair<std::string, std::int64_t>, std::uint32_t> labels_;
  std::map<std::string, report::Statement> statements_;
};

// The facts about an event in a table's row, besides its times.
struct Reading {
  RowKey key;
  std::uint32_t name = Names::kUnknown;
  std::uint32_t correlation = 0;
  Layout layout = Layout::kNested;
  std::uint8_t flags = 0;  // EventFlag
  bool is_event = true;    // false: the row is not shown
  bool is_open = false;    // the event never ended, although the row has an end
};

// Texts that a scan finds besides events: names of NVTX domains, by process and domain.
using Domains = std::map<std::pair<std::int64_t, std::int64_t>, std::string>;

struct ScanContext {
  NameReader names;
  Domains domains;
};

// One table of a layer.
struct Source {
  std::string table;
  std::string start = "start";  // SQL
  std::string end = "\"end\"";  // SQL; equal to `start` for instants
  std::string columns;          // SQL; column kFirstColumn of the row and later ones
  std::string condition;        // SQL; empty: all rows
  bool open_ends = false;       // NULL as end means that the event never ended
  // Reads an event from its row.
  std::function<void(const report::Row&, ScanContext&, Reading&)> read;
  static constexpr int kFirstColumn = 3;  // after rowid, start, end
};

struct Layer {
  RowKind kind = RowKind::kOther;
  RowStyle style = RowStyle::kEvents;
  TreeLevel place = TreeLevel::kThread;
  std::string name;  // name of the rows; empty: the name of the kind
  std::vector<Source> sources;
  // Whether the events are calls or GPU work with correlation ids.
  enum class Side : std::uint8_t { kNone, kCall, kWork } side = Side::kNone;
};

// Returns the layers of events that a report has.
std::vector<Layer> layers_of(const report::ReportReader& reader);

}  // namespace prof::timeline
