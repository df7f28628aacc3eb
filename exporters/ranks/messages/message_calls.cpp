#include "exporters/ranks/messages/message_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/ranks/collectives/mpi_communicators.hpp"

namespace prof::ranks {

using base::Result;
using base::Status;

namespace {

constexpr const char* kRequestTable = "MPI_START_WAIT_EVENTS";
constexpr std::int64_t kUnknown = -1;

// Selects calls that have ended: a row without an end has NULL, and none has this number.
report::RowCondition has_end() { return {"end", {INT64_MAX}, false}; }

enum class Direction : std::uint8_t { kSend, kReceive, kBoth };

// What an MPI function does with a message.
struct MessageFunction {
  Direction direction = Direction::kSend;
  bool is_persistent = false;  // each MPI_Start makes a message
};

MessageFunction function_of(std::string_view name) {
  MessageFunction result;
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("endrecv"))
    result.direction = Direction::kBoth;
  else if (has("recv") || has("Recv"))
    result.direction = Direction::kReceive;
  result.is_persistent = has("_init");
  return result;
}

// A row of MPI's messages.
struct MessageRow {
  events::Times times;
  std::int64_t global_tid;
  std::int64_t communicator;  // handle
  std::int64_t request;       // handle; 0: none
  std::int64_t peer;
  std::int64_t tag;
  std::int64_t bytes;
  MessageFunction function;
};

// What happens to a request of MPI.
struct RequestEvent {
  enum class Kind : std::uint8_t { kMade, kStarted, kDone };
  std::int64_t start;
  std::int64_t end;
  std::int64_t global_tid;
  std::size_t row;  // of kMade
  Kind kind;
};

class MessageReader {
 public:
  MessageReader(const report::ReportReader& reader, const std::vector<ReportRank>& ranks)
      : reader_(reader), ranks_(ranks), strings_(reader) {}

  Result<ReportMessages> read(const std::vector<insight::CollectiveCall>& nccl) {
    for (const insight::CollectiveCall& each : nccl) add_nccl(each);
    if (reader_.has_table(events::kPointToPointTable))
      if (const Status read = read_mpi(); !read) return tl::make_unexpected(read.error());
    for (auto& [key, sequence] : sequences_) {
      sequence.has_gaps =
          !sequence.is_send && incomplete_.contains({std::get<0>(key), std::get<1>(key)});
      if (!std::ranges::is_sorted(sequence.messages, {}, &Message::start))
        std::ranges::stable_sort(sequence.messages, {}, &Message::start);
      result_.sequences.push_back(std::move(sequence));
    }
    return std::move(result_);
  }

 private:
  void add(std::int64_t process, std::string_view communicator, const MessageSequence& of,
           const Message& message) {
    if (add_to_recent(process, communicator, of, message)) return;
    const auto place = place_of(ranks_, process);
    if (!place) return;
    const ReportRank& rank = ranks_[*place];
    std::string name = fmt::format("{}/{}/{}", rank.unit.job, rank.attempt, communicator);
    if (of.own < 0 || of.peer < 0) {
      ++result_.unknown;
      if (!of.is_send) incomplete_.emplace(process, std::move(name));
      return;
    }
    MessageSequence& sequence = sequences_[{process, name, of.is_send, of.peer, of.tag}];
    if (sequence.messages.empty()) {
      sequence = of;
      sequence.communicator = std::move(name);
      sequence.place = *place;
      sequence.global_pid = process;
    }
    sequence.messages.push_back(message);
    recent_[slot_of(process, of)] = {process, std::string(communicator), &sequence};
  }

  // Adds a message to a sequence that had one not long ago. Returns false if there is none.
  bool add_to_recent(std::int64_t process, std::string_view communicator, const MessageSequence& of,
                     const Message& message) {
    const Recent& recent = recent_[slot_of(process, of)];
    if (recent.sequence == nullptr || recent.process != process ||
        recent.communicator != communicator || recent.sequence->is_send != of.is_send ||
        recent.sequence->own != of.own || recent.sequence->peer != of.peer ||
        recent.sequence->tag != of.tag)
      return false;
    recent.sequence->messages.push_back(message);
    return true;
  }

  static std::size_t slot_of(std::int64_t process, const MessageSequence& of) {
    std::size_t hash = 0;
    for (const std::int64_t part : {process, of.peer, of.tag, std::int64_t{of.is_send}})
      hash = (hash ^ static_cast<std::size_t>(part)) * 0x9e3779b97f4a7c15;
    return (hash >> 32) % kRecent;
  }

