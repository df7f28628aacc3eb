#include "exporters/viewer/timeline/layers/layers.hpp"

#include "exporters/viewer/timeline/layers/layer_parts.hpp"

namespace prof::timeline {

std::vector<Layer> layers_of(const report::ReportReader& reader) {
  std::vector<Layer> layers;
  add_thread_layers(reader, layers);
  add_nvtx_layer(reader, layers);
  add_file_layer(reader, layers);
  add_gpu_layers(reader, layers);
  add_other_layers(reader, layers);
  return layers;
}

}  // namespace prof::timeline
