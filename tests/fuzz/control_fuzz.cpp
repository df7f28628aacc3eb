// Attacks the control socket and the pipes of a session. The input connects, sends Hellos or
// something else, floods the pipes, and overwrites the arena's header. All peers are this process,
// whose pid SO_PEERCRED reports.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "common/base/log.hpp"
#include "tests/fuzz/input.hpp"
#include "tests/served_session.hpp"

using namespace prof;
using fuzz::Input;

namespace {

constexpr int kInputsPerSession = 64;
constexpr std::size_t kMaxBytes = 512;  // longer inputs only repeat the same

struct Session : session::ServedSession {
  Session() : ServedSession("/dev/shm/prof-fuzz-" + std::to_string(getpid()) + ".spool") {}
  ~Session() {
    peers.clear();
    server.close();
  }

  std::vector<base::UniqueFd> peers;
};

void connect_peer(Session& session) {
  if (session.peers.size() >= 64) session.peers.clear();
  if (base::UniqueFd peer = session.connect()) session.peers.push_back(std::move(peer));
}

wire::Hello some_hello(Input& input) {
  wire::Hello hello{};
  hello.magic = wire::kHandshakeMagic;
  hello.version = wire::kWireVersion;
  hello.kind = input.take<wire::ProcessKind>();
  hello.pid = input.take<std::int32_t>();
  hello.parent_serial = input.take<std::uint8_t>() + wire::kFirstSerial;
  const auto how = input.take<std::uint8_t>();
  hello.serial = how / 2 % 32;
  hello.program_bytes = how % 16;
  return how % 4 == 3 ? input.take<wire::Hello>() : hello;
}

void say(Session& session, Input& input, std::size_t bytes) {
  wire::Hello hello[2] = {some_hello(input), {}};
  if (!session.peers.empty())
    static_cast<void>(send(session.peers.back().get(), hello, bytes, MSG_NOSIGNAL));
}

void tell(Session& session, Input& input, std::size_t bytes) {
  const wire::Arrival arrival{.hello = some_hello(input), .program = "/bin/sh"};
  static_cast<void>(!write(session.arrivals.get(), &arrival, bytes));
}

void act(Session& session, Input& input) {
  const auto what = input.take<std::uint8_t>();
  wire::ArenaHeader& header = *session.arena;
  switch (what & 7) {
    case 0:
      return connect_peer(session);
    case 1:
      if ((what & 8) != 0) return tell(session, input, sizeof(wire::Arrival));
      return say(session, input, sizeof(wire::Hello));
    case 2:
      if ((what & 8) != 0)
        return tell(session, input, input.take<std::uint16_t>() % sizeof(wire::Arrival));
      return say(session, input, input.take<std::uint8_t>() % (2 * sizeof(wire::Hello) + 1));
    case 3: {
      const auto noise = input.take<wire::Announcement>();
      static_cast<void>(!write(session.events.get(), &noise, 1 + what % sizeof noise));
      return;
    }
    case 4:
      if (!session.peers.empty()) session.peers.erase(session.peers.begin());
      return;
    case 5:
      header.owners[what >> 3 & 7] = input.take<std::uint64_t>();
      return;
    case 6:
      header.pools[what >> 3 & 1].backed = input.take<std::uint32_t>();
      header.slots[what].dropped[0] = input.take<std::uint64_t>();
      return;
    default:
      session.server.poll();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Created before the session, because the log must still exist when the session ends.
  [[maybe_unused]] static const bool quiet = (prof::base::set_up_log("off"), true);
  static std::unique_ptr<Session> session;
  static int inputs = 0;
  if (inputs++ % kInputsPerSession == 0) {
    session.reset();
    session = std::make_unique<Session>();
  }
  for (Input input(data, std::min(size, kMaxBytes)); !input.empty();) {
    act(*session, input);
    session->handle_events();
  }
  session->server.poll();
  return 0;
}
