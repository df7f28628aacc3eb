// The tab of the selected event: what it is, its call chain, its links, and the columns of its table.
import { button, element, replace } from './dom.js';
import { count, duration, moment, visible } from './text.js';

const RELATIONS = [['launched by', 'Launched by'], ['launches', 'Launches'], ['range', 'Ranges around it'], ['on the GPU', 'On the GPU'],
  ['inside', 'Inside it'], ['part of', 'Part of'], ['critical path', 'On the critical path'], ['same name before', 'Same name before'], ['same name after', 'Same name after']];
/** Columns that say nothing to people, or that the heading and the facts say already. */
const INTERNAL = new RegExp(['^(start|end|timestamp|rawTimestamp|globalTid|globalPid|endGlobalTid|name|shortName|mangledName|demangledName',
  'text|color|category|eventClass|eventType|eventDomain|jsonText|isSchedIn|grid[XYZ]|block[XYZ]|.*(Id|ID|id))$'].join('|'));
/** Words for columns whose names do not say it. */
const WORDS = new Map([['srcKind', 'From'], ['dstKind', 'To'], ['copyKind', 'Direction'], ['memKind', 'Memory'], ['bytes', 'Size'], ['returnValue', 'Returned'],
  ['threadBlock', 'Blocked in'], ['cpuCycles', 'CPU cycles'], ['cpu', 'CPU']]);

/** @param {App} app */
export function detailsView(app) {
  let isRawOpen = false;
  return {
    /** @param {HTMLElement} box */
    show(box) {
      const { details, ref } = app.selection;
      if (!details) {
        replace(box, element('p', { className: 'muted' }, ref ? 'Loading…'
          : 'No event is selected. Click an event, or press . to select the first one of the active row.'));
        return;
      }
      const raw = columns(details, isRawOpen, (open) => { isRawOpen = open; });
      replace(box, heading(app, details), element('div', { className: 'panes' }, facts(app, details), chain(details), links(app, details)), ...(raw ? [raw] : []));
      box.scrollTop = 0;
    },
  };
}

/** @param {App} app @param {EventDetails} details */
function heading(app, details) {
  const row = app.tree.byId.get(details.row);
  const place = row ? app.tree.path(row).map((name) => visible(name, 100)).join(' › ') : '';
  return element('div', { className: 'event-heading' },
    element('strong', {}, element('bdi', { id: 'event-name' }, visible(details.name))),
    element('div', { className: 'tools' },
      element('bdi', { className: 'muted' }, place),
      button('Zoom to it', () => app.viewport.fit(details.start, details.end ?? app.viewport.whole.end)),
      kernelOf(app) ? button('Why is it slow?', () => {
        const kernel = kernelOf(app);
        if (kernel) void app.showKernel(kernel.report, kernel.name);
      }, { id: 'event-kernel', title: 'The page of this kernel (key K)' }) : null,
      isMoment(app, details) ? null : button('Statistics of its span', () => {
        app.selection.setArea({ start: details.start, end: details.end ?? app.viewport.whole.end, row: null });
        app.drawer.show('statistics');
      })));
}

/**
 * The report and the name of the selected event, if it is a kernel.
 * @param {App} app
 */
export function kernelOf(app) {
  const { details } = app.selection;
  const row = details && app.tree.byId.get(details.row);
  if (!details || row?.kind !== 'kernels') return null;
  const full = details.columns.find(({ name }) => name === 'demangledName')?.text;
  return { report: row.report ?? 0, name: full || details.name };
}

/**
 * Whether it has no length: a sample, a mark.
 * @param {App} app @param {EventDetails} details
 */
function isMoment(app, details) {
  return details.end !== null && details.end === details.start && app.tree.byId.get(details.row)?.style === 'instants';
}

/**
 * The time of day, if the report has that of its start.
 * @param {App} app
 * @param {number} time
 */
