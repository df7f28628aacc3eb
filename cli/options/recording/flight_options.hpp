// The options of a flight recorder: --flight-recorder, --trigger and what belongs to them.
#pragma once

#include <CLI/CLI.hpp>

#include "collector/session/options/session_options.hpp"

namespace prof::cli {

void add_flight_options(CLI::App& app, session::SessionOptions& options);
// Its name for prof snapshot. Sessions have a name anyway.
void add_flight_session(CLI::App& app, session::FlightOptions& flight);

// Throws Failure for values that contradict each other or other options. After the options that
// say what is traced have been completed.
void check_flight_options(const session::SessionOptions& options);

}  // namespace prof::cli
