#include "common/http/connection.hpp"

#include <sys/socket.h>

#include <boost/asio/dispatch.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

namespace prof::http {

namespace beast = boost::beast;
namespace bhttp = boost::beast::http;

namespace {

// The time limit for a whole reply; for a known client the time limit without progress.
constexpr std::chrono::seconds kWriteLimit{30};

beast::string_view beast_view(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

// Writes a reply piece by piece, so that the time limit can apply to progress.
class Connection::Writing : public std::enable_shared_from_this<Writing> {
 public:
  Writing(std::shared_ptr<Connection> connection, Reply reply)
      : connection_(std::move(connection)) {
    response_.version(11);
    response_.result(static_cast<unsigned>(reply.status));
    for (const auto& [name, value] : connection_->service_.fields)
      response_.set(beast_view(name), beast_view(value));
    if (!reply.cache_control.empty())
      response_.set(bhttp::field::cache_control, beast_view(reply.cache_control));
    if (!reply.type.empty()) response_.set(bhttp::field::content_type, reply.type);
    if (!reply.encoding.empty())
      response_.set(bhttp::field::content_encoding, beast_view(reply.encoding));
    if (reply.status == 405) response_.set(bhttp::field::allow, "GET, HEAD");
    const std::size_t length = reply.body.size();
    if (connection_->wants_body_) response_.body() = std::move(reply.body);
    response_.content_length(length);
    response_.keep_alive(connection_->keeps_alive_);
    connection_->stream_.expires_after(kWriteLimit);
  }

  void next() {
    if (connection_->is_known_) connection_->stream_.expires_after(kWriteLimit);
    bhttp::async_write_some(connection_->stream_, serializer_,
                            [self = shared_from_this()](beast::error_code error, std::size_t) {
                              if (!error && !self->serializer_.is_done()) return self->next();
                              const bool goes_on = !error && self->connection_->keeps_alive_;
                              goes_on ? self->connection_->read() : self->connection_->close();
                            });
  }

 private:
  std::shared_ptr<Connection> connection_;
  bhttp::response<bhttp::string_body> response_;
  bhttp::response_serializer<bhttp::string_body> serializer_{response_};
};

Connection::Connection(boost::asio::ip::tcp::socket socket, Service& service)
    : stream_(std::move(socket)), service_(service), buffer_(kMaxHeadBytes) {
  ++service_.connections;
  beast::error_code ignored;
  stream_.socket().set_option(boost::asio::ip::tcp::no_delay(true), ignored);
}

Connection::~Connection() {
  --service_.connections;
  if (service_.on_change) service_.on_change();
}

void Connection::read() {
  parser_.emplace();
  parser_->header_limit(kMaxHeadBytes);
  is_idle_ = true;
  wants_body_ = true;
  keeps_alive_ = false;
  stream_.expires_after(service_.read_limit);
  bhttp::async_read_header(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](beast::error_code error, std::size_t) { self->on_read(error); });
  service_.on_change();
}

void Connection::on_read(beast::error_code error) {
  is_idle_ = false;
  stream_.expires_never();
  if (!error) {
    wants_body_ = parser_->get().method() != bhttp::verb::head;
    // A request with a body is answered without reading it, so nothing can follow it.
    keeps_alive_ = parser_->is_done() && parser_->keep_alive();
    return service_.answer(head_of(*parser_), shared_from_this());
  }
  const bool is_too_long =
      error == bhttp::error::header_limit || error == bhttp::error::buffer_overflow;
  // Errors of HTTP are answered. All other errors end the connection.
  if (error.category() != make_error_code(bhttp::error::bad_method).category() ||
      error == bhttp::error::end_of_stream || error == bhttp::error::partial_message)
    return close();
  write({is_too_long ? 431 : 400, {}, {}});
}

void Connection::reply(std::shared_ptr<Connection> connection, Reply reply) {
  const auto executor = connection->stream_.get_executor();
  boost::asio::dispatch(executor,
                        [connection = std::move(connection), reply = std::move(reply)]() mutable {
                          connection->write(std::move(reply));
                        });
}

bool Connection::is_abandoned() {
  char byte = 0;
  return recv(stream_.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

void Connection::write(Reply reply) {
  std::make_shared<Writing>(shared_from_this(), std::move(reply))->next();
}

void Connection::close() {
  beast::error_code ignored;
  stream_.socket().shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
  stream_.close();
}

}  // namespace prof::http
