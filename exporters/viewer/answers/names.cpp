// api/names: the names of events, by number.
#include "exporters/viewer/answers/handlers.hpp"
#include "exporters/viewer/answers/row_parameters.hpp"
#include "exporters/viewer/timeline/timeline.hpp"

namespace prof::view {

namespace {

// The maximum size of an answer. The client asks again for the rest.
constexpr std::size_t kMaxBytes = 4 << 20;

}  // namespace

Outcome<Answer> answer_names(const Sources& sources, const Parameters& parameters) {
  const auto snapshot = sources.timeline->snapshot();
  const timeline::Names& names = snapshot->names();
  const auto from = parameters.integer("from", 0);
  if (!from) return tl::make_unexpected(from.error());
  if (*from < 0) return fault(400, "parameter from needs a number of 0 or more");
  const std::size_t size = names.size();
  Json json;
  json.begin_object().pair("from", *from).pair("total", size).key("names").begin_list();
  for (auto number = static_cast<std::size_t>(*from);
       number < size && json.text().size() < kMaxBytes; ++number)
    add_name(json, names, static_cast<std::uint32_t>(number));
  json.end_list().end_object();
  return Answer{json.take()};
}

}  // namespace prof::view
