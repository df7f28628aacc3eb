// How the times of a critical path are grouped.
#pragma once

namespace prof::path {

enum class PathBy { kWork, kKind, kKernel, kRange, kFunction, kCall, kThread };

}  // namespace prof::path
