/* The plugin of long_calls. */
typedef void (*Callback)(void);
static volatile int g_entered;

__attribute__((noinline)) static void plugin_inner(Callback callback) {
  callback();
  ++g_entered;
}

void plugin_enter(Callback callback) {
  plugin_inner(callback);
  ++g_entered;
}
