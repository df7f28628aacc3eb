// Places of native code in a report, and what debug information says of them. This only keeps it:
// exporters/source looks it up.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "collector/base/result.hpp"
#include "collector/report/report_reader.hpp"

namespace prof::events {

inline constexpr const char* kCodePlaceTable = "PROF_CODE_PLACES";

struct CodePlace {
  std::int64_t module;       // in StringIds: the file
  std::int64_t address;      // in the process
  bool is_return_address;    // what is meant is the call before it
  std::int64_t file_offset;  // of the address
  std::int64_t build_id;     // in StringIds; Strings::kNone: the file has none
  auto operator<=>(const CodePlace&) const = default;  // NOLINT(modernize-use-nullptr)

  // Of a byte of the instruction that is meant.
  std::int64_t instruction() const { return is_return_address ? file_offset - 1 : file_offset; }
};

// Each place once, by module and address. Left out are those of which a report says two things, as
// when two processes have different files of one name at one address. None of reports without the
// table.
base::Result<std::vector<CodePlace>> read_code_places(const report::ReportReader& reader);

// A function that was active at a place.
struct SourceFrame {
  std::string function;   // empty: not known
  std::string file;       // empty: not known
  std::int64_t line = 0;  // 0: not known
};

class CodeLines {
 public:
  // Innermost first; all but the last are inlined into the next.
  using Frames = std::vector<SourceFrame>;

  // Number of frames that places may have in common.
  std::uint32_t add(Frames frames) {
    frames_.push_back(std::move(frames));
    return static_cast<std::uint32_t>(frames_.size() - 1);
  }
  void set(const CodePlace& place, std::uint32_t frames) {
    places_[{place.module, place.address}].of(place.is_return_address) = frames;
  }

  // `is_sampled`: the instruction was interrupted there, no call returns there. That counts only
  // where the report has both: signals interrupt callers of other code, too. Null: nothing is
  // known.
  const Frames* find(std::int64_t module, std::int64_t address, bool is_sampled) const;

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Key {
    std::int64_t module;
    std::int64_t address;
    bool operator==(const Key&) const = default;
  };
  struct HashKey {
    std::size_t operator()(const Key& key) const {
      return std::hash<std::int64_t>()(key.address * 31 + key.module);
    }
  };
  struct Found {
    std::uint32_t sampled = kNone;
    std::uint32_t returned_to = kNone;
    std::uint32_t& of(bool is_return_address) { return is_return_address ? returned_to : sampled; }
  };

  std::vector<Frames> frames_;
  std::unordered_map<Key, Found, HashKey> places_;
};

}  // namespace prof::events
