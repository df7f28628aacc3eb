// The sockets and the event pipe of a session against hostile peers: the input connects, says
// Hellos or something else, floods the pipe, spoils the arena's header. Everything is real but the
// peers, which are this process: so is the pid that SO_PEERCRED gives.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "collector/base/log.hpp"
#include "collector/session/target_server.hpp"
#include "tests/fuzz/input.hpp"

using namespace prof;
using fuzz::Input;

namespace {

constexpr int kInputsPerSession = 64;
constexpr std::size_t kMostBytes = 512;  // longer inputs only do the same more often

// One session, as record() sets it up.
struct Session {
  Session()
      : directory(*session::SessionDirectory::create()),
        spool("/dev/shm/prof-fuzz-" + std::to_string(getpid()) + ".spool"),
        recorder(make_spool(spool)),
        server(options, *session::ControlServer::create(directory), make_arena(arena), recorder,
               stacks, loop, true, 1e9),
        control(address_of(directory.file(wire::kControlSocketName))),
        pipe(open_pipe(wire::kEventPipeName)) {
    if (server.leave_standing_reply(directory)) arrivals = open_pipe(wire::kArrivalPipeName);
  }
  ~Session() {
    peers.clear();
    server.close();
    unlink(spool.c_str());
  }

  static ingest::SpoolWriter make_spool(const std::string& path) {
    unlink(path.c_str());
    return *ingest::SpoolWriter::create(path);
  }
  static ingest::Arena make_arena(wire::ArenaHeader*& header) {
    auto made = *ingest::Arena::create({8, 4}, {16, 8});
    header = made.header();
    return made;
  }
  base::UniqueFd open_pipe(const char* name) const {
    return base::UniqueFd(open(directory.file(name).c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  }
  static sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    return address;
  }

  session::SessionOptions options;
  session::SessionDirectory directory;
  std::string spool;
  session::EventLoop loop;
  wire::ArenaHeader* arena = nullptr;
  session::Recorder recorder;
  session::CallStacks stacks;
  session::TargetServer server;
  sockaddr_un control;
  base::UniqueFd pipe;
  base::UniqueFd arrivals;
  std::vector<base::UniqueFd> peers;
};

void connect_peer(Session& session) {
  if (session.peers.size() >= 64) session.peers.clear();
  base::UniqueFd peer(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (connect(peer.get(), reinterpret_cast<const sockaddr*>(&session.control),
              sizeof session.control) == 0)
    session.peers.push_back(std::move(peer));
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
      static_cast<void>(!write(session.pipe.get(), &noise, 1 + what % sizeof noise));
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
  // Before the session: the log has to be there still when the session ends.
  [[maybe_unused]] static const bool quiet = (prof::base::set_up_log("off"), true);
  static std::unique_ptr<Session> session;
  static int inputs = 0;
  if (inputs++ % kInputsPerSession == 0) {
    session.reset();
    session = std::make_unique<Session>();
  }
  for (Input input(data, std::min(size, kMostBytes)); !input.empty();) {
    act(*session, input);
    session->loop.wait(std::chrono::milliseconds(0), [&](int fd) { session->server.handle(fd); });
  }
  session->server.poll();
  return 0;
}
