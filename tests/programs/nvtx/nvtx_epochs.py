"""Three ranges with the name epoch, with marks before, inside and after each. For capture ranges."""
import sys
import time

import nvtx

other = nvtx.get_domain("other")
nvtx.mark("before")
with nvtx.annotate("setup"):
    time.sleep(0.002)
for i in range(3):
    with nvtx.annotate("epoch"):
        nvtx.mark(f"in {i}")
        with nvtx.annotate("inner"):
            time.sleep(0.01)
    with nvtx.annotate("epoch", domain="other"):
        nvtx.mark(f"other {i}")
    started = nvtx.start_range("started")
    nvtx.mark(f"started {i}")
    nvtx.end_range(started)
    nvtx.mark(f"after {i}")
time.sleep(0.2 if "--slow" in sys.argv else 0)
print("done")
