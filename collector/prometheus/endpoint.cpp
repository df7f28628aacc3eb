#include "collector/prometheus/endpoint.hpp"

#include <signal.h>

#include <boost/system/system_error.hpp>
#include <system_error>
#include <thread>

#include "common/base/log.hpp"
#include "common/http/server.hpp"

namespace prof::prometheus {

using boost::asio::ip::make_address;
using ErrorCode = boost::system::error_code;

namespace {

constexpr int kMaxConnections = 16;
// A scraper keeps its connection from one scrape to the next.
constexpr std::chrono::seconds kReadLimit{120};

class HttpEndpoint final : public Endpoint {
 public:
  ~HttpEndpoint() override {
    http_.stop();
    if (thread_.joinable()) thread_.join();
  }

  ErrorCode open(const ListenAddress& address) {
    ErrorCode error;
    const auto host = make_address(address.host, error);
    if (error) return error;
    if (host.is_loopback())
      allowed_hosts_ = {"localhost", "127.0.0.1", "[::1]",
                        host.is_v6() ? '[' + address.host + ']' : address.host};
    return http_.listen({host, address.port});
  }

  void start(std::function<std::string()> text) override {
    text_ = std::move(text);
    // Signals are blocked meanwhile, so that the thread gets none.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      thread_ = std::thread([this] { http_.run(); });
    } catch (const std::system_error& error) {
      base::log_warning("--metrics-endpoint does not answer: no thread can be started ({})",
                        error.what());
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

 private:
  bool is_allowed(std::string_view host) const {
    return allowed_hosts_.empty() || host.empty() || http::is_allowed_host(host, allowed_hosts_);
  }

  http::Reply answer(const http::RequestHead& head) const {
    constexpr char kText[] = "text/plain; charset=utf-8";
    if (!is_allowed(find(head, "Host").value))
      return {403, kText, "This address answers requests to localhost only.\n"};
    if (head.method != "GET" && head.method != "HEAD") return {405, kText, {}};
    if (head.target.substr(0, head.target.find('?')) != "/metrics")
      return {404, kText, "The metrics are at /metrics.\n"};
    return {200, "text/plain; version=0.0.4; charset=utf-8", text_()};
  }

  std::vector<std::string> allowed_hosts_;  // empty: all
  std::function<std::string()> text_;
  http::Server http_{{.answer =
                          [this](const auto& head, auto connection) {
                            http::Connection::reply(std::move(connection), answer(head));
                          },
                      .fields = {},
                      .read_limit = kReadLimit,
                      .max_connections = kMaxConnections}};
  std::thread thread_;
};

}  // namespace

base::Result<std::unique_ptr<Endpoint>> Endpoint::listen(const ListenAddress& address) try {
  auto endpoint = std::make_unique<HttpEndpoint>();
  const ErrorCode error = endpoint->open(address);
  if (!error) return endpoint;
  const std::string place =
      "--metrics-endpoint: " + address.host + ", port " + std::to_string(address.port);
  if (error == boost::asio::error::address_in_use)
    return base::fail(place + " is in use; give another one: --metrics-endpoint=ADDRESS:PORT");
  return base::fail(place + ": " + error.message());
} catch (const boost::system::system_error& error) {
  return base::fail(std::string("--metrics-endpoint: ") + error.what());
}

}  // namespace prof::prometheus
