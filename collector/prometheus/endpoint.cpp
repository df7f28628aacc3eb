#include "collector/prometheus/endpoint.hpp"

#include <fcntl.h>
#include <signal.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/system/system_error.hpp>
#include <chrono>
#include <list>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "common/base/log.hpp"

namespace prof::prometheus {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;

namespace {

constexpr std::size_t kMostHeadBytes = 8 << 10;
constexpr int kMostConnections = 16;
// A scraper keeps its connection from one scrape to the next.
constexpr std::chrono::seconds kReadLimit{120};
constexpr std::chrono::seconds kWriteLimit{30};
constexpr std::chrono::milliseconds kPause{100};

void close_on_exec(int fd) { fcntl(fd, F_SETFD, FD_CLOEXEC); }

// What all connections share.
struct Service {
  std::function<std::string()> text;
  bool is_loopback = true;
  int connections = 0;
};

// A page of another site can have its own name point to 127.0.0.1, but the browser then sends that
// name.
bool is_name_of_loopback(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  if (colon != host.npos && host.find(']', colon) == host.npos) host = host.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  ErrorCode error;
  const auto address = asio::ip::make_address(std::string(host), error);
  return host.empty() || host == "localhost" || (!error && address.is_loopback());
}

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, Service& service)
      : stream_(std::move(socket)), service_(service), buffer_(kMostHeadBytes) {
    ++service_.connections;
  }
  ~Connection() { --service_.connections; }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Waits for a request. Anybody can connect and send none.
  bool is_idle() const { return is_idle_; }
  void drop() { stream_.close(); }

  void read() {
    is_idle_ = true;
    parser_.emplace();
    parser_->header_limit(kMostHeadBytes);
    stream_.expires_after(kReadLimit);
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = shared_from_this()](ErrorCode error, std::size_t) {
                              error ? self->close() : self->answer();
                            });
  }

 private:
  void answer() {
    is_idle_ = false;
    const auto& request = parser_->get();
    const auto host = request[http::field::host];
    const auto target = request.target();
    response_ = {};
    response_.version(11);
    response_.set(http::field::content_type, "text/plain; charset=utf-8");
    if (service_.is_loopback && !is_name_of_loopback({host.data(), host.size()})) {
      refuse(http::status::forbidden, "This address answers requests to localhost only.\n");
    } else if (request.method() != http::verb::get && request.method() != http::verb::head) {
      response_.set(http::field::allow, "GET, HEAD");
      refuse(http::status::method_not_allowed, "");
    } else if (target.substr(0, target.find('?')) != "/metrics") {
      refuse(http::status::not_found, "The metrics are at /metrics.\n");
    } else {
      response_.set(http::field::content_type, "text/plain; version=0.0.4; charset=utf-8");
      response_.body() = service_.text();
    }
    response_.content_length(response_.body().size());
    if (request.method() == http::verb::head) response_.body().clear();
    // A body is not read, so nothing can follow it.
    response_.keep_alive(parser_->is_done() && parser_->keep_alive());
    write();
  }

  void refuse(http::status status, const char* text) {
    response_.result(status);
    response_.body() = text;
  }

  void write() {
    stream_.expires_after(kWriteLimit);
    http::async_write(stream_, response_,
                      [self = shared_from_this()](ErrorCode error, std::size_t) {
                        error || !self->response_.keep_alive() ? self->close() : self->read();
                      });
  }

  void close() {
    ErrorCode ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    stream_.close();
  }

  beast::tcp_stream stream_;
  Service& service_;
  bool is_idle_ = true;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::empty_body>> parser_;
  http::response<http::string_body> response_;
};

class HttpEndpoint final : public Endpoint {
 public:
  ~HttpEndpoint() override {
    io_.stop();
    if (thread_.joinable()) thread_.join();
  }

  ErrorCode open(const ListenAddress& address) {
    ErrorCode error;
    const tcp::endpoint endpoint(asio::ip::make_address(address.host, error), address.port);
    if (error || acceptor_.open(endpoint.protocol(), error)) return error;
    close_on_exec(acceptor_.native_handle());
    acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (acceptor_.bind(endpoint, error)) return error;
    acceptor_.listen(kMostConnections, error);
    service_.is_loopback = endpoint.address().is_loopback();
    return error;
  }

  void start(std::function<std::string()> text) override {
    service_.text = std::move(text);
    accept();
    // The thread gets no signals.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      thread_ = std::thread([this] { io_.run(); });
    } catch (const std::system_error& error) {
      base::log_warning("--metrics-endpoint does not answer: no thread can be started ({})",
                        error.what());
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

 private:
  void accept() {
    acceptor_.async_accept([this](ErrorCode error, tcp::socket socket) {
      if (!error) {
        serve(std::move(socket));
        return accept();
      }
      // No descriptor is free, for example. That can pass.
      pause_.expires_after(kPause);
      pause_.async_wait([this](ErrorCode stopped) {
        if (!stopped) accept();
      });
    });
  }

  // If there are many connections, a new one takes the place of the one that has waited for a
  // request longest. It is closed if all of them are being answered.
  void serve(tcp::socket socket) {
    close_on_exec(socket.native_handle());
    connections_.remove_if([](const std::weak_ptr<Connection>& each) { return each.expired(); });
    if (service_.connections >= kMostConnections) {
      const auto idle =
          std::find_if(connections_.begin(), connections_.end(), [](const auto& each) {
            const auto connection = each.lock();
            return connection != nullptr && connection->is_idle();
          });
      if (idle == connections_.end()) return;
      idle->lock()->drop();
      connections_.erase(idle);
    }
    const auto connection = std::make_shared<Connection>(std::move(socket), service_);
    connections_.push_back(connection);
    connection->read();
  }

  Service service_;                                   // first: connections can end with io_
  std::list<std::weak_ptr<Connection>> connections_;  // the oldest first
  asio::io_context io_{1};
  tcp::acceptor acceptor_{io_};
  asio::steady_timer pause_{io_};
  std::thread thread_;
};

}  // namespace

base::Result<std::unique_ptr<Endpoint>> Endpoint::listen(const ListenAddress& address) try {
  auto endpoint = std::make_unique<HttpEndpoint>();
  const ErrorCode error = endpoint->open(address);
  if (!error) return endpoint;
  const std::string place =
      "--metrics-endpoint: " + address.host + ", port " + std::to_string(address.port);
  if (error == asio::error::address_in_use)
    return base::fail(place + " is in use; give another one: --metrics-endpoint=ADDRESS:PORT");
  return base::fail(place + ": " + error.message());
} catch (const boost::system::system_error& error) {
  return base::fail(std::string("--metrics-endpoint: ") + error.what());
}

}  // namespace prof::prometheus
