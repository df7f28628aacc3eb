// The records: written into the client's buffers, and delivered to the client.
#include <algorithm>
#include <chrono>

#include "fake_state.hpp"
#include "record_sizes.hpp"

namespace fake {

SizedRecord::SizedRecord(const void* given, std::size_t given_size) {
  size = record_size(static_cast<const CUpti_Activity*>(given)->kind, misbehaviour().version);
  std::memcpy(bytes, given, std::min(given_size, size));
}

namespace {

// Called with the lock held. The bytes after a record are not zero, as in the real CUPTI.
bool open_buffer(State& s) {
  std::uint8_t* memory = nullptr;
  std::size_t size = 0;
  std::size_t records = 0;
  s.request(&memory, &size, &records);
  if (memory == nullptr || size == 0) return false;
  std::memset(memory, 0xaa, size);
  s.current = std::make_shared<ActivityBuffer>(ActivityBuffer{memory, size});
  return true;
}

// Called with the lock held. Returns the place of the record, or null if it was dropped.
std::uint8_t* put(State& s, const void* bytes, std::size_t size) {
  if (s.current && s.current->valid + size > s.current->size) {
    s.full.push_back(std::move(s.current));
    s.wake.notify_one();
  }
  if (!s.current && !open_buffer(s)) {
    ++s.dropped;
    return nullptr;
  }
  std::uint8_t* place = s.current->memory + s.current->valid;
  std::memcpy(place, bytes, size);
  s.current->valid += size;
  ++s.current->records;
  return place;
}

bool is_counted(const State& s, const CUpti_ActivityUnifiedMemoryCounter3& record) {
  return s.counters.test(static_cast<std::size_t>(record.counterKind));
}

bool is_wanted(const State& s, const void* bytes) {
  const auto kind = static_cast<const CUpti_Activity*>(bytes)->kind;
  if (s.complete == nullptr || !s.kinds.test(static_cast<std::size_t>(kind))) return false;
  return kind != CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER ||
         is_counted(s, *static_cast<const CUpti_ActivityUnifiedMemoryCounter3*>(bytes));
}

void put_unknown(State& s) {
  alignas(8) std::uint8_t bytes[kUnknownKindSize] = {};
  reinterpret_cast<CUpti_Activity*>(bytes)->kind = static_cast<CUpti_ActivityKind>(kUnknownKind);
  put(s, bytes, sizeof bytes);
}

bool is_gpu_work(const SizedRecord& record) {
  const auto kind = reinterpret_cast<const CUpti_Activity*>(record.bytes)->kind;
  return kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL || kind == CUPTI_ACTIVITY_KIND_MEMCPY ||
         kind == CUPTI_ACTIVITY_KIND_MEMSET;
}

// Called with the lock held. Returns false if the hardware trace has no room.
bool hold(State& s, const SizedRecord& record) {
  if (s.held.size() < misbehaviour().hardware_records) {
    s.held.push_back(record);
    return true;
  }
  ++s.dropped;
  s.is_hardware_full = true;
  return false;
}

std::uint8_t* take(State& s, const SizedRecord& record) {
  if (!is_wanted(s, record.bytes)) return nullptr;
  std::uint8_t* place = put(s, record.bytes, record.size);
  if (misbehaviour().unknown_kind && ++s.taken % 4 == 0) put_unknown(s);
  return place;
}

void hand_over(State& s, const std::list<BufferPointer>& buffers) {
  for (const BufferPointer& buffer : buffers) {
    s.complete(nullptr, 0, buffer->memory, buffer->size, buffer->valid);
    s.delivered += buffer->records;
  }
}

// Called with the lock held. Returns the buffers that may be delivered.
std::list<BufferPointer> collect(State& s, bool forced, bool current_too) {
  std::list<BufferPointer> out;
  for (auto i = s.full.begin(); i != s.full.end();) {
    if (forced || (*i)->unfinished == 0) {
      out.push_back(std::move(*i));
      i = s.full.erase(i);
    } else {
      ++i;
    }
  }
  if (current_too && s.current && (forced || s.current->unfinished == 0))
    out.push_back(std::move(s.current));
  return out;
}

// Called with the lock held. Moves what the hardware trace holds into buffers, and hands them over
// as they become full.
void empty_hardware(State& s, std::unique_lock<std::mutex>& lock) {
  constexpr std::size_t kAtOnce = 50'000;
  while (!s.held.empty()) {
    const std::size_t records = std::min(kAtOnce, s.held.size());
    const std::vector<SizedRecord> some(s.held.end() - static_cast<std::ptrdiff_t>(records),
                                        s.held.end());
    s.held.resize(s.held.size() - records);
    for (const SizedRecord& record : some) put(s, record.bytes, record.size);
    const auto full = collect(s, false, false);
    lock.unlock();
    hand_over(s, full);
    lock.lock();
  }
}

bool has_ready(const State& s) {
  return !s.outgoing.empty() || std::any_of(s.full.begin(), s.full.end(), [](const auto& buffer) {
    return buffer->unfinished == 0;
  });
}

// CUPTI's own thread: delivers full buffers, makes periodic flushes, and flushes that others wait
// for.
void work() {
  State& s = state();
  std::unique_lock lock(s.lock);
  for (;;) {
    // system_clock, so that the oldest wait function of glibc is used.
    const std::uint32_t period = s.period;
    const auto rest = std::chrono::milliseconds(period == 0 ? 3'600'000 : period);
    const bool is_due = !s.wake.wait_until(lock, std::chrono::system_clock::now() + rest,
                                           [&] { return has_ready(s) || s.period != period; });
    if (is_due && s.period != 0) empty_hardware(s, lock);
    s.outgoing.splice(s.outgoing.end(), collect(s, false, is_due && s.period != 0));
    const auto ready = std::move(s.outgoing);
    s.outgoing.clear();
    s.is_handing = true;
    lock.unlock();
    hand_over(s, ready);
    lock.lock();
    s.is_handing = false;
    s.handed.notify_all();
  }
}

// Delivers buffers that are not full too, so that a small program sees the flush.
void deliver_here(State& s) {
  constexpr std::size_t kEnough = 10;
  std::unique_lock lock(s.lock);
  const auto ready = collect(s, false, s.current && s.current->records >= kEnough);
  lock.unlock();
  hand_over(s, ready);
}

}  // namespace

void start_worker() {
  if (!misbehaviour().on_app_thread) std::thread(work).detach();
}

// CUPTI 13 also delivers the buffers of a flush on its own thread, and waits for it. A fork child
// lacks this thread and would wait forever.
void flush(bool forced) {
  hand_over_to_subscribers();
  State& s = state();
  std::unique_lock lock(s.lock);
  empty_hardware(s, lock);
  auto ready = collect(s, forced, true);
  if (misbehaviour().on_app_thread || getpid() != s.pid) {
    lock.unlock();
    return hand_over(s, ready);
  }
  s.outgoing.splice(s.outgoing.end(), ready);
  s.wake.notify_one();
  s.handed.wait(lock, [&s] { return s.outgoing.empty() && !s.is_handing; });
  if (misbehaviour().busy && !s.current && s.kinds.test(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL))
    open_buffer(s);
}

std::size_t buffers_of_client() {
  State& s = state();
  return s.full.size() + (s.current ? 1 : 0);
}

bool record(const void* bytes, std::size_t size) {
  State& s = state();
  const SizedRecord sized(bytes, size);
  const bool shared = record_for_subscribers(sized.bytes, sized.size);
  std::unique_lock lock(s.lock);
  const bool held = s.has_hardware_trace && is_wanted(s, sized.bytes) && is_gpu_work(sized);
  const bool taken = held ? hold(s, sized) : take(s, sized) != nullptr;
  lock.unlock();
  report_full_hardware();
  if (misbehaviour().on_app_thread) deliver_here(s);
  return taken || shared;
}

UnfinishedKernel::UnfinishedKernel(const CUpti_ActivityKernel10& kernel) : kernel_(kernel) {
  State& s = state();
  const std::lock_guard lock(s.lock);
  const std::uint8_t* place = take(s, SizedRecord(&kernel, sizeof kernel));
  if (place == nullptr) return;
  buffer_ = s.current;
  offset_ = static_cast<std::size_t>(place - buffer_->memory);
  ++buffer_->unfinished;
}

void UnfinishedKernel::complete(std::uint64_t start, std::uint64_t end) {
  kernel_.start = start;
  kernel_.end = end;
  const SizedRecord sized(&kernel_, sizeof kernel_);
  record_for_subscribers(sized.bytes, sized.size);
  State& s = state();
  const std::lock_guard lock(s.lock);
  if (!buffer_ || buffer_.use_count() == 1) return;  // delivered already
  auto* kernel = reinterpret_cast<CUpti_ActivityKernel9*>(buffer_->memory + offset_);
  kernel->start = start;
  kernel->end = end;
  --buffer_->unfinished;
}

std::size_t held_records() {
  State& s = state();
  const std::lock_guard lock(s.lock);
  return s.held.size();
}

std::size_t delivered_records() { return state().delivered; }

}  // namespace fake
