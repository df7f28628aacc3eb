#include "collector/spool/flight/living_recorder.hpp"

#include "collector/spool/flight/flight_folder.hpp"
#include "collector/spool/flight/snapshot_file.hpp"

namespace prof::spool {

std::optional<FlightNote> unfinished_flight(const Spool& recording) {
  if (recording.notes.first<EndNote>()) return {};
  return recording.notes.first<FlightNote>();
}

base::Result<base::UniqueFd> copy_of_flight(const FlightNote& flight, const std::string& path) {
  const auto files = FlightFolder::open_of_others(flight.folder);
  if (!files) return tl::make_unexpected(files.error());
  auto to = SpoolWriter::create(path);
  if (!to) return tl::make_unexpected(to.error());
  base::UniqueFd copy = to->duplicate();
  if (const auto written = write_kept(*to, *files, flight.window, {}); !written)
    return tl::make_unexpected(written.error());
  return copy;
}

}  // namespace prof::spool
