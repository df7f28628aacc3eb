#include "injection/mpi/sizes.hpp"

namespace prof::mpi {

namespace {

// One of the two buffers of a call, as its count and type describe it.
struct Buffer {
  Word count, type;  // a number or handle, or the address of an array
  bool has_counts, has_types;
  const Roles& roles;

  std::int64_t count_at(std::size_t rank) const {
    if (!has_counts) return count_of(roles, count);
    return roles.is_large ? reinterpret_cast<const std::int64_t*>(count)[rank]
                          : reinterpret_cast<const std::int32_t*>(count)[rank];
  }
};

Word type_in(const Buffer& buffer, std::size_t rank) {
  return buffer.has_types ? handle_at(buffer.type, rank) : buffer.type;
}

std::int64_t bytes_at(const Buffer& buffer, std::int32_t rank) {
  const auto index = static_cast<std::size_t>(rank);
  return bytes_of(buffer.count_at(index), buffer.has_counts ? type_in(buffer, index) : buffer.type);
}

std::int64_t sum_of(const Buffer& buffer, std::int32_t ranks) {
  std::int64_t sum = 0;
  if (!buffer.has_types) {
    for (std::int32_t i = 0; i < ranks; ++i) sum += buffer.count_at(static_cast<std::size_t>(i));
    return bytes_of(sum, buffer.type);
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

std::int64_t difference(std::int64_t all, std::int64_t own) {
  return all < 0 || own < 0 ? wire::kMpiNoSize : all - own;
}

std::int64_t product(std::int64_t bytes, std::int64_t ranks) {
  std::int64_t all = 0;
  return bytes < 0 || __builtin_mul_overflow(bytes, ranks, &all) ? wire::kMpiNoSize : all;
}

// The calling rank and what it has passed.
struct Caller {
  const Roles& roles;
  const Word* arguments;
  bool is_inter = false;  // the communicator is an intercommunicator
  Sizes found;

  Word root() const { return arguments[roles.root]; }
  bool is_rooted() const { return roles.root >= 0; }
  bool is_root() const {
    return is_rooted() &&
           (is_inter ? is_root_of_other_group(root()) : rank_in(root()) == found.rank);
  }
  // A rank of the root's group that is not the root takes no part.
  bool takes_part() const { return !is_rooted() || is_root() || rank_in(root()) != kNobody; }
  // Only the root of a call that has one may pass MPI_IN_PLACE.
  bool is_in_place() const {
    const std::int8_t buffer = is_from_root(roles) ? roles.receive_buffer : roles.send_buffer;
    return buffer >= 0 && mpi::is_in_place(arguments[buffer]) && (!is_rooted() || is_root());
  }
  Buffer sent() const {
    return {arguments[roles.count], arguments[roles.type], (roles.arrays & kSendCounts) != 0,
            (roles.arrays & kTypes) != 0, roles};
  }
  Buffer received() const {
    return {arguments[roles.count2], arguments[roles.type2], (roles.arrays & kReceiveCounts) != 0,
            (roles.arrays & kTypes) != 0, roles};
  }
  std::int64_t counted_ranks() const { return found.size - (found.is_in_place ? 1 : 0); }

  // The sum of the counts for all ranks, but for this one if a buffer is in place. One count is
  // that of each rank.
  std::int64_t total_of(const Buffer& buffer, std::int32_t ranks) const {
    if (!buffer.has_counts) return bytes_at(buffer, 0);
    const std::int64_t sum = sum_of(buffer, ranks);
    return found.is_in_place ? difference(sum, bytes_at(buffer, found.rank)) : sum;
  }

  // A function with one count: all ranks have to pass it.
  void set_by_one_buffer() {
    const Buffer buffer = sent();
    found.send = total_of(buffer, found.size);
    found.receive = buffer.has_counts ? bytes_at(buffer, found.rank) : found.send;
    if (roles.shape == Shape::kSums) found.receive = product(found.receive, counted_ranks());
    const bool is_from = roles.shape == Shape::kFromRoot;
    const bool is_to = roles.shape == Shape::kToRoot;
    if ((is_from && !is_root()) || (is_to && is_root() && (is_inter || found.is_in_place)))
      found.send = wire::kMpiNoSize;
    if ((is_to && !is_root()) || (is_from && is_root() && is_inter))
      found.receive = wire::kMpiNoSize;
  }

  // With MPI_IN_PLACE the count and type of that side are ignored. At a root nothing is moved then;
  // elsewhere those of the other side say how much this rank has.
  void set_by_two_buffers(std::int32_t ranks) {
    const bool to_root = is_rooted() && !is_from_root(roles);
    const bool from_root = is_rooted() && is_from_root(roles);
    const bool is_apart = is_root() && (is_inter || found.is_in_place);
    if (from_root ? is_root() : !found.is_in_place && !(to_root && is_apart))
      found.send = total_of(sent(), ranks);
    if (to_root ? is_root() : !(from_root && is_apart)) found.receive = total_of(received(), ranks);
    if (is_rooted()) return;
    const bool has_one_count = (roles.arrays & kSendCounts) == 0;
    if (found.is_in_place)
      found.send = has_one_count ? bytes_at(received(), found.rank) : found.receive;
    if (roles.shape == Shape::kSums && has_one_count)
      found.send = product(found.send, counted_ranks());
  }
};

}  // namespace

std::int64_t bytes_of(std::int64_t count, Word type) {
  if (count <= 0) return 0;
  const std::int64_t size = type_size(type);
  std::int64_t bytes = 0;
  return size < 0 || __builtin_mul_overflow(count, size, &bytes) ? wire::kMpiNoSize : bytes;
}

// On an intercommunicator a root counts the ranks of the other group, and other calls, as in nsys,
// those of the own group. Arrays of counts have an element for each rank of the other group, but
// for those of functions that only have one: these divide a result among the own group.
Sizes sizes_of(const Roles& roles, const Word* arguments) {
  const Word comm = arguments[roles.comm];
  Caller caller{roles, arguments, is_intercommunicator(comm), {}};
  Sizes& found = caller.found;
  found.rank = rank_of(comm);
  found.size = size_of(comm);
  if (found.rank < 0 || found.size <= 0) return {};
  const std::int32_t ranks = caller.is_inter ? remote_size_of(comm) : found.size;
  if (ranks <= 0 || !caller.takes_part()) return {};
  if (caller.is_inter && caller.is_root()) found.size = ranks;
  found.is_in_place = caller.is_in_place();
  if (roles.count2 < 0)
    caller.set_by_one_buffer();
  else
    caller.set_by_two_buffers(ranks);
  return found;
}

}  // namespace prof::mpi
