#include "injection/mpi/sizes.hpp"

namespace prof::mpi {

namespace {

// One of the two buffers of a call, as its count and type describe it.
struct Buffer {
  Word count, type;  // a number or handle, or the address of an array
  bool has_counts, has_types;
};

Word type_in(const Buffer& buffer, std::size_t rank) {
  return buffer.has_types ? handle_at(buffer.type, rank) : buffer.type;
}

std::int64_t bytes_at(const Buffer& buffer, std::int32_t rank) {
  if (!buffer.has_counts) return bytes_of(buffer.count, buffer.type);
  const auto index = static_cast<std::size_t>(rank);
  const auto count = reinterpret_cast<const std::int32_t*>(buffer.count)[index];
  return bytes_of(static_cast<Word>(static_cast<std::uint32_t>(count)), type_in(buffer, index));
}

std::int64_t sum_of(const Buffer& buffer, std::int32_t ranks) {
  if (!buffer.has_counts) return bytes_of(buffer.count, buffer.type);
  std::int64_t sum = 0;
  const auto* counts = reinterpret_cast<const std::int32_t*>(buffer.count);
  if (!buffer.has_types) {
    for (std::int32_t i = 0; i < ranks; ++i) sum += counts[i];
    if (sum == 0) return 0;
    const std::int64_t size = type_size(buffer.type);
    return size < 0 ? wire::kMpiNoSize : sum * size;
  }
  for (std::int32_t i = 0; i < ranks; ++i) {
    const std::int64_t bytes = bytes_at(buffer, i);
    if (bytes < 0) return wire::kMpiNoSize;
    sum += bytes;
  }
  return sum;
}

bool is_from_root(const Roles& roles) {
  return roles.shape == Shape::kFromRoot ||
         (roles.shape == Shape::kSumsAtRoot && (roles.arrays & kSendCounts) != 0);
}

// The calling rank and what it has passed.
struct Sender {
  const Roles& roles;
  const Word* arguments;
  Sizes found;

  bool is_root() const { return roles.root >= 0 && rank_in(arguments[roles.root]) == found.rank; }
  bool is_in_place(std::int8_t buffer) const {
    return buffer >= 0 && mpi::is_in_place(arguments[buffer]);
  }
  Buffer sent() const {
    return {arguments[roles.count], arguments[roles.type], (roles.arrays & kSendCounts) != 0,
            (roles.arrays & kTypes) != 0};
  }
  Buffer received() const {
    return {arguments[roles.count2], arguments[roles.type2], (roles.arrays & kReceiveCounts) != 0,
            (roles.arrays & kTypes) != 0};
  }

  // A function with one count: all ranks have to pass it.
  void set_by_one_buffer() {
    const Buffer buffer = sent();
    found.send = sum_of(buffer, found.size);
    found.receive = bytes_at(buffer, found.rank);
    if (roles.shape == Shape::kFromRoot && !is_root()) found.send = wire::kMpiNoSize;
    if (roles.shape == Shape::kToRoot && !is_root()) found.receive = wire::kMpiNoSize;
  }

  // With MPI_IN_PLACE the count and type of that side are ignored, and those of the other side say
  // how much this rank has.
  void set_by_two_buffers() {
    const bool rooted = roles.root >= 0;
    const bool has_sent = !rooted || !is_from_root(roles) || is_root();
    const bool has_received = !rooted || is_from_root(roles) || is_root();
    const bool sends_in_place = is_in_place(roles.send_buffer);
    const bool receives_in_place = is_in_place(roles.receive_buffer);
    if (has_sent && !sends_in_place) found.send = sum_of(sent(), found.size);
    if (has_received && !receives_in_place) found.receive = sum_of(received(), found.size);
    if (sends_in_place)
      found.send =
          (roles.arrays & kSendCounts) != 0 ? found.receive : bytes_at(received(), found.rank);
    if (receives_in_place) found.receive = bytes_at(sent(), found.rank);
  }
};

}  // namespace

std::int64_t bytes_of(Word count, Word type) {
  const auto elements = static_cast<std::int32_t>(count);
  if (elements <= 0) return 0;
  const std::int64_t size = type_size(type);
  return size < 0 ? wire::kMpiNoSize : elements * size;
}

Sizes sizes_of(const Roles& roles, const Word* arguments) {
  const Word comm = arguments[roles.comm];
  // There, root and counts are those of the other group.
  if (is_intercommunicator(comm)) return {};
  Sender sender{roles, arguments, {}};
  sender.found.rank = rank_of(comm);
  sender.found.size = size_of(comm);
  if (sender.found.rank < 0 || sender.found.size <= 0) return {};
  if (roles.count2 < 0)
    sender.set_by_one_buffer();
  else
    sender.set_by_two_buffers();
  return sender.found;
}

}  // namespace prof::mpi
