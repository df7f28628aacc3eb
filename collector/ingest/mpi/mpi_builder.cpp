#include "collector/ingest/mpi/mpi_builder.hpp"

#include <algorithm>

namespace prof::ingest {

namespace {

// Larger sizes are damage.
constexpr std::int64_t kMaxMessageBytes = std::int64_t{1} << 56;

std::int64_t product(std::int64_t bytes, std::int64_t ranks) {
  std::int64_t all = 0;
  const bool fits = bytes >= 0 && ranks >= 0 && !__builtin_mul_overflow(bytes, ranks, &all);
  return fits && all <= kMaxMessageBytes ? all : wire::kMpiNoSize;
}

// How many ranks a rank sends to, and receives from, as nsys counts: it is one of them itself.
struct Factors {
  std::int64_t send, receive;
};

Factors factors_of(wire::MpiShape shape, std::int64_t rank, std::int64_t size) {
  switch (shape) {
    case wire::MpiShape::kExchange:
      return {size, size};
    case wire::MpiShape::kFromRoot:
      return {size, 1};
    case wire::MpiShape::kToRoot:
      return {1, size};
    case wire::MpiShape::kScan:
      return {size - rank, rank + 1};
    case wire::MpiShape::kExscan:
      return {size - rank - 1, rank};
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

report::Value number_or_null(std::int32_t number) {
  return number < 0 ? report::Value(nullptr) : report::Value(static_cast<std::int64_t>(number));
}

}  // namespace

template <class Row, class Record>
Row MpiBuilder::row_of(std::int64_t global_tid, const Record& record) {
  ++events_;
  Row row;
  row.start = clock_.to_ns(record.start);
  row.end = clock_.to_ns(record.end);
  row.global_tid = global_tid;
  row.name_id = functions_.id_of(record.header.aux);
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
  if ((record.header.flags & wire::kMpiIsWildcard) == 0) {
    writer_.add(row);
    return;
  }
  const auto [at, is_new] = pending_.try_emplace({global_tid, record.request}, row);
  if (is_new) return;
  writer_.add(at->second);  // its end was not seen
  at->second = row;
}

void MpiBuilder::collective(std::int64_t global_tid, const wire::MpiCollectiveRecord& record) {
  using Row = report::MpiCollectiveRow;
  auto row = row_of<Row>(global_tid, record);
  set_handle<&Row::comm>(row, record.comm);
  set_handle<&Row::request>(row, record.request);
  if ((record.header.flags & wire::kMpiHasRoot) != 0) row.set<&Row::root>(record.root);
  const auto shape = static_cast<wire::MpiShape>(record.header.flags & wire::kMpiShapeBits);
  const Factors factors = factors_of(shape, record.rank, record.size);
  set_bytes<&Row::bytes>(row, product(record.send_bytes, factors.send));
  set_bytes<&Row::received>(row, product(record.receive_bytes, factors.receive));
  writer_.add(row);
}

void MpiBuilder::request(std::int64_t global_tid, const wire::MpiRequestRecord& record) {
  auto row = row_of<report::MpiRequestRow>(global_tid, record);
  set_handle<&report::MpiRequestRow::request>(row, record.request);
  writer_.add(row);
  if ((record.header.flags & wire::kMpiHasEnvelope) == 0) return;
  const auto receipt = pending_.find({global_tid, record.request});
  if (receipt == pending_.end()) return;
  using Message = report::MpiMessageRow;
  if (record.source >= 0) receipt->second.set<&Message::peer>(record.source);
  if (record.tag >= 0) receipt->second.set<&Message::tag>(record.tag);
  writer_.add(receipt->second);
  pending_.erase(receipt);
}

void MpiBuilder::finish() {
  for (const auto& [key, row] : pending_) writer_.add(row);
  pending_.clear();
}

void MpiBuilder::call(std::int64_t global_tid, const wire::MpiCallRecord& record) {
  if ((record.header.flags & wire::kMpiOwnTable) != 0)
    writer_.add(row_of<report::MpiOwnRow>(global_tid, record));
  else
    writer_.add(row_of<report::MpiOtherRow>(global_tid, record));
}

void MpiBuilder::communicator(std::uint32_t serial, std::int64_t global_tid,
                              const wire::MpiCommunicatorRecord& record) {
  if (static_cast<wire::MpiCommunicator>(record.header.flags) == wire::MpiCommunicator::kWorld) {
    if (record.rank < 0) return;
    writer_.add("MPI_RANKS", {global_tid, static_cast<std::int64_t>(record.rank)});
    ranks_.set_world(serial, record.rank, record.size);
  }
  const std::int32_t root = record.group_root;
  writer_.add(
      "MPI_COMMUNICATORS",
      {number_or_null(record.rank), clock_.to_ns(record.time),
       static_cast<std::int64_t>(record.comm), static_cast<std::int64_t>(record.parent),
       number_or_null(record.local_rank), number_or_null(record.size), number_or_null(root),
       root < 0 ? report::Value(nullptr) : report::Value(made_[{serial, root}]++), nullptr});
}

}  // namespace prof::ingest
