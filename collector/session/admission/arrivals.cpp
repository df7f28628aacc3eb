#include "collector/session/admission/arrivals.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace prof::session {

using base::UniqueFd;

namespace {

// The default limit of a user, enough for about 2,000 processes.
constexpr int kWantedCapacity = 1 << 20;
constexpr std::size_t kReadBytes = 1 << 16;

bool is_arrival(const wire::Arrival& arrival) {
  const wire::Hello& hello = arrival.hello;
  return hello.magic == wire::kHandshakeMagic && hello.version == wire::kWireVersion &&
         hello.pid > 0 && hello.program_bytes <= sizeof arrival.program;
}

}  // namespace

base::Result<Arrivals> Arrivals::create(const SessionDirectory& directory,
                                        wire::ArenaHeader* arena) {
  auto pipe = directory.make_pipe(wire::kArrivalPipeName);
  if (!pipe) return tl::make_unexpected(pipe.error());
  // The kernel refuses this to a user who has many pipes.
  static_cast<void>(fcntl(pipe->get(), F_SETPIPE_SZ, kWantedCapacity));
  const int capacity = fcntl(pipe->get(), F_GETPIPE_SZ);
  return Arrivals(std::move(*pipe), capacity > 0 ? static_cast<std::size_t>(capacity) : kReadBytes,
                  arena);
}

Arrivals::Arrivals(UniqueFd pipe, std::size_t capacity, wire::ArenaHeader* arena)
    : pipe_(std::move(pipe)),
      capacity_(capacity),
      arena_(arena),
      bytes_(std::make_unique_for_overwrite<std::byte[]>(kReadBytes + sizeof(wire::Arrival))) {}

void Arrivals::watch() { arena_->arrivals_watched.store(1, std::memory_order_relaxed); }

void Arrivals::take(const Take& take) {
  // The slots are read before the pipe, because a process writes to the pipe before it has
  // children.
  const std::vector<wire::Hello> forks = in_slots();
  auto next = forks.begin();
  const auto take_forks_below = [&](std::uint32_t serial) {
    for (; next != forks.end() && next->serial < serial; ++next) take(*next, {});
  };
  for (std::size_t taken = 0; taken < capacity_;) {
    const ssize_t bytes = read(pipe_.get(), bytes_.get() + held_, kReadBytes);
    if (bytes <= 0) break;
    held_ += static_cast<std::size_t>(bytes);
    taken += static_cast<std::size_t>(bytes);
    take_held([&](const wire::Hello& hello, std::string_view program) {
      take_forks_below(hello.serial);
      take(hello, program);
    });
  }
  take_forks_below(~std::uint32_t{0});
}

std::vector<wire::Hello> Arrivals::in_slots() {
  std::vector<wire::Hello> found;
  // A process may arrive at a slot that was looked at already, and fork a child whose slot was not.
  // So the slots are looked at until nothing new is found, but only a few times.
  constexpr int kMaxLooks = 8;
  for (int i = 0; i < kMaxLooks; ++i) {
    const std::size_t before = found.size();
    for (std::uint32_t slot = 0; slot < wire::kSharedSlot; ++slot) {
      wire::SlotOwner& owner = arena_->slot_owners[slot];
      if (owner.arrived.load(std::memory_order_relaxed) == 0) continue;
      wire::Hello hello{};
      hello.kind = wire::ProcessKind::kFork;
      hello.time = owner.arrived.exchange(0, std::memory_order_acquire);
      hello.serial = owner.serial.load(std::memory_order_relaxed);
      hello.parent_serial = owner.parent_serial.load(std::memory_order_relaxed);
      hello.pid = owner.pid.load(std::memory_order_relaxed);
      hello.ppid = owner.ppid.load(std::memory_order_relaxed);
      hello.slot = slot;
      if (hello.pid > 0)
        found.push_back(hello);
      else
        ++misunderstood_;
    }
    if (found.size() == before) break;
  }
  std::sort(found.begin(), found.end(),
            [](const wire::Hello& a, const wire::Hello& b) { return a.serial < b.serial; });
  return found;
}

void Arrivals::take_held(const Take& take) {
  std::size_t at = 0;
  while (held_ - at >= sizeof(wire::Arrival)) {
    wire::Arrival arrival;
    std::memcpy(&arrival, bytes_.get() + at, sizeof arrival);
    if (is_arrival(arrival)) {
      take(arrival.hello, {arrival.program, arrival.hello.program_bytes});
      at += sizeof arrival;
      continue;
    }
    // This is not an arrival. Continue where the next one may start.
    ++misunderstood_;
    const auto* begin = reinterpret_cast<const char*>(bytes_.get());
    const auto* magic = reinterpret_cast<const char*>(&wire::kHandshakeMagic);
    at = static_cast<std::size_t>(
        std::search(begin + at + 1, begin + held_, magic, magic + sizeof wire::kHandshakeMagic) -
        begin);
  }
  std::memmove(bytes_.get(), bytes_.get() + at, held_ - at);
  held_ -= at;
}

}  // namespace prof::session
