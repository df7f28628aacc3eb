/* Known-answer OpenGL program without a window (EGL, a software device or a GPU).

   gl_frames [linked|found] [FRAMES] [DRAWS]: each frame has a clear, DRAWS draws and a compute
   dispatch in debug groups, and ends with a swap. `found`: OpenGL's functions come from
   eglGetProcAddress. Compiled with OPENS_LIBRARIES, the program opens libEGL and libGL and looks up
   their functions with dlsym. Prints what a profiler must find, and what the program itself sees.
 */
#define GL_GLEXT_PROTOTYPES
#define EGL_EGLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EGL_FUNCTIONS(X)     \
  X(eglGetProcAddress)       \
  X(eglInitialize)           \
  X(eglChooseConfig)         \
  X(eglBindAPI)              \
  X(eglGetError)             \
  X(eglCreatePbufferSurface) \
  X(eglCreateContext)        \
  X(eglMakeCurrent)          \
  X(eglSwapBuffers)          \
  X(eglDestroyContext)       \
  X(eglTerminate)
#define GL_FUNCTIONS(X)     \
  X(glCreateShader)         \
  X(glShaderSource)         \
  X(glCompileShader)        \
  X(glGetShaderiv)          \
  X(glCreateProgram)        \
  X(glAttachShader)         \
  X(glLinkProgram)          \
  X(glUseProgram)           \
  X(glGetString)            \
  X(glGenTextures)          \
  X(glBindTexture)          \
  X(glTexStorage2D)         \
  X(glGenFramebuffers)      \
  X(glBindFramebuffer)      \
  X(glFramebufferTexture2D) \
  X(glGenBuffers)           \
  X(glBindBufferBase)       \
  X(glBufferData)           \
  X(glGenVertexArrays)      \
  X(glBindVertexArray)      \
  X(glViewport)             \
  X(glPushDebugGroup)       \
  X(glPopDebugGroup)        \
  X(glClear)                \
  X(glClearColor)           \
  X(glDrawArrays)           \
  X(glDispatchCompute)      \
  X(glMemoryBarrier)        \
  X(glFinish)               \
  X(glGetError)             \
  X(glDebugMessageInsert)   \
  X(glReadPixels)           \
  X(glGenQueries)           \
  X(glBeginQuery)           \
  X(glEndQuery)             \
  X(glGetQueryiv)           \
  X(glGetQueryObjectui64v)

#define POINTER(name) static __typeof__(&name) p_##name;
EGL_FUNCTIONS(POINTER)
GL_FUNCTIONS(POINTER)

static void fail(const char* what) {
  printf("failed: %s, %x\n", what, p_eglGetError != NULL ? p_eglGetError() : 0);
  exit(77);
}

#ifdef OPENS_LIBRARIES
static void find_functions(const char* way) {
  (void)way;
  void* egl = dlopen("libEGL.so.1", RTLD_LAZY | RTLD_LOCAL);
  void* gl = dlopen("libGL.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (egl == NULL || gl == NULL) fail("dlopen");
#define OF_EGL(name) p_##name = (__typeof__(&name))dlsym(egl, #name);
#define OF_GL(name) p_##name = (__typeof__(&name))dlsym(gl, #name);
  EGL_FUNCTIONS(OF_EGL)
  GL_FUNCTIONS(OF_GL)
}
#else
static void find_functions(const char* way) {
#define LINKED(name) p_##name = name;
  EGL_FUNCTIONS(LINKED)
  GL_FUNCTIONS(LINKED)
  if (strcmp(way, "found") != 0) return;
#define FOUND(name) p_##name = (__typeof__(&name))eglGetProcAddress(#name);
  GL_FUNCTIONS(FOUND)
}
#endif

static void add_shader(GLuint program, GLenum kind, const char* text) {
  const GLuint shader = p_glCreateShader(kind);
  p_glShaderSource(shader, 1, &text, NULL);
  p_glCompileShader(shader);
  GLint ok = 0;
  p_glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
  if (!ok) fail("shader");
  p_glAttachShader(program, shader);
}

static EGLDisplay display;
static EGLSurface surface;
static EGLContext context;

static void make_context(void) {
  PFNEGLQUERYDEVICESEXTPROC devices =
      (PFNEGLQUERYDEVICESEXTPROC)p_eglGetProcAddress("eglQueryDevicesEXT");
  PFNEGLGETPLATFORMDISPLAYEXTPROC get_display =
      (PFNEGLGETPLATFORMDISPLAYEXTPROC)p_eglGetProcAddress("eglGetPlatformDisplayEXT");
  EGLDeviceEXT device[8];
  EGLint count = 0;
  if (devices == NULL || get_display == NULL || !devices(8, device, &count) || count == 0)
    fail("no EGL device");
  EGLint ok = 0;
  for (EGLint i = 0; i < count && !ok; ++i) {
    display = get_display(EGL_PLATFORM_DEVICE_EXT, device[i], NULL);
    ok = p_eglInitialize(display, NULL, NULL);
  }
  if (!ok) fail("eglInitialize");
  const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                           EGL_OPENGL_BIT,   EGL_RED_SIZE,    8,
                           EGL_NONE};
  EGLConfig config;
  p_eglChooseConfig(display, wanted, &config, 1, &count);
  p_eglBindAPI(EGL_OPENGL_API);
  const EGLint size[] = {EGL_WIDTH, 256, EGL_HEIGHT, 256, EGL_NONE};
  surface = p_eglCreatePbufferSurface(display, config, size);
  const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 5, EGL_NONE};
  context = p_eglCreateContext(display, config, EGL_NO_CONTEXT, version);
  if (!p_eglMakeCurrent(display, surface, surface, context)) fail("eglMakeCurrent");
}

