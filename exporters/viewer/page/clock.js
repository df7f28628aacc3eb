// The common clock of several reports.

/**
 * A time of a report on the common clock, as prof rounds it.
 * @param {ReportClock | undefined} report
 * @param {number} time
 */
export function commonTime(report, time) {
  if (!report) return time;
  return time + report.offset + Math.floor(report.drift * (time - report.middle) + 0.5);
}

/**
 * A time of the common clock on the clock of a report, within 1 ns.
 * @param {ReportClock | undefined} report
 * @param {number} time
 */
export function ownTime(report, time) {
  if (!report || !Number.isFinite(time)) return time;
  return Math.round(report.middle + (time - report.offset - report.middle) / (1 + report.drift));
}
