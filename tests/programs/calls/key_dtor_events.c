/* Makes calls in destructors of thread-specific data, while prof's own destructor runs in the same
 * thread. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int g_null;
static pthread_key_t g_keys[8];

static void write_one(void* value) {
  if (write(g_null, value, 1) != 1) _exit(3);
}

static void* body(void* unused) {
  (void)unused;
  for (int i = 0; i < 8; ++i) pthread_setspecific(g_keys[i], "x");
  write_one("y");
  return NULL;
}

int main(void) {
  g_null = open("/dev/null", O_WRONLY);
  for (int i = 0; i < 8; ++i) pthread_key_create(&g_keys[i], write_one);
  for (int i = 0; i < 50; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    pthread_join(thread, NULL);
  }
  puts("{\"write\": 450}");
  return 0;
}
