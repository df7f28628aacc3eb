// Replays a recorded session: the calls on as many threads as in the recording, one after another
// in the recorded order, and the records with their times moved to now.
#include <cuda.h>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <thread>
#include <vector>

#include "fake_state.hpp"
#include "modes.hpp"
#include "record_sizes.hpp"
#include "trace_format.hpp"

namespace fake {

namespace {

class Replay {
 public:
  explicit Replay(const char* path) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    if (bytes_.size() < sizeof header_) fail("it is too short");
    std::memcpy(&header_, bytes_.data(), sizeof header_);
    if (std::memcmp(header_.magic, kMagic, sizeof kMagic) != 0 || header_.format != kFormat)
      fail("it is not a recording of this format");
  }

  Json run() {
    cuInit(0);
    shift_ = now() - header_.start;
    each_item([this](const ItemHeader& item, const char* body) { count_threads(item, body); });
    std::vector<std::thread> threads;
    for (std::uint32_t index = 1; index < threads_; ++index)
      threads.emplace_back([this, index] { deliver(index); });
    deliver(0);
    for (std::thread& thread : threads) thread.join();
    return answer_;
  }

 private:
  [[noreturn]] static void fail(const char* why) {
    std::fprintf(stderr, "replay: %s\n", why);
    std::exit(2);
  }

  template <class Use>
  void each_item(Use use) const {
    for (std::size_t at = sizeof header_; at + sizeof(ItemHeader) <= bytes_.size();) {
      ItemHeader item;
      std::memcpy(&item, bytes_.data() + at, sizeof item);
      at += sizeof item;
      if (at + item.bytes > bytes_.size()) fail("it is cut off");
      use(item, bytes_.data() + at);
      at += padded(item.bytes);
    }
  }

  template <class Body>
  static Body read(const char* body) {
    Body out;
    std::memcpy(&out, body, sizeof out);
    return out;
  }

  static std::uint32_t thread_of(const ItemHeader& item, const char* body) {
    if (item.type == ItemType::kCall) return read<Call>(body).thread;
    if (item.type == ItemType::kResource) return read<Resource>(body).thread;
    return 0;
  }

  void count_threads(const ItemHeader& item, const char* body) {
    threads_ = std::max(threads_, thread_of(item, body) + 1);
  }

  // One item at a time, in order, each on its own thread.
  void deliver(std::uint32_t index) {
    std::size_t number = 0;
    each_item([&](const ItemHeader& item, const char* body) {
      const std::size_t mine = number++;
      if (thread_of(item, body) != index) return;
      std::unique_lock lock(turn_lock_);
      turn_changed_.wait(lock, [&] { return turn_ == mine; });
      play(item, body);
      ++turn_;
      turn_changed_.notify_all();
    });
  }

  void play(const ItemHeader& item, const char* body) {
    switch (item.type) {
      case ItemType::kName:
        names_[key(read<Name>(body).domain, read<Name>(body).cbid)] =
            std::string(body + sizeof(Name), item.bytes - sizeof(Name));
        return;
      case ItemType::kCall:
        return play(read<Call>(body));
      case ItemType::kResource:
        return play(read<Resource>(body));
      case ItemType::kBuffer:
        return;
      case ItemType::kRecord:
        return play_record(read<Record>(body), body + sizeof(Record));
    }
  }

  static std::uint64_t key(std::uint32_t domain, std::uint32_t id) {
    return (std::uint64_t{domain} << 32) | id;
  }

  void play(const Call& call) {
    const auto domain = static_cast<CUpti_CallbackDomain>(call.domain);
    const bool is_exit = call.site == CUPTI_API_EXIT;
    // A nested call has the correlation id of the outer one, and its own data.
    std::uint64_t& data = data_[{key(call.domain, call.cbid), call.correlation}];
    replay_call(domain, call.cbid, static_cast<CUpti_ApiCallbackSite>(call.site), call.correlation,
                call.result, &data, arguments_of(call));
    const bool runtime = domain == CUPTI_CB_DOMAIN_RUNTIME_API;
    std::uint32_t& depth = depth_[call.thread];
    if (is_exit) {
      if (runtime && depth != 0) --depth;
      const bool was_entered = data_.erase({key(call.domain, call.cbid), call.correlation}) != 0;
      if (was_entered && begun_.erase({key(call.domain, call.cbid), call.correlation}) != 0 &&
          (runtime || depth == 0))
        count("calls", names_[key(call.domain, call.cbid)]);
    } else {
      begun_[{key(call.domain, call.cbid), call.correlation}] = true;
      if (runtime) ++depth;
    }
  }

