#include "exporters/viewer/server/session.hpp"

#include <sys/socket.h>

#include <boost/asio/post.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <chrono>

namespace prof::view {

namespace beast = boost::beast;
namespace http = boost::beast::http;

namespace {

// For a request's head, from the end of the answer before it.
constexpr std::chrono::seconds kReadLimit{10};
// Without progress.
constexpr std::chrono::seconds kWriteLimit{30};

}  // namespace

// Writes a reply piece by piece, so that the time limit is one of progress.
class Session::Writing : public std::enable_shared_from_this<Writing> {
 public:
  Writing(std::shared_ptr<Session> session, Reply reply)
      : session_(std::move(session)), length_(reply.body.size()) {
    response_.version(11);
    response_.result(static_cast<unsigned>(reply.status));
    for (const auto& [name, value] : security_fields())
      response_.set(beast::string_view(name.data(), name.size()),
                    beast::string_view(value.data(), value.size()));
    response_.set(http::field::cache_control,
                  reply.permanent ? "private, max-age=31536000, immutable" : "no-store");
    if (!reply.type.empty()) response_.set(http::field::content_type, reply.type);
    if (reply.status == 405) response_.set(http::field::allow, "GET, HEAD");
    if (session_->wants_body_) response_.body() = std::move(reply.body);
    response_.content_length(length_);
    response_.keep_alive(session_->keeps_alive_);
  }

  void next() {
    session_->stream_.expires_after(kWriteLimit);
    http::async_write_some(session_->stream_, serializer_,
                           [self = shared_from_this()](beast::error_code error, std::size_t) {
                             if (error) return self->session_->close();
                             self->serializer_.is_done() ? self->session_->on_written()
                                                         : self->next();
                           });
  }

 private:
  std::shared_ptr<Session> session_;
  std::size_t length_;
  http::response<http::string_body> response_;
  http::response_serializer<http::string_body> serializer_{response_};
};

Session::Session(boost::asio::ip::tcp::socket socket, Service& service, std::function<void()> ended)
    : stream_(std::move(socket)),
      service_(service),
      ended_(std::move(ended)),
      buffer_(kMostHeadBytes) {
  beast::error_code ignored;
  stream_.socket().set_option(boost::asio::ip::tcp::no_delay(true), ignored);
}

Session::~Session() { ended_(); }

void Session::read() {
  parser_.emplace();
  parser_->header_limit(kMostHeadBytes);
  wants_body_ = true;
  keeps_alive_ = false;
  stream_.expires_after(kReadLimit);
  http::async_read_header(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](beast::error_code error, std::size_t) { self->on_read(error); });
}

void Session::on_read(beast::error_code error) {
  if (!error) return answer();
  const bool is_too_long =
      error == http::error::header_limit || error == http::error::buffer_overflow;
  // Errors of HTTP are answered. All others are the connection's end.
  if (error.category() != make_error_code(http::error::bad_method).category() ||
      error == http::error::end_of_stream || error == http::error::partial_message)
    return close();
  write({is_too_long ? 431 : 400, {}, {}, false});
}

void Session::answer() {
  wants_body_ = parser_->get().method() != http::verb::head;
  // A request with a body is answered without reading it, so nothing can follow it.
  keeps_alive_ = parser_->is_done() && parser_->keep_alive();
  const Decision decision = decide(head_of(*parser_), service_.address);
  if (!decision.allowed())
    return write({decision.status, decision.reason.empty() ? "" : "text/plain; charset=utf-8",
                  std::string(decision.reason), false});
  is_known_ = true;
  const Place place = find_place(decision.path);
  if (place.handler != nullptr) return make_answer(*place.handler, std::string(decision.query));
  write(place.file != nullptr ? reply_of(*place.file) : Reply{404, {}, {}, false});
}

void Session::make_answer(const Handler& handler, std::string query) {
  stream_.expires_never();
  service_.pools.post(
      handler.queue, [self = shared_from_this(), &handler, query = std::move(query)]() mutable {
        Reply reply;
        if (!self->is_abandoned())
          reply = reply_of(self->service_.answers.get(handler, Parameters::parse(query)));
        boost::asio::post(self->stream_.get_executor(), [self, reply = std::move(reply)]() mutable {
          self->write(std::move(reply));
        });
      });
}

// The page gives up requests for what is not visible any more.
bool Session::is_abandoned() {
  char byte = 0;
  return recv(stream_.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

void Session::write(Reply reply) {
  std::make_shared<Writing>(shared_from_this(), std::move(reply))->next();
}

void Session::on_written() { keeps_alive_ ? read() : close(); }

void Session::close() {
  beast::error_code ignored;
  stream_.socket().shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
  stream_.close();
}

}  // namespace prof::view
