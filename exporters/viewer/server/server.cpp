#include "exporters/viewer/server/server.hpp"

#include <boost/asio/signal_set.hpp>
#include <boost/system/system_error.hpp>
#include <csignal>
#include <memory>

#include "common/http/server.hpp"
#include "exporters/viewer/server/compression.hpp"
#include "exporters/viewer/server/request_rules.hpp"
#include "exporters/viewer/server/site.hpp"
#include "exporters/viewer/server/worker_pools.hpp"

namespace prof::view {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;

namespace {

// The time in which a client has to send the token.
constexpr std::chrono::milliseconds kPatience{250};

bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

class ViewServer final : public Server {
 public:
  ViewServer(const ServerOptions& options, const Site& site)
      : address_{0, options.token, options.allowed_hosts}, site_(site) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
      if (!is_ignored(signal)) signals_.add(signal);
    signals_.async_wait([this](ErrorCode error, int) {
      if (!error) http_.stop();
    });
  }

  ErrorCode listen(std::uint16_t port);
  std::uint16_t port() const override { return address_.port; }
  void run() override { http_.run(); }

 private:
  static http::Fields fields();
  void answer(const http::RequestHead& head, std::shared_ptr<http::Connection> connection);

  Address address_;
  const Site& site_;
  http::Server http_{
      {.answer = [this](const auto& head, auto connection) { answer(head, std::move(connection)); },
       .fields = fields(),
       .patience = kPatience}};
  asio::signal_set signals_{http_.io()};
  WorkerPools pools_;  // the last member: its destructor waits for the answers in progress
};

http::Fields ViewServer::fields() {
  http::Fields fields = security_fields();
  fields.emplace_back("Cache-Control", "no-store");
  fields.emplace_back("Vary", "Accept-Encoding");
  return fields;
}

// Listens on both addresses of "localhost", because a browser can try either. If another user's
// program had the port at one of them, it would learn the token.
ErrorCode ViewServer::listen(std::uint16_t port) {
  if (const ErrorCode error = http_.listen({asio::ip::address_v4::loopback(), port})) return error;
  address_.port = http_.port();
  const ErrorCode error = http_.listen({asio::ip::address_v6::loopback(), address_.port});
  // All other errors mean that the machine has no IPv6.
  return error == asio::error::address_in_use ? error : ErrorCode();
}

void ViewServer::answer(const http::RequestHead& head,
                        std::shared_ptr<http::Connection> connection) {
  const bool is_packed = accepts_gzip(head);
  const auto reply = [&](http::Reply reply) {
    if (is_packed) compress(reply);
    http::Connection::reply(std::move(connection), std::move(reply));
  };
  const Decision decision = decide(head, address_);
  if (!decision.allowed())
    return reply({decision.status, decision.reason.empty() ? "" : "text/plain; charset=utf-8",
                  std::string(decision.reason)});
  connection->set_known();
  Route route = site_.find(decision.path);
  if (!route.work)
    return reply(route.file != nullptr ? reply_of(*route.file) : http::Reply{404, {}, {}});
  const Queue queue = route.work->queue;
  pools_.post(queue, [is_packed, connection = std::move(connection), work = *std::move(route.work),
                      parameters = Parameters::parse(decision.query)]() mutable {
    // The page cancels requests for what is not visible any more.
    http::Reply reply;
    if (!connection->is_abandoned()) reply = reply_of(work.make(parameters));
    // On one machine it takes longer to compress a tile than to send it. The page asks for it if
    // the server is far.
    if (is_packed && (work.queue != Queue::kTiles || parameters.has("z"))) compress(reply);
    http::Connection::reply(std::move(connection), std::move(reply));
  });
}

}  // namespace

base::Result<std::unique_ptr<Server>> Server::listen(const ServerOptions& options,
                                                     const Site& site) try {
  // The maximum number of ports to try. The kernel chooses a port for IPv4, but another program may
  // have it for IPv6.
  constexpr int kMaxTries = 20;
  ErrorCode error;
  for (int tries = 0; tries < kMaxTries; ++tries) {
    auto server = std::make_unique<ViewServer>(options, site);
    error = server->listen(options.port);
    if (!error) return server;
    if (options.port != 0 || error != asio::error::address_in_use) break;
  }
  if (error == asio::error::address_in_use)
    return base::fail("port " + std::to_string(options.port) +
                      " is in use; choose another one, or leave --port out");
  if (error == asio::error::access_denied)
    return base::fail("port " + std::to_string(options.port) +
                      " is reserved for administrators; choose one above 1023");
  return base::fail("cannot listen on 127.0.0.1: " + error.message());
} catch (const boost::system::system_error& error) {
  return base::fail(std::string("cannot wait for connections: ") + error.what());
}

}  // namespace prof::view
