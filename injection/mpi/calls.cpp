#include "injection/mpi/calls.hpp"

#include <errno.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "injection/libraries/recorder.hpp"
#include "injection/mpi/sizes.hpp"

namespace prof::mpi {

namespace {

constexpr auto kLibrary = static_cast<std::uint32_t>(wire::Library::kMpi);

// The frame of the recorded call in progress; 0: none. A call that was left by an exception or
// longjmp leaves a stale frame, which the next call at or above it replaces.
__thread std::uintptr_t t_frame __attribute__((tls_model("initial-exec")));

constexpr std::uint32_t id_of(Index function) {
  return wire::kLibraryFunctions + kLibrary * wire::kFunctionsPerLibrary + function;
}

template <class Record>
wire::RecordHeader header_of(wire::RecordType type, Index function, std::uint8_t flags = 0) {
  return {static_cast<std::uint16_t>(sizeof(Record)), type, flags, id_of(function)};
}

template <class Record>
void write(Index function, const Record& record) {
  prof_write_library_record(id_of(function), kFunctions[function].public_name(), &record,
                            sizeof record);
}

Word argument_of(const Call& call, std::int8_t index) {
  return index < 0 ? 0 : call.arguments[index];
}

// True if the helpers may be called with the arguments.
bool is_valid(long result) { return result == 0 && is_running(); }

// Returns the handle of the request that the call made.
Word request_of(const Call& call, long result) {
  const std::int8_t index = kFunctions[call.function].roles.request;
  return index < 0 || result != 0 ? 0 : handle_at(call.arguments[index], 0);
}

void set_envelope(wire::MpiMessageRecord& record, std::int32_t peer, std::int32_t tag) {
  record.peer = peer;
  record.tag = tag;
  if (peer >= 0) record.header.flags |= wire::kMpiHasPeer;
  if (tag >= 0) record.header.flags |= wire::kMpiHasTag;
}

wire::MpiMessageRecord message_of(const Call& call, std::uint64_t end, long result) {
  const Roles& roles = kFunctions[call.function].roles;
  return {.header = header_of<wire::MpiMessageRecord>(wire::RecordType::kMpiMessage, call.function),
          .start = call.start,
          .end = end,
          .comm = handle(argument_of(call, roles.comm)),
          .request = request_of(call, result),
          .bytes = wire::kMpiNoSize,
          .peer = kNobody,
          .tag = kNobody};
}

// True if the argument is MPI_PROC_NULL. Nothing is sent or received then.
bool is_no_process(Word peer) { return rank_in(peer) == kNobody && !is_any_source(peer); }

// Returns the address of the status of a receipt that is done; 0: it has none.
Word status_of(const Call& call, long result) {
  const std::int8_t status = kFunctions[call.function].roles.status;
  return status < 0 || !is_valid(result) ? 0 : status_at(call.arguments[status], 0);
}

// A request of MPI_Recv_init receives many messages.
bool is_persistent(Index function) {
  return std::strstr(kFunctions[function].name, "_init") != nullptr;
}

// Sets whom a message comes from. A wildcard is resolved by the status.
void set_source(wire::MpiMessageRecord& record, const Call& call, Word peer, Word tag,
                long result) {
  std::int32_t source = rank_in(peer);
  auto label = static_cast<std::int32_t>(tag);
  const bool is_wildcard = is_any_source(peer) || (source >= 0 && label < 0);
  const Envelope* envelope = is_wildcard ? envelope_in(status_of(call, result)) : nullptr;
  if (envelope != nullptr) {
    source = envelope->source;
    label = envelope->tag;
  } else if (is_wildcard && record.request != 0 && !is_persistent(call.function)) {
    record.header.flags |= wire::kMpiIsWildcard;
  }
  set_envelope(record, source, label);
  if (envelope == nullptr && is_any_source(peer)) {
    record.peer = wire::kMpiAnySource;
    record.header.flags |= wire::kMpiHasPeer;
  }
}

// Returns the size of the buffer that two arguments describe.
std::int64_t bytes_passed(const Call& call, std::int8_t count, std::int8_t type) {
  const Roles& roles = kFunctions[call.function].roles;
  std::int64_t elements = count_of(roles, call.arguments[count]);
  if (roles.partitions >= 0)
    elements = static_cast<std::int64_t>(call.arguments[count]) *
               static_cast<std::int32_t>(call.arguments[roles.partitions]);
  return bytes_of(elements, call.arguments[type]);
}

// Returns the size of what has come, or of the buffer if only that is known.
std::int64_t message_bytes(const Call& call, std::int8_t count, std::int8_t type, long result) {
  const std::int64_t room = bytes_passed(call, count, type);
  const Word status = status_of(call, result);
  if (room <= 0 || status == 0) return room;
  const std::int64_t received = bytes_received(status, call.arguments[type]);
  return received < 0 ? room : received;
}

void record_message(const Call& call, std::uint64_t end, long result) {
  const Roles& roles = kFunctions[call.function].roles;
  wire::MpiMessageRecord record = message_of(call, end, result);
  const bool has_peer = roles.peer >= 0;  // MPI_Mrecv has a message in its place
  if (has_peer) {
    set_source(record, call, call.arguments[roles.peer], call.arguments[roles.tag], result);
  } else if (const Envelope* envelope = envelope_in(status_of(call, result))) {
    set_envelope(record, envelope->source, envelope->tag);
  }
  const bool has_data = !has_peer || !is_no_process(call.arguments[roles.peer]);
  if (is_valid(result))
    record.bytes = has_data ? message_bytes(call, roles.count, roles.type, result) : 0;
  write(call.function, record);
}

void record_plain(const Call& call, std::uint64_t end, std::uint8_t flags) {
  write(call.function, wire::MpiCallRecord{header_of<wire::MpiCallRecord>(
                                               wire::RecordType::kMpiCall, call.function, flags),
                                           call.start, end});
}

// As in nsys, the half that sends has no duration, there is only one row if both halves agree, and
// a call that sends to nobody and receives from nobody is not a message.
void record_exchange(const Call& call, std::uint64_t end, long result) {
  const Roles& roles = kFunctions[call.function].roles;
  const Word* arguments = call.arguments;
  const bool sends = !is_no_process(arguments[roles.peer]);
  const bool receives = !is_no_process(arguments[roles.peer2]);
  if (!sends && !receives) return record_plain(call, end, 0);
  wire::MpiMessageRecord sent = message_of(call, call.start, result);
  wire::MpiMessageRecord received = message_of(call, end, result);
  set_envelope(sent, rank_in(arguments[roles.peer]),
               static_cast<std::int32_t>(arguments[roles.tag]));
  set_source(received, call, arguments[roles.peer2], arguments[roles.tag2], result);
  if (is_valid(result)) {
    sent.bytes = sends ? bytes_passed(call, roles.count, roles.type) : 0;
    const bool one_buffer = roles.count2 < 0;
    received.bytes = receives ? message_bytes(call, one_buffer ? roles.count : roles.count2,
                                              one_buffer ? roles.type : roles.type2, result)
                              : 0;
  }
  const bool agree =
      sent.peer == received.peer && sent.tag == received.tag && sent.bytes == received.bytes;
  if (!agree) write(call.function, sent);
  write(call.function, received);
}

void record_collective(const Call& call, std::uint64_t end, long result) {
  const Roles& roles = kFunctions[call.function].roles;
  const Sizes sizes =
      roles.shape != Shape::kNone && is_valid(result) ? sizes_of(roles, call.arguments) : Sizes();
  auto flags = static_cast<std::uint8_t>(sizes.size > 0 ? roles.shape : Shape::kNone);
  std::int32_t root = roles.root < 0 ? kNobody : rank_in(call.arguments[roles.root]);
  if (roles.root >= 0 && is_root_of_other_group(call.arguments[roles.root])) root = wire::kMpiRoot;
  if (root != kNobody) flags |= wire::kMpiHasRoot;
  if (sizes.is_in_place) flags |= wire::kMpiIsInPlace;
  write(call.function,
        wire::MpiCollectiveRecord{.header = header_of<wire::MpiCollectiveRecord>(
                                      wire::RecordType::kMpiCollective, call.function, flags),
                                  .start = call.start,
                                  .end = end,
                                  .comm = handle(argument_of(call, roles.comm)),
                                  .request = request_of(call, result),
                                  .send_bytes = sizes.send,
                                  .receive_bytes = sizes.receive,
                                  .root = root,
                                  .rank = sizes.rank,
                                  .size = sizes.size,
                                  .reserved = 0});
}

// Whether a call found a request to be done, and its status; 0: it is not known.
struct Completion {
  bool is_done = false;
  Word status = 0;
};

void record_request(const Call& call, std::uint64_t end, Word request, const Completion& found) {
  wire::MpiRequestRecord record{
      header_of<wire::MpiRequestRecord>(wire::RecordType::kMpiRequest, call.function),
      call.start,
      end,
      request,
      kNobody,
      kNobody};
  if (found.is_done) record.header.flags |= wire::kMpiIsDone;
  // The status of a request that was cancelled names nobody.
  const Envelope* envelope = envelope_in(found.status);
  if (envelope != nullptr && is_running() && !is_cancelled(found.status)) {
    record.source = envelope->source;
    record.tag = envelope->tag;
  }
  write(call.function, record);
}

std::int32_t number_at(Word pointer) {
  return pointer == 0 ? kNobody : *reinterpret_cast<const std::int32_t*>(pointer);
}

// Finds the requests that a call found to be done.
class DoneRequests {
 public:
  DoneRequests(const Call& call, std::int32_t result)
      : roles_(kFunctions[call.function].roles), arguments_(call.arguments) {
    if (result != 0 || (roles_.flag >= 0 && number_at(arguments_[roles_.flag]) == 0)) return;
    if (roles_.index >= 0)
      count_ = number_at(arguments_[roles_.index]) >= 0 ? 1 : 0;
    else if (roles_.done_count >= 0)
      count_ = static_cast<std::size_t>(
          std::max<std::int32_t>(0, number_at(arguments_[roles_.done_count])));
    else if (roles_.status >= 0 || roles_.statuses >= 0)
      count_ = call.request_count;
  }

