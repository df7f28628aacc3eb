// Links CUDA calls and their work on the GPU, by process and correlation id.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "exporters/viewer/timeline/rows.hpp"

namespace prof::timeline {

class Links {
 public:
  // The place of an event: the id of its row, and its index in the lanes of the row.
  struct EventRef {
    RowId row;
    std::size_t index;
  };
  enum class Side : std::uint8_t { kCall, kWork };

  // Adds the events of a row. `correlations` has an element for each event; 0: none.
  void add(std::int64_t process, RowId row, Side side, std::vector<std::uint32_t> correlations);
  // Sorts the links. Must be called after the last add().
  void finish();

  std::vector<EventRef> places(std::int64_t process, Side side, std::uint32_t correlation) const;
  // Returns the process and the correlation id of an event, if it has one.
  std::optional<std::pair<std::int64_t, std::uint32_t>> correlation(const EventRef& place) const;

  // Visits each correlation id that both sides have: `visit(process, call, work)` with Places, for
  // each pair of a call and its work. Calls that share an id are taken as one, the first.
  template <class Visit>
  void for_each_pair(Visit visit) const {
    for (const auto& [process, both] : processes_) {
      auto call = both.calls.begin();
      for (const Entry& work : both.work) {
        while (call != both.calls.end() && call->correlation < work.correlation) ++call;
        if (call == both.calls.end()) break;
        if (call->correlation == work.correlation)
          visit(process, place(call->number), place(work.number));
      }
    }
  }

  // Returns the rows that were added.
  std::vector<RowId> rows() const;

 private:
  // An event. Events are numbered across rows, in the order in which rows were added.
  struct Entry {
    std::uint32_t correlation;
    std::uint32_t number;
    auto operator<=>(const Entry&) const = default;
  };
  struct Both {
    std::vector<Entry> calls;
    std::vector<Entry> work;
  };
  struct Numbers {
    std::uint32_t first;
    std::uint32_t count;
    RowId row;
  };
  // The arguments of an add().
  struct Added {
    std::int64_t process;
    Side side;
    std::uint32_t first;
    std::vector<std::uint32_t> correlations;
  };
  EventRef place(std::uint32_t number) const;

  std::unordered_map<std::int64_t, Both> processes_;
  std::vector<Numbers> rows_;  // by first
  std::vector<Added> added_;   // used until finish()
  std::uint32_t next_ = 0;
};

}  // namespace prof::timeline