  // Handles for recorded objects; valid until the next call.
  Arguments arguments_of(const Call& call) {
    Arguments arguments{call.context, {}};
    const Parameters known = parameters_of(names_[key(call.domain, call.cbid)].c_str());
    for (int i = 0; i < 2; ++i) {
      const void*& out = arguments.parameters[i];
      const auto* as_pointer = reinterpret_cast<const void*>(call.parameters[i]);
      if (known.kinds[i] == Parameter::kStream) {
        streams_[i].id = call.parameters[i];
        out = &streams_[i];
      } else if (known.kinds[i] == Parameter::kNewEvent) {
        new_event_ = as_pointer;
        out = &new_event_;
      } else {
        out = as_pointer;
      }
    }
    return arguments;
  }

  void play(const Resource& r) {
    if (r.cbid == CUPTI_CBID_RESOURCE_CU_INIT_FINISHED) return;  // cuInit itself reports it
    Object objects[] = {{r.graph}, {r.original_graph}, {r.exec}, {r.node}, {r.original_node}};
    const auto pointer = [&](int i) { return objects[i].id == 0 ? nullptr : &objects[i]; };
    CUpti_GraphData data{};
    data.graph = reinterpret_cast<CUgraph>(pointer(0));
    data.originalGraph = reinterpret_cast<CUgraph>(pointer(1));
    data.graphExec = reinterpret_cast<CUgraphExec>(pointer(2));
    data.node = reinterpret_cast<CUgraphNode>(pointer(3));
    data.originalNode = reinterpret_cast<CUgraphNode>(pointer(4));
    resource(r.cbid, data);
    count("resources", std::to_string(r.cbid));
  }

  // Moves the record's times to the present.
  void move(std::uint8_t* record, std::size_t offset) const {
    std::uint64_t time;
    std::memcpy(&time, record + offset, sizeof time);
    if (time == 0) return;
    time = time - static_cast<std::uint64_t>(header_.clock_lag) + shift_;
    std::memcpy(record + offset, &time, sizeof time);
  }

  template <class R>
  void move_interval(std::uint8_t* record) const {
    move(record, offsetof(R, start));
    move(record, offsetof(R, end));
  }

  void set_text(std::uint8_t* record, std::size_t offset, const char* text, std::size_t length) {
    if (length == 0) return;
    const char* kept = texts_.emplace(std::string(text, length), 0).first->first.c_str();
    std::memcpy(record + offset, &kept, sizeof kept);
  }

  // ENUM_CUDA_MEMCPY_OPER of a report; 0: not a migration.
  static int migration(const std::uint8_t* record) {
    const auto kind =
        reinterpret_cast<const CUpti_ActivityUnifiedMemoryCounter2*>(record)->counterKind;
    if (kind == CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD) return 11;
    return kind == CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH ? 12 : 0;
  }

