// Places of native code in a report, and their source lines. exporters/analysis/source finds the
// lines in debug information; this file only stores them.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::events {

inline constexpr const char* kCodePlaceTable = "PROF_CODE_PLACES";

struct CodePlace {
  std::int64_t module;                                 // StringIds.id: the file
  std::int64_t address;                                // in the process
  bool is_return_address;                              // the place is the call before the address
  std::int64_t file_offset;                            // of the address
  std::int64_t build_id;                               // StringIds.id, or Strings::kNone
  auto operator<=>(const CodePlace&) const = default;  // NOLINT(modernize-use-nullptr)

  // Returns the file offset of a byte of the instruction.
  std::int64_t instruction() const { return is_return_address ? file_offset - 1 : file_offset; }
};

// Reads each place once, sorted by module and address. Contradictory places are left out, for
// example if two processes have different files with one name at the same address. The result is
// empty if the report lacks the table.
base::Result<std::vector<CodePlace>> read_code_places(const report::ReportReader& reader);

// A function that was active at a place.
struct SourceFrame {
  std::string function;   // empty: unknown
  std::string file;       // empty: unknown
  std::int64_t line = 0;  // 0: unknown
};

class CodeLines {
 public:
  // The frames at a place, innermost first. Each frame except the last is inlined into the next.
  using Frames = std::vector<SourceFrame>;

  // Stores frames and returns a number for them, which several places may share.
  std::uint32_t add(Frames frames) {
    frames_.push_back(std::move(frames));
    return static_cast<std::uint32_t>(frames_.size() - 1);
  }
  void set(const CodePlace& place, std::uint32_t frames) {
    places_[{place.module, place.address}].of(place.is_return_address) = frames;
  }

  // Returns the frames of a place, or null if they are unknown. `is_sampled` means that the address
  // is an interrupted instruction, not a return address. The difference matters only if the report
  // has both kinds at one address, because signals also interrupt callers of other code.
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