  void add_nccl(const insight::CollectiveCall& call) {
    MessageSequence of;
    of.source = CallSource::kPayloads;
    of.is_send = call.name == "Send";
    of.own = call.own_rank;
    of.peer = call.peer;
    add(events::global_pid_of(call.global_tid), fmt::format("{:#x}", call.communicator), of,
        {call.gpu_start, call.gpu_start, call.gpu_end, call.bytes, call.global_tid,
         call.global_tid});
  }

  Status read_mpi() {
    auto communicators = MpiCommunicators::read(reader_);
    if (!communicators) return tl::make_unexpected(communicators.error());
    communicators_ = *std::move(communicators);
    if (const Status read = read_rows(); !read) return read;
    mark_halves();
    if (const Status read = read_requests(); !read) return read;
    for (const MessageRow& row : rows_)
      if (row.request == 0 && !row.function.is_persistent)
        add(row, {row.times.start, row.global_tid}, row.times, row.global_tid);
    for (auto& [key, events] : requests_) follow(events);
    return {};
  }

  Status read_rows() {
    const Status read = events::for_each_event(
        reader_,
        {events::kPointToPointTable,
         {"globalTid", "textId", "commHandle", "requestHandle", "remoteRank", "tag", "size"},
         has_end()},
        [&](const events::Times& times, const report::Row& row) {
          rows_.push_back({times, row.integer(0), row.integer_or(2, 0), row.integer_or(3, 0),
                           row.integer_or(4, kUnknown), row.integer_or(5, kUnknown),
                           row.integer_or(6, kUnknown),
                           function_of_text(row.integer_or(1, events::Strings::kNone))});
        });
    sort_rows();
    return read;
  }

  // Sorts by thread and start. The rows of one thread mostly are in order, so this first collects
  // those of each thread.
  void sort_rows() {
    std::map<std::int64_t, std::vector<MessageRow>> threads;
    for (const MessageRow& row : rows_) threads[row.global_tid].push_back(row);
    rows_.clear();
    const auto start = [](const MessageRow& row) { return row.times.start; };
    for (auto& [thread, of_thread] : threads) {
      if (!std::ranges::is_sorted(of_thread, {}, start))
        std::ranges::stable_sort(of_thread, {}, start);
      rows_.insert(rows_.end(), of_thread.begin(), of_thread.end());
      of_thread = {};
    }
  }

  const MessageFunction& function_of_text(std::int64_t id) {
    const auto [known, is_new] = functions_.try_emplace(id);
    if (is_new) known->second = function_of(strings_.text(id));
    return known->second;
  }

  // A call of MPI_Sendrecv has two rows with the same start, of which the first one sends and ends
  // at once. It has one row if both halves are equal.
  void mark_halves() {
    for (std::size_t i = 0; i + 1 < rows_.size(); ++i) {
      MessageRow& first = rows_[i];
      MessageRow& second = rows_[i + 1];
      if (first.function.direction != Direction::kBoth ||
          second.function.direction != Direction::kBoth || first.global_tid != second.global_tid ||
          first.times.start != second.times.start)
        continue;
      first.function.direction = Direction::kSend;
      second.function.direction = Direction::kReceive;
      ++i;
    }
  }

  // What a request is called in a process.
  using RequestKey = std::pair<std::int64_t, std::int64_t>;  // globalPid and handle

  struct HashRequest {
    std::size_t operator()(const RequestKey& key) const {
      return (static_cast<std::size_t>(key.first) * 0x9e3779b97f4a7c15) ^
             static_cast<std::size_t>(key.second);
    }
  };

  Status read_requests() {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const MessageRow& row = rows_[i];
      if (row.request == 0) continue;
      const RequestKey key{events::global_pid_of(row.global_tid), row.request};
      std::vector<RequestEvent>*& events = events_of_request_[key];
      if (events == nullptr) events = &requests_[key];
      events->push_back(
          {row.times.start, row.times.end, row.global_tid, i, RequestEvent::Kind::kMade});
    }
    if (requests_.empty() || !reader_.has_table(kRequestTable)) return {};
    const Status read = events::for_each_event(
        reader_, {kRequestTable, {"globalTid", "textId", "requestHandle"}, has_end()},
        [&](const events::Times& times, const report::Row& row) {
          const std::int64_t tid = row.integer(0);
          const auto found =
              events_of_request_.find({events::global_pid_of(tid), row.integer_or(2, kUnknown)});
          if (found == events_of_request_.end()) return;
          const std::string& name = strings_.text(row.integer_or(1, events::Strings::kNone));
          found->second->push_back({times.start, times.end, tid, 0,
                                    name.starts_with("MPI_Start") ? RequestEvent::Kind::kStarted
                                                                  : RequestEvent::Kind::kDone});
        });
    for (auto& [key, events] : requests_)
      if (!std::ranges::is_sorted(events, {}, &RequestEvent::start))
        std::ranges::stable_sort(events, {}, &RequestEvent::start);
    return read;
  }