function clock({ utcStart }, time) {
  return utcStart === null ? '' : ` (${new Date((utcStart + time) / 1e6).toISOString().replace('T', ' ').replace('Z', ' UTC')})`;
}

/**
 * A name of a column in words: registersPerThread is "Registers per thread".
 * @param {string} name
 */
function inWords(name) {
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return WORDS.get(name) ?? words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** @param {App} app @param {EventDetails} details */
function facts(app, details) {
  const [open, known] = [details.facts?.find(([name]) => name === 'Duration'), (details.facts ?? []).filter(([name]) => name !== 'Duration')];
  const length = isMoment(app, details) ? [] : details.end === null ? [open ?? ['Duration', 'has no end in the report']]
    : [['Duration', duration(details.end - details.start)]];
  const textOf = (/** @type {string} */ column) => details.columns.find(({ name }) => name === column)?.text ?? '';
  const [full, thread, process] = [textOf('demangledName'), textOf('globalTid'), textOf('globalPid')];
  const whose = thread ? [['Thread', thread]] : process ? [['Process', process]] : [];
  const others = details.columns.filter(({ name, value, text }) => name && text !== '' && value !== 0 && !INTERNAL.test(name))
    .map(({ name, text }) => [inWords(name), text]);
  const all = [...(full && full !== details.name ? [['Full name', full]] : []), ...length, ['Start', `${moment(details.start)}${clock(app, details.start)}`], ...known, ...whose, ...others];
  return element('section', {}, element('table', { id: 'event-facts' }, element('tbody', {},
    ...all.map(([name, text]) => element('tr', {}, element('th', { scope: 'row' }, visible(name, 100)), element('td', {}, element('bdi', {}, visible(text, 20000))))))));
}

/**
 * All columns that have a value, folded.
 * @param {EventDetails} details @param {boolean} isOpen @param {(open: boolean) => void} remember
 */
function columns(details, isOpen, remember) {
  if (!details.columns.length) return null;
  const rows = details.columns.filter(({ text }) => text !== '').map(({ name, text }) => element('tr', {},
    element('th', { scope: 'row' }, visible(name, 100)), element('td', {}, element('bdi', {}, visible(text, 20000)))));
  const box = element('details', { id: 'event-raw', open: isOpen, ontoggle: () => remember(box.open) },
    element('summary', {}, `All columns of the table ${visible(details.table)}`), element('table', { id: 'event-columns' }, element('tbody', {}, ...rows)));
  return box;
}

/** @param {EventDetails} details */
function chain(details) {
  const frames = details.chain.map((frame) => element('tr', {},
    element('td', {}, element('bdi', {}, visible(frame.function, 500))),
    element('td', { className: 'muted' }, element('bdi', {}, `${visible(frame.place, 500)}${frame.kind === 'native' ? '' : ` (${visible(frame.kind, 20)})`}`))));
  if (!frames.length) return null;
  return element('section', { className: 'wide' }, element('h3', {}, 'Call chain, innermost first'),
    element('table', { id: 'event-chain' }, element('tbody', {}, ...frames)));
}

/** @param {App} app @param {EventDetails} details */
function links(app, details) {
  const parts = [];
  for (const [relation, title] of RELATIONS) {
    const found = details.links.filter((link) => link.relation === relation);
    if (!found.length) continue;
    parts.push(element('h3', {}, title), element('ul', {}, ...found.map((link) => element('li', {}, linkButton(app, link)))));
  }
  if (details.more_links) parts.push(element('p', { className: 'muted' }, `${count(details.more_links)} more links are not listed.`));
  return parts.length ? element('section', { id: 'event-links' }, ...parts) : null;
}

/** @param {App} app @param {Link} link */
function linkButton(app, link) {
  const length = link.end === null || link.end === link.start ? '' : `, ${duration(link.end - link.start)}`;
  return button(`${visible(link.name, 200)} (at ${moment(link.start)}${length})`, () => void app.selection.select(link, true),
    { className: 'plain', 'data-relation': link.relation });
}