  // `request` counts those of the call.
  Completion of(std::size_t request) const {
    if (count_ == 0) return {};
    if (roles_.index >= 0 &&
        static_cast<std::size_t>(number_at(arguments_[roles_.index])) != request)
      return {};
    if (roles_.status >= 0) return {true, arguments_[roles_.status]};
    if (roles_.indices < 0) return {true, status_at(arguments_[roles_.statuses], request)};
    const auto* indices = reinterpret_cast<const std::int32_t*>(arguments_[roles_.indices]);
    for (std::size_t i = 0; i < count_; ++i)
      if (static_cast<std::size_t>(indices[i]) == request)
        return {true, status_at(arguments_[roles_.statuses], i)};
    return {};
  }

 private:
  const Roles& roles_;
  const Word* arguments_;
  std::size_t count_ = 0;  // of requests that are done
};

// As in nsys, MPI_Waitany and MPI_Testany have one row: that of the request that they found.
void record_requests(const Call& call, std::uint64_t end, std::int32_t result) {
  const DoneRequests done(call, result);
  const bool finds_one = kFunctions[call.function].roles.index >= 0;
  bool has_row = false;
  for (std::size_t i = 0; i < call.request_count; ++i) {
    const Completion found = done.of(i);
    if (finds_one && !found.is_done) continue;
    record_request(call, end, call.requests[i], found);
    has_row = true;
  }
  if (!has_row) record_request(call, end, 0, {});
}

void define(std::uint64_t time, wire::MpiCommunicator kind, Word comm, Word parent) {
  const int saved = errno;
  wire::MpiCommunicatorRecord record{.header = {sizeof record, wire::RecordType::kMpiCommunicator,
                                                static_cast<std::uint8_t>(kind), 0},
                                     .time = time,
                                     .comm = comm,
                                     .parent = parent,
                                     .rank = has_world() ? rank_of(world()) : kNobody,
                                     .local_rank = kNobody,
                                     .size = kNobody,
                                     .group_root = kNobody};
  if (kind != wire::MpiCommunicator::kCopied) {
    record.local_rank = rank_of(comm);
    record.size = size_of(comm);
  }
  if (has_world() &&
      (kind == wire::MpiCommunicator::kMade || kind == wire::MpiCommunicator::kMerged)) {
    const Members members = members_of(comm);
    record.group_root = members.root;
    record.header.aux = members.hash;
  }
  prof_write_library_definition(&record, sizeof record);
  errno = saved;
}

void define_new(const Call& call, std::uint64_t end, long result) {
  if (!is_valid(result)) return;
  const Roles& roles = kFunctions[call.function].roles;
  const Word comm = handle_at(call.arguments[roles.new_comm], 0);
  if (is_null_communicator(comm)) return;
  auto kind = wire::MpiCommunicator::kMade;
  if (roles.is_copy)  // it may not be ready
    kind = wire::MpiCommunicator::kCopied;
  else if (is_intercommunicator(comm))
    kind = wire::MpiCommunicator::kInter;
  else if (call.function == kMPI_Intercomm_merge)
    kind = wire::MpiCommunicator::kMerged;
  define(end, kind, comm, handle(argument_of(call, roles.comm)));
}

constinit std::atomic<bool> g_has_world{false};

// MPI_COMM_WORLD is described by the first recorded call: usually that is MPI_Init.
void define_world(std::uint64_t time) {
  if (g_has_world.load(std::memory_order_relaxed) || !is_running() || !has_world() ||
      g_has_world.exchange(true, std::memory_order_relaxed))
    return;
  define(time, wire::MpiCommunicator::kWorld, world(), 0);
}

}  // namespace

std::uint64_t begin_call(std::uintptr_t frame) {
  if (prof_begin_library_call == nullptr) return 0;
  const std::uint64_t start = prof_begin_library_call(kLibrary);
  if (start == 0 || t_frame > frame) return 0;
  t_frame = frame;
  return start;
}

std::size_t count_of_requests(const Roles& roles, const Word* arguments) {
  if (roles.request >= 0) return 1;
  const auto count = static_cast<std::int32_t>(arguments[roles.count]);
  return count > 0 && static_cast<std::size_t>(count) <= kMaxRequests
             ? static_cast<std::size_t>(count)
             : 0;
}

void keep_requests(const Roles& roles, const Word* arguments, Word* handles, std::size_t count) {
  const Word array = arguments[roles.request >= 0 ? roles.request : roles.requests];
  for (std::size_t i = 0; i < count; ++i) handles[i] = handle_at(array, i);
}

void end_call(const Call& call, long result) {
  const std::uint64_t end = prof_time();
  t_frame = 0;
  const Kind kind = kFunctions[call.function].kind;
  const auto status = static_cast<std::int32_t>(result);
  if (kind == Kind::kInit && status == 0) set_running();
  if (kind == Kind::kSessionInit && status == 0) begin_session();
  define_world(end);
  switch (kind) {
    case Kind::kMessage:
      return record_message(call, end, status);
    case Kind::kExchange:
      return record_exchange(call, end, status);
    case Kind::kCollective:
      return record_collective(call, end, status);
    case Kind::kRequests:
      return record_requests(call, end, status);
    case Kind::kCommunicator:
      define_new(call, end, status);
      return record_plain(call, end, wire::kMpiOwnTable);
    case Kind::kOwn:
    case Kind::kSessionInit:
    case Kind::kSessionFinalize:
      return record_plain(call, end, wire::kMpiOwnTable);
    case Kind::kInit:
    case Kind::kFinalize:
    case Kind::kOther:
      return record_plain(call, end, 0);
  }
}

}  // namespace prof::mpi
