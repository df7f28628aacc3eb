#!/bin/sh
# Does a little work every 200 ms, as a script that cron starts.
for _ in 1 2 3 4 5; do
  wc -l /etc/services >/dev/null
  sleep 0.2
done
