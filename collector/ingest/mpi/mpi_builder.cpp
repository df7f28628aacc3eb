#include "collector/ingest/mpi/mpi_builder.hpp"

#include <algorithm>

#include "collector/ingest/calls/call_row.hpp"
#include "common/wire/hash.hpp"

namespace prof::ingest {

namespace {

// Larger sizes are damage.
constexpr std::int64_t kMaxMessageBytes = std::int64_t{1} << 56;

constexpr char kFinalize[] = "MPI_Finalize";
constexpr std::uint64_t kFinalizeHash = wire::hash_text(kFinalize, sizeof kFinalize - 1);

std::int64_t product(std::int64_t bytes, std::int64_t ranks) {
  std::int64_t all = 0;
  const bool fits = bytes >= 0 && ranks >= 0 && !__builtin_mul_overflow(bytes, ranks, &all);
  return fits && all <= kMaxMessageBytes ? all : wire::kMpiNoSize;
}

// How many ranks a rank sends to, and receives from, as nsys counts: it is one of them itself, if
// its buffers are two.
struct Factors {
  std::int64_t send, receive;
};

Factors factors_of(const wire::MpiCollectiveRecord& record) {
  const auto shape = static_cast<wire::MpiShape>(record.header.flags & wire::kMpiShapeBits);
  const std::int64_t rank = record.rank;
  const std::int64_t size = record.size;
  const std::int64_t self = (record.header.flags & wire::kMpiIsInPlace) != 0 ? 0 : 1;
  const std::int64_t others = size - 1;
  switch (shape) {
    case wire::MpiShape::kExchange:
      return {others + self, others + self};
    case wire::MpiShape::kFromRoot:
      return {others + self, 1};
    case wire::MpiShape::kToRoot:
      return {1, others + self};
    case wire::MpiShape::kScan:
      return {others - rank + self, rank + self};
    case wire::MpiShape::kExscan:
      return {others - rank, rank};
    case wire::MpiShape::kSums:
    case wire::MpiShape::kSumsAtRoot:
      return {1, 1};
    case wire::MpiShape::kNone:
      break;
  }
  return {-1, -1};
}

template <auto field, class Row>
void set_handle(Row& row, std::uint64_t handle) {
  if (handle != 0) row.template set<field>(static_cast<std::int64_t>(handle));
}

template <auto field, class Row>
void set_bytes(Row& row, std::int64_t bytes) {
  if (bytes >= 0) row.template set<field>(bytes);
}

// nsys writes NULL for a collective call that sends or receives nothing.
template <auto field, class Row>
void set_some_bytes(Row& row, std::int64_t bytes) {
  if (bytes > 0) row.template set<field>(bytes);
}

}  // namespace

template <class Row, class Record>
Row MpiBuilder::row_of(std::int64_t global_tid, const Record& record) {
  ++events_;
  auto row = call_row<Row>(clock_, functions_, global_tid, record);
  last_time_ = std::max(last_time_, row.end);
  return row;
}

void MpiBuilder::message(std::int64_t global_tid, const wire::MpiMessageRecord& record) {
  using Row = report::MpiMessageRow;
  auto row = row_of<Row>(global_tid, record);
  set_handle<&Row::comm>(row, record.comm);
  set_handle<&Row::request>(row, record.request);
  set_bytes<&Row::bytes>(row, product(record.bytes, 1));
  if ((record.header.flags & wire::kMpiHasPeer) != 0) row.set<&Row::peer>(record.peer);
  if ((record.header.flags & wire::kMpiHasTag) != 0) row.set<&Row::tag>(record.tag);
  close(global_tid, record.request);
  if ((record.header.flags & wire::kMpiIsWildcard) == 0)
    writer_.add(row);
  else
    pending_.emplace(std::pair(global_tid, record.request), row);
}

void MpiBuilder::close(std::int64_t global_tid, std::uint64_t request) {
  const auto receipt = pending_.find({global_tid, request});
  if (receipt == pending_.end()) return;
  writer_.add(receipt->second);
  pending_.erase(receipt);
}

void MpiBuilder::collective(std::int64_t global_tid, const wire::MpiCollectiveRecord& record) {
  using Row = report::MpiCollectiveRow;
  auto row = row_of<Row>(global_tid, record);
  set_handle<&Row::comm>(row, record.comm);
  set_handle<&Row::request>(row, record.request);
  if ((record.header.flags & wire::kMpiHasRoot) != 0) row.set<&Row::root>(record.root);
  close(global_tid, record.request);
  const Factors factors = factors_of(record);
  set_some_bytes<&Row::bytes>(row, product(record.send_bytes, factors.send));
  set_some_bytes<&Row::received>(row, product(record.receive_bytes, factors.receive));
  writer_.add(row);
}

void MpiBuilder::request(std::int64_t global_tid, const wire::MpiRequestRecord& record) {
  auto row = row_of<report::MpiRequestRow>(global_tid, record);
  set_handle<&report::MpiRequestRow::request>(row, record.request);
  writer_.add(row);
  if ((record.header.flags & wire::kMpiIsDone) == 0) return;
  const auto receipt = pending_.find({global_tid, record.request});
  if (receipt == pending_.end()) return;
  using Message = report::MpiMessageRow;
  Message& message = receipt->second;
  if (record.source >= 0 && message.peer == wire::kMpiAnySource)
    message.set<&Message::peer>(record.source);
  if (record.tag >= 0 && !message.has<&Message::tag>()) message.set<&Message::tag>(record.tag);
  close(global_tid, record.request);
}

void MpiBuilder::finish() {
  for (const auto& [key, row] : pending_) writer_.add(row);
  pending_.clear();
  communicators_.write(writer_);
}

void MpiBuilder::call(std::int64_t global_tid, const wire::MpiCallRecord& record) {
  if ((record.header.flags & wire::kMpiOwnTable) != 0)
    writer_.add(row_of<report::MpiOwnRow>(global_tid, record));
  else
    writer_.add(row_of<report::MpiOtherRow>(global_tid, record));
  if (functions_.is_named(record.header.aux, kFinalizeHash))
    finalized_.insert(global_pid_of_thread(global_tid));
}

std::vector<std::int32_t> MpiBuilder::unfinished_ranks(const ProcessTable& processes) const {
  std::vector<std::int32_t> ranks;
  for (const auto& [serial, rank] : worlds_) {
    const ProcessImage* const image = processes.find(serial);
    if (image != nullptr && image->has_ended &&
        !finalized_.contains(processes.global_pid_of(serial)))
      ranks.push_back(rank);
  }
  std::ranges::sort(ranks);
  return ranks;
}

void MpiBuilder::communicator(std::uint32_t serial, std::int64_t global_tid,
                              const wire::MpiCommunicatorRecord& record) {
  if (static_cast<wire::MpiCommunicator>(record.header.flags) == wire::MpiCommunicator::kWorld) {
    if (record.rank < 0) return;
    writer_.add("MPI_RANKS", {global_tid, static_cast<std::int64_t>(record.rank)});
    ranks_.set_world(serial, record.rank, record.size);
    worlds_.try_emplace(serial, record.rank);
  }
  communicators_.add(serial, clock_.to_ns(record.time), record);
}

}  // namespace prof::ingest
