#include "collector/session/admission/arrivals.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace prof::session {

using base::UniqueFd;

namespace {

constexpr int kWantedCapacity = 1 << 20;  // the default limit of a user: some 2,000 processes
constexpr std::size_t kReadBytes = 1 << 16;

bool is_arrival(const wire::Arrival& arrival) {
  const wire::Hello& hello = arrival.hello;
  return hello.magic == wire::kHandshakeMagic && hello.version == wire::kWireVersion &&
         hello.pid > 0 && hello.program_bytes <= sizeof arrival.program;
}

}  // namespace

base::Result<Arrivals> Arrivals::create(const SessionDirectory& directory) {
  auto pipe = directory.make_pipe(wire::kArrivalPipeName);
  if (!pipe) return tl::make_unexpected(pipe.error());
  // The kernel refuses this to a user who has many pipes.
  static_cast<void>(fcntl(pipe->get(), F_SETPIPE_SZ, kWantedCapacity));
  const int capacity = fcntl(pipe->get(), F_GETPIPE_SZ);
  return Arrivals(std::move(*pipe), capacity > 0 ? static_cast<std::size_t>(capacity) : kReadBytes);
}

Arrivals::Arrivals(UniqueFd pipe, std::size_t capacity)
    : pipe_(std::move(pipe)),
      capacity_(capacity),
      bytes_(std::make_unique_for_overwrite<std::byte[]>(kReadBytes + sizeof(wire::Arrival))) {}

void Arrivals::take(const std::function<void(const wire::Arrival&)>& take) {
  for (std::size_t taken = 0; taken < capacity_;) {
    const ssize_t bytes = read(pipe_.get(), bytes_.get() + held_, kReadBytes);
    if (bytes <= 0) return;
    held_ += static_cast<std::size_t>(bytes);
    taken += static_cast<std::size_t>(bytes);
    take_held(take);
  }
}

void Arrivals::take_held(const std::function<void(const wire::Arrival&)>& take) {
  std::size_t at = 0;
  while (held_ - at >= sizeof(wire::Arrival)) {
    wire::Arrival arrival;
    std::memcpy(&arrival, bytes_.get() + at, sizeof arrival);
    if (is_arrival(arrival)) {
      take(arrival);
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
