#include "collector/ingest/mpi/communicators.hpp"

#include <algorithm>

namespace prof::ingest {

namespace {

report::Value number_or_null(std::int64_t number) {
  return number < 0 ? report::Value(nullptr) : report::Value(number);
}

}  // namespace

void Communicators::add(std::uint32_t serial, std::int64_t time,
                        const wire::MpiCommunicatorRecord& record) {
  all_.push_back({serial, time, record, -1, 0});
}

// nsys has no rows of merged communicators, so they come after those that it counts.
void Communicators::number_own() {
  const auto number = [this](wire::MpiCommunicator kind) {
    for (Communicator& each : all_) {
      const std::int32_t root = each.record.group_root;
      if (root < 0 || static_cast<wire::MpiCommunicator>(each.record.header.flags) != kind)
        continue;
      each.number = made_[{each.serial, root}]++;
      each.place = alike_[{each.serial, root, each.record.header.aux}]++;
      if (each.record.local_rank != 0) continue;
      const auto [at, is_new] = numbers_.try_emplace(key_of(each), each.number);
      if (!is_new) at->second = -1;
    }
  };
  number(wire::MpiCommunicator::kMade);
  number(wire::MpiCommunicator::kMerged);
}

void Communicators::write(report::ReportWriter& writer) {
  std::ranges::stable_sort(all_, {}, &Communicator::time);
  number_own();
  for (const Communicator& each : all_) {
    std::int64_t number = each.number;
    const auto root = numbers_.find(key_of(each));
    if (number >= 0 && root != numbers_.end() && root->second >= 0) number = root->second;
    const wire::MpiCommunicatorRecord& record = each.record;
    writer.add("MPI_COMMUNICATORS",
               {number_or_null(record.rank), each.time, static_cast<std::int64_t>(record.comm),
                static_cast<std::int64_t>(record.parent), number_or_null(record.local_rank),
                number_or_null(record.size), number_or_null(record.group_root),
                number_or_null(number), nullptr});
  }
  all_.clear();
}

}  // namespace prof::ingest
