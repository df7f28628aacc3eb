// Timers of 5 and 20 ms for one second, with a little work in each.
let ticks = 0;
const timers = [setInterval(() => { ++ticks; }, 5), setInterval(() => { ticks += 2; }, 20)];
setTimeout(() => { timers.forEach(clearInterval); console.log(ticks > 0); }, 1000);
