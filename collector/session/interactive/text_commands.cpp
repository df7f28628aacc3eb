// The commands that programs and scripts send as lines of text.
#include <utility>

#include "collector/session/interactive/client_output.hpp"
#include "collector/session/interactive/in_folder.hpp"
#include "collector/session/interactive/interactive_session.hpp"

namespace prof::session {

base::Status InteractiveSession::listen() {
  for (const base::Status& usable : {loop_.status(), signals_.status()})
    if (!usable) return usable;
  auto commands =
      CommandSocket::create(loop_, socket_.commands_path(),
                            [this](const TextCommand& command) { return answer_text(command); });
  if (!commands) return tl::make_unexpected(commands.error());
  commands_.emplace(std::move(*commands));
  return {};
}

std::string InteractiveSession::answer_text(const TextCommand& command) {
  if (command.verb == "status") return "ok " + describe().at("state").get<std::string>();
  if (shutting_down_) return "error the session is shutting down";
  if (command.verb == "start") return answer_start(command);
  if (command.verb == "stop") return answer_stop();
  if (command.verb != "mark") return "error unknown command; known: start, stop, mark, status";
  if (server_ == nullptr || !server_->mark(command.sender, std::string(command.rest)))
    return "error no program runs";
  return "ok";
}

// With the options of prof start, if any are given. A collection that waits for --start-on=control
// begins as prof start wanted it.
std::string InteractiveSession::answer_start(const TextCommand& command) {
  if (collection_ && collection_->waits_for_trigger && options_.time.start_on.is_control() &&
      command.rest.empty()) {
    const std::string output = collection_->output;
    triggered();
    return collection_ ? "ok " + output : "error the collection could not begin";
  }
  const InFolder folder(folder_);
  auto words = hooks_.split_words(std::string(command.rest));
  if (!words) return "error " + words.error().message;
  Message request{{"verb", "start"}, {"words", *words}, {"folder", folder_}};
  const auto output = hooks_.output_of(start_words(request));
  if (!output) return "error " + output.error().message;
  request["output"] = output->path;
  request["chooses_output"] = true;
  const Message answer = start(request);
  if (answer.value("status", 1) != 0) return "error " + answer.value("message", std::string());
  return "ok " + collection_->output;
}

// The report is written while the session goes on.
std::string InteractiveSession::answer_stop() {
  if (!collection_ || !collection_->has_begun) return "error " + why_not_stopped();
  const std::string output = collection_->output;
  end_collection({}, {});
  return "ok " + output;
}

}  // namespace prof::session
