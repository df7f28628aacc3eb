/* A library with the name of libEGL.so.1, as a program may bring one with it. */
int gl_private_answer(void) { return 42; }
const char* eglQueryString(void* display, int name) {
  (void)display;
  return name != 0 ? "private" : "";
}
