// MPI_COMMUNICATORS: the communicators of processes, with the numbers that nsys gives to them.
#pragma once

#include <cstdint>
#include <map>
#include <memory_resource>
#include <tuple>
#include <utility>
#include <vector>

#include "common/report/report_writer.hpp"
#include "common/wire/mpi_records.hpp"

namespace prof::ingest {

// A communicator has the number that it has in the process of its rank 0, which counts those of
// which it is rank 0. nsys sends it to the other ranks. Here they find it by the members: all of
// them make communicators with the same members in the same order.
class Communicators {
 public:
  explicit Communicators(std::pmr::memory_resource* memory)
      : all_(memory), made_(memory), alike_(memory), numbers_(memory) {}

  // `serial`: of the process image. `time`: ns.
  void add(std::uint32_t serial, std::int64_t time, const wire::MpiCommunicatorRecord& record);

  // Writes the rows, and forgets them.
  void write(report::ReportWriter& writer);

 private:
  struct Communicator {
    std::uint32_t serial;
    std::int64_t time;
    wire::MpiCommunicatorRecord record;
    std::int64_t number;  // -1: it has none
    std::int64_t place;   // among those of the process with the same members
  };
  // Rank in MPI_COMM_WORLD of the first member, hash of the members, place.
  using Key = std::tuple<std::int32_t, std::uint32_t, std::int64_t>;

  static Key key_of(const Communicator& each) {
    return {each.record.group_root, each.record.header.aux, each.place};
  }
  void number_own();

  std::pmr::vector<Communicator> all_;
  // By serial and first member: how many communicators the process has.
  std::pmr::map<std::pair<std::uint32_t, std::int32_t>, std::int64_t> made_;
  // The same by serial, first member and hash.
  std::pmr::map<std::tuple<std::uint32_t, std::int32_t, std::uint32_t>, std::int64_t> alike_;
  // Numbers of the first members; -1: several processes have this rank.
  std::pmr::map<Key, std::int64_t> numbers_;
};

}  // namespace prof::ingest
