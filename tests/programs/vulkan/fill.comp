// fill.spv.inc is made of this: glslangValidator -V -x fill.comp -o fill.spv.inc
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Values { float values[]; };
layout(push_constant) uniform Work { uint rounds; };
void main() {
  float value = values[gl_GlobalInvocationID.x];
  for (uint i = 0; i < rounds; ++i) value = value * 0.999 + 0.5;
  values[gl_GlobalInvocationID.x] = value;
}
