// Convolutions. The weight of an ordinary one is [outputs, inputs / groups, kernel...], that of a
// transposed one [inputs, outputs / groups, kernel...].
#include <algorithm>

#include "exporters/analysis/operators/work/formulas.hpp"

namespace prof::operators {

namespace {

// Returns the operations of a convolution, convolution_forward, or for one of its gradients: each
// value of the result (of the input, if transposed) is multiplied by the kernel for all channels.
Amount products_of(const Shape& input, const Shape& weight, const Shape& output,
                   bool is_transposed) {
  return Amount(2) * input[0] * product_of(is_transposed ? input : output, 2) * product_of(weight);
}

// True if the shapes can be those of one convolution.
bool fits(const Shape& input, const Shape& weight, const Shape& output, bool is_transposed) {
  if (input.size() < 3 || weight.size() != input.size() || output.size() != input.size() ||
      input[0] != output[0])
    return false;
  return is_transposed ? input[1] == weight[0] && weight[1] > 0 && output[1] % weight[1] == 0
                       : output[1] == weight[0] && weight[1] > 0 && input[1] % weight[1] == 0;
}

void convolution_forward(const OperatorArguments& in, Work& work) {
  const Shape& input = argument(in, 0);
  const Shape& weight = argument(in, 1);
  if (in.shapes.size() < 2) return;
  work.vector_flops = 0;
  const bool has_bias = std::any_of(in.shapes.begin() + 2, in.shapes.end(),
                                    [](const Shape& shape) { return shape.size() == 1; });
  // The result of a transposed convolution is not needed for its operations.
  if (in.is_transposed && input.size() >= 3 && weight.size() == input.size() &&
      input[1] == weight[0])
    work.matrix_flops = products_of(input, weight, input, true).value();
  if (in.output == nullptr || !fits(input, weight, *in.output, in.is_transposed)) {
    if (has_bias) work.vector_flops.reset();
    return;
  }
  work.matrix_flops = products_of(input, weight, *in.output, in.is_transposed).value();
  const Amount output = elements_of(*in.output);
  if (has_bias) work.vector_flops = output.value();
  work.elements = (elements_of(input) + elements_of(weight) + output).value();
}

// Arguments: gradient of the result, input, weight.
void convolution_backward(const OperatorArguments& in, Work& work) {
  const Shape& output = argument(in, 0);
  const Shape& input = argument(in, 1);
  const Shape& weight = argument(in, 2);
  if (!fits(input, weight, output, in.is_transposed)) return;
  const std::int64_t results = std::int64_t{in.has_input_gradient} + in.has_weight_gradient;
  work.matrix_flops =
      (Amount(results) * products_of(input, weight, output, in.is_transposed)).value();
  work.vector_flops = 0;
  const Amount all = elements_of(input) + elements_of(weight) + elements_of(output);
  work.elements = (Amount(results) * all).value();
}

constexpr OperatorRule kConvolutionRules[] = {
    {"conv1d", kConvolution, convolution_forward, true},
    {"conv2d", kConvolution, convolution_forward, true},
    {"conv3d", kConvolution, convolution_forward, true},
    {"conv_transpose1d", kConvolution, convolution_forward, true},
    {"conv_transpose2d", kConvolution, convolution_forward, true},
    {"conv_transpose3d", kConvolution, convolution_forward, true},
    {"convolution", kConvolution, convolution_forward, true},
    {"_convolution", kConvolution, convolution_forward, true},
    {"convolution_overrideable", kConvolution, convolution_forward, true},
    {"cudnn_convolution", kConvolution, convolution_forward, true},
    {"cudnn_convolution_relu", kConvolution, convolution_forward, true},
    {"cudnn_convolution_add_relu", kConvolution, convolution_forward, true},
    {"cudnn_convolution_transpose", kConvolution, convolution_forward, true},
    {"mkldnn_convolution", kConvolution, convolution_forward, true},
    {"_conv_depthwise2d", kConvolution, convolution_forward, true},
    {"conv_depthwise3d", kConvolution, convolution_forward, true},
    {"_slow_conv2d_forward", kConvolution, convolution_forward, true},
    {"thnn_conv2d", kConvolution, convolution_forward, true},
    {"slow_conv3d_forward", kConvolution, convolution_forward, true},
    {"slow_conv_dilated2d", kConvolution, convolution_forward, true},
    {"slow_conv_dilated3d", kConvolution, convolution_forward, true},
    {"slow_conv_transpose2d", kConvolution, convolution_forward, true},
    {"slow_conv_transpose3d", kConvolution, convolution_forward, true},
    {"convolution_backward", kConvolution, convolution_backward},
    {"convolution_backward_overrideable", kConvolution, convolution_backward},
    {"mkldnn_convolution_backward", kConvolution, convolution_backward},
};

}  // namespace

std::span<const OperatorRule> convolution_rules() { return kConvolutionRules; }

}  // namespace prof::operators