  void play_record(const Record& header, const char* body) {
    // As long as the newest layout, even if a shorter record was recorded.
    alignas(8) std::uint8_t bytes[1024] = {};
    std::memcpy(bytes, body, std::min<std::size_t>(header.size, sizeof bytes));
    const auto kind = reinterpret_cast<CUpti_Activity*>(bytes)->kind;
    const char* text = body + header.size;
    const char* table = nullptr;
    std::string what;
    switch (kind) {
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        move_interval<CUpti_ActivityKernel9>(bytes);
        set_text(bytes, offsetof(CUpti_ActivityKernel9, name), text, header.text);
        table = "kernels";
        what = std::string(text, header.text);
        break;
      case CUPTI_ACTIVITY_KIND_MEMCPY:
        move_interval<CUpti_ActivityMemcpy5>(bytes);
        table = "copies";
        what = std::to_string(reinterpret_cast<CUpti_ActivityMemcpy5*>(bytes)->copyKind);
        break;
      case CUPTI_ACTIVITY_KIND_MEMCPY2:
        move_interval<CUpti_ActivityMemcpyPtoP4>(bytes);
        table = "copies";
        what = std::to_string(reinterpret_cast<CUpti_ActivityMemcpyPtoP4*>(bytes)->copyKind);
        break;
      case CUPTI_ACTIVITY_KIND_MEMSET:
        move_interval<CUpti_ActivityMemset4>(bytes);
        break;
      case CUPTI_ACTIVITY_KIND_CONTEXT:
        note(*reinterpret_cast<CUpti_ActivityContext3*>(bytes));
        break;
      case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
        return expect(*reinterpret_cast<CUpti_ActivitySynchronization2*>(bytes));
      case CUPTI_ACTIVITY_KIND_CUDA_EVENT:
        return expect(*reinterpret_cast<CUpti_ActivityCudaEvent2*>(bytes));
      case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
        move_interval<CUpti_ActivityGraphTrace>(bytes);
        break;
      case CUPTI_ACTIVITY_KIND_OVERHEAD:
        move_interval<CUpti_ActivityOverhead>(bytes);
        break;
      case CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER:
        move_interval<CUpti_ActivityUnifiedMemoryCounter2>(bytes);
        table = migration(bytes) == 0 ? nullptr : "copies";
        what = std::to_string(migration(bytes));
        break;
      case CUPTI_ACTIVITY_KIND_MEMORY2:
        move(bytes, offsetof(CUpti_ActivityMemory3, timestamp));
        set_text(bytes, offsetof(CUpti_ActivityMemory3, name), text, header.text);
        break;
      case CUPTI_ACTIVITY_KIND_MEMORY_POOL:
        move(bytes, offsetof(CUpti_ActivityMemoryPool2, timestamp));
        break;
      case CUPTI_ACTIVITY_KIND_DEVICE:
        set_text(bytes, offsetof(CUpti_ActivityDevice4, name), text, header.text);
        break;
      default:
        break;
    }
    if (!record(bytes, sizeof bytes)) return;
    count("records", std::to_string(static_cast<int>(kind)));
    if (table != nullptr) count(table, what);
  }

  void note(const CUpti_ActivityContext3& context) {
    if (context.isGreenContext != 0) parents_[context.contextId] = context.parentContextId;
  }
  // The context that a report names: for a green context it is its parent.
  std::uint32_t context_of(std::uint32_t context) const {
    const auto green = parents_.find(context);
    return green == parents_.end() ? context : green->second;
  }

  // The records that CUPTI made of the calls. prof must make the same; it does not enable these
  // kinds.
  void expect(const CUpti_ActivitySynchronization2& sync) {
    answer_["SYNCHRONIZATION"].push_back({{"correlationId", sync.correlationId},
                                          {"syncType", static_cast<int>(sync.type)},
                                          {"contextId", context_of(sync.contextId)},
                                          {"streamId", sync.streamId},
                                          {"eventId", sync.cudaEventId},
                                          {"eventSyncId", sync.cudaEventSyncId & 0xffffffff}});
  }
  void expect(const CUpti_ActivityCudaEvent2& event) {
    answer_["CUDA_EVENT"].push_back({{"correlationId", event.correlationId},
                                     {"deviceId", event.deviceId},
                                     {"contextId", context_of(event.contextId)},
                                     {"streamId", event.streamId},
                                     {"eventId", event.eventId},
                                     {"eventSyncId", event.cudaEventSyncId & 0xffffffff}});
  }

  void count(const char* table, const std::string& what) {
    Json& counter = answer_[table][what];
    counter = counter.is_null() ? 1 : counter.get<int>() + 1;
  }

  using CallKey = std::pair<std::uint64_t, std::uint32_t>;

  std::vector<char> bytes_;
  Header header_{};
  std::uint64_t shift_ = 0;
  std::uint32_t threads_ = 1;
  std::mutex turn_lock_;
  std::condition_variable turn_changed_;
  std::size_t turn_ = 0;
  std::map<std::uint64_t, std::string> names_;
  std::map<CallKey, std::uint64_t> data_;
  std::map<CallKey, bool> begun_;
  std::map<std::uint32_t, std::uint32_t> depth_;
  std::map<std::uint32_t, std::uint32_t> parents_;  // of green contexts
  Object streams_[2] = {};
  const void* new_event_ = nullptr;
  std::map<std::string, int> texts_;
  Json answer_ = Json::object();
};

}  // namespace

// The texts are kept: the client may read them in its last flush.
Json replay(const char* path) { return (new Replay(path))->run(); }

}  // namespace fake
