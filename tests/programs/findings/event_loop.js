// event_loop.js blocks|timers: an event loop with a timer of 10 ms, and with "blocks" a callback that computes for
// 150 ms of CPU time, five times.
function checksum(milliseconds) {
  let total = 0;
  const start = process.cpuUsage();
  do {
    for (let i = 0; i < 100000; ++i) total = (total * 31 + i) & 0xffffffff;
  } while (process.cpuUsage(start).user < milliseconds * 1000);
  return total;
}
function onRequest(left) {
  checksum(150);
  if (left > 1) setTimeout(onRequest, 30, left - 1);
}
const timer = setInterval(() => {}, 10);
setTimeout(() => clearInterval(timer), 1500);
if (process.argv[2] === "blocks") setTimeout(onRequest, 30, 5);
