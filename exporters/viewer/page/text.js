// Texts for people: times, numbers with units, and names of reports, which may hold any characters.

const LONGEST_NAME = 2000;
// Characters that are invisible, control characters, marks of the direction of writing, and halves
// of characters.
const UNSEEN = new RegExp([
  '[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b-\\u200f\\u2028-\\u202f',
  '\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\uffff]',
  '|[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]',
].join(''), 'g');

/**
 * A text of a report as it can be shown: what is invisible or turns the direction of writing is shown as a sign, and a
 * long text is cut.
 * @param {unknown} text
 * @param {number} [limit]
 */
export function visible(text, limit = LONGEST_NAME) {
  const whole = typeof text === 'string' ? text : String(text ?? '');
  const kept = whole.length > limit ? `${whole.slice(0, limit)}… (${count(whole.length)} characters)` : whole;
  return kept.replace(UNSEEN, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return '\u2421';
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}

/**
 * Cuts a text at its end.
 * @param {string} text
 * @param {number} length
 */
export function cutEnd(text, length) {
  return text.length <= length ? text : text.slice(0, Math.max(0, length - 1)) + '…';
}

/** @param {number} number */
export function count(number) {
  return Math.round(number).toLocaleString('en-US');
}

/** @type {[number, string][]} */
const TIME_UNITS = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];

/**
 * A duration with four digits: 1.234 ms.
 * @param {number} ns
 */
export function duration(ns) {
  const size = Math.abs(ns);
  for (const [factor, unit] of TIME_UNITS) {
    if (size >= factor) return `${digits(ns / factor, unit === 'ns' ? 0 : 3)} ${unit}`;
  }
  return ns === 0 ? '0 ns' : `${digits(ns, 3)} ns`;
}

/**
 * @param {number} number
 * @param {number} most decimals
 */
function digits(number, most) {
  const size = Math.abs(number);
  const decimals = Math.min(most, size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3);
  return number.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/**
 * A point in time in seconds, with the decimals that a step of the ruler needs.
 * @param {number} ns
 * @param {number} [step]
 */
export function moment(ns, step = 1) {
  const decimals = Math.max(0, Math.min(9, 9 - Math.floor(Math.log10(Math.max(1, step)) + 1e-9)));
  return `${(ns / 1e9).toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })} s`;
}

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
const LARGE_UNITS = ['', 'k', 'M', 'G', 'T', 'P'];

/**
 * A value of a counter with its unit.
 * @param {number} number
 * @param {string} [unit]
 */
export function quantity(number, unit = '') {
  const isBytes = unit === 'B' || unit === 'B/s';
  const step = isBytes ? 1024 : 1000;
  let scaled = number;
  let power = 0;
  while (Math.abs(scaled) >= step && power < 5) {
    scaled /= step;
    power += 1;
  }
  const figure = Number.isInteger(scaled) && Math.abs(scaled) < 1000 ? String(scaled) : digits(scaled, 2);
  if (isBytes) return `${figure} ${BYTE_UNITS[power]}${unit.slice(1)}`;
  return `${figure}${power || unit ? ' ' : ''}${LARGE_UNITS[power]}${visible(unit, 20)}`;
}

/** @param {number} share */
export function percent(share) {
  const number = share * 100;
  return `${number.toFixed(number > 0 && number < 10 ? 1 : 0)} %`;
}

/**
 * The number of a text such as "1.5 ms" or "0.25" (seconds), in ns; NaN if it is not a time.
 * @param {string} text
 */
export function parseTime(text) {
  const match = /^\s*([-+]?[\d.,]*\d(?:e[-+]?\d+)?)\s*(s|ms|µs|us|ns)?\s*$/i.exec(text);
  if (!match) return NaN;
  const number = Number(match[1].replaceAll(',', ''));
  const unit = (match[2] ?? 's').toLowerCase().replace('us', 'µs');
  const factor = TIME_UNITS.find((each) => each[1] === unit);
  return factor ? number * factor[0] : NaN;
}

/**
 * 32 bits of FNV-1a.
 * @param {string} text
 */
export function hash(text) {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) {
    value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  }
  return value >>> 0;
}
