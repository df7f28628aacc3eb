// libnvperf_host.so, which lies beside libcupti and which CUPTI's host interface needs. The fake's
// libcupti has its functions.
extern "C" int fake_nvperf_host() { return 0; }