static GLuint drawing, computing;

static void set_up(void) {
  drawing = p_glCreateProgram();
  add_shader(drawing, GL_VERTEX_SHADER,
             "#version 450\nvoid main() { vec2 q[3] = vec2[](vec2(-1, -1), vec2(3, -1), "
             "vec2(-1, 3)); gl_Position = vec4(q[gl_VertexID], 0, 1); }");
  add_shader(drawing, GL_FRAGMENT_SHADER,
             "#version 450\nout vec4 c; void main() { c = vec4(gl_FragCoord.x / 256, 1, 0, 1); }");
  p_glLinkProgram(drawing);
  computing = p_glCreateProgram();
  add_shader(computing, GL_COMPUTE_SHADER,
             "#version 450\nlayout(local_size_x = 64) in; layout(std430, binding = 0) buffer B { "
             "float v[]; }; void main() { uint i = gl_GlobalInvocationID.x; v[i] = v[i] * 0.999 + "
             "0.5; }");
  p_glLinkProgram(computing);
  GLuint texture, framebuffer, buffer, vertices;
  p_glGenTextures(1, &texture);
  p_glBindTexture(GL_TEXTURE_2D, texture);
  p_glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 256, 256);
  p_glGenFramebuffers(1, &framebuffer);
  p_glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  p_glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
  p_glGenBuffers(1, &buffer);
  p_glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
  p_glBufferData(GL_SHADER_STORAGE_BUFFER, 1 << 20, NULL, GL_DYNAMIC_COPY);
  p_glGenVertexArrays(1, &vertices);
  p_glBindVertexArray(vertices);
  p_glViewport(0, 0, 256, 256);
}

static void draw_frame(unsigned frame, int draws) {
  p_glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, frame, -1, "frame");
  p_glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 1, 4, "draw and more");
  p_glUseProgram(drawing);
  p_glClear(GL_COLOR_BUFFER_BIT);
  for (int i = 0; i < draws; ++i) p_glDrawArrays(GL_TRIANGLES, 0, 3);
  p_glPopDebugGroup();
  p_glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 2, -1, "compute");
  p_glUseProgram(computing);
  p_glDispatchCompute(256, 1, 1);
  p_glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
  p_glPopDebugGroup();
  p_glPopDebugGroup();
  p_eglSwapBuffers(display, surface);
}

int main(int count, char** words) {
  const int frames = count > 2 ? atoi(words[2]) : 4;
  const int draws = count > 3 ? atoi(words[3]) : 1;
  find_functions(count > 1 ? words[1] : "linked");
  make_context();
  set_up();
  /* A query of the program's own, around all frames. */
  GLuint query, current = 0;
  p_glGenQueries(1, &query);
  p_glBeginQuery(GL_SAMPLES_PASSED, query);
  for (int frame = 0; frame < frames; ++frame) draw_frame((unsigned)frame, draws);
  p_glGetQueryiv(GL_SAMPLES_PASSED, GL_CURRENT_QUERY, (GLint*)&current);
  p_glEndQuery(GL_SAMPLES_PASSED);
  p_glDebugMessageInsert(GL_DEBUG_SOURCE_APPLICATION, GL_DEBUG_TYPE_MARKER, 7,
                         GL_DEBUG_SEVERITY_NOTIFICATION, -1, "the end");
  p_glFinish();
  GLuint64 samples = 0;
  p_glGetQueryObjectui64v(query, GL_QUERY_RESULT, &samples);
  unsigned char pixel[4];
  p_glReadPixels(100, 100, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
  printf("pixel %d %d %d %d, samples %llu, query %s, error %x\n", pixel[0], pixel[1], pixel[2],
         pixel[3], (unsigned long long)samples, current == query ? "bound" : "lost",
         p_glGetError());
  p_eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  p_eglDestroyContext(display, context);
  p_eglTerminate(display);
  printf("EXPECT glClear=%d glDrawArrays=%d glDispatchCompute=%d eglSwapBuffers=%d\n", frames,
         frames * draws, frames, frames);
  return 0;
}