  // A handle can stand for one request after the other. The last call that waits for it or tests it
  // before it is used again is the one that found it done.
  void follow(const std::vector<RequestEvent>& events) {
    const RequestEvent* made = nullptr;
    const RequestEvent* begun = nullptr;  // the message that is on its way
    const RequestEvent* done = nullptr;
    const auto finish = [&] {
      if (made != nullptr && begun != nullptr) add(*made, *begun, done);
      begun = done = nullptr;
    };
    for (const RequestEvent& each : events) {
      if (each.kind == RequestEvent::Kind::kDone) {
        done = &each;
        continue;
      }
      if (each.kind == RequestEvent::Kind::kStarted && made == nullptr) continue;
      finish();
      if (each.kind == RequestEvent::Kind::kMade) made = &each;
      if (each.kind == RequestEvent::Kind::kStarted || !rows_[each.row].function.is_persistent)
        begun = &each;
    }
    finish();
  }

  // `done` is null if no call found it done.
  void add(const RequestEvent& made, const RequestEvent& begun, const RequestEvent* done) {
    const RequestEvent& last = done != nullptr ? *done : begun;
    add(rows_[made.row], {begun.start, begun.global_tid}, {last.start, last.end}, last.global_tid,
        done != nullptr);
  }

  struct Beginning {
    std::int64_t time;
    std::int64_t global_tid;
  };

  void add(const MessageRow& row, const Beginning& begin, const events::Times& wait,
           std::int64_t wait_tid, bool is_end_known = true) {
    const std::int64_t process = events::global_pid_of(row.global_tid);
    const auto& communicator = communicators_.of(process, row.communicator, row.times.start);
    MessageSequence of;
    of.own = communicator.own.value_or(kUnknown);
    of.peer = row.tag == kUnknown ? kUnknown : row.peer;
    of.tag = row.tag;
    Message message{begin.time,       wait.start, wait.end,    row.bytes,
                    begin.global_tid, wait_tid,   is_end_known};
    if (row.function.direction != Direction::kSend) add(process, communicator.text, of, message);
    if (row.function.direction == Direction::kReceive) return;
    of.is_send = true;
    // When the half of a call that sends is done is unknown.
    if (row.function.direction == Direction::kBoth) message.end = message.wait_start = begin.time;
    add(process, communicator.text, of, message);
  }

  // A sequence that was used not long ago, and the communicator's name in its process.
  struct Recent {
    std::int64_t process = 0;
    std::string communicator;
    MessageSequence* sequence = nullptr;
  };
  static constexpr std::size_t kRecent = 4096;

  // Process, communicator, whether it sends, the other rank, and the tag.
  using Key = std::tuple<std::int64_t, std::string, bool, std::int64_t, std::int64_t>;

  const report::ReportReader& reader_;
  const std::vector<ReportRank>& ranks_;
  events::Strings strings_;
  MpiCommunicators communicators_;
  std::vector<MessageRow> rows_;
  std::unordered_map<std::int64_t, MessageFunction> functions_;  // by StringIds.id of the name
  std::map<RequestKey, std::vector<RequestEvent>> requests_;
  std::unordered_map<RequestKey, std::vector<RequestEvent>*, HashRequest> events_of_request_;
  std::map<Key, MessageSequence> sequences_;
  std::vector<Recent> recent_ = std::vector<Recent>(kRecent);
  std::set<std::pair<std::int64_t, std::string>> incomplete_;  // process and communicator
  ReportMessages result_;
};

}  // namespace

Result<ReportMessages> read_messages(const report::ReportReader& reader,
                                     const std::vector<ReportRank>& ranks,
                                     const std::vector<insight::CollectiveCall>& nccl) {
  return MessageReader(reader, ranks).read(nccl);
}

}  // namespace prof::ranks
