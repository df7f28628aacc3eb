// The tab of the selected event: its columns, its call chain, its links.
import { button, element, replace } from './dom.js';
import { count, duration, moment, visible } from './text.js';

const RELATIONS = [['launched by', 'Launched by'], ['launches', 'Launches'], ['range', 'Ranges around it'], ['on the GPU', 'On the GPU'],
  ['inside', 'Inside it'], ['same name before', 'Same name before'], ['same name after', 'Same name after']];

/** @param {App} app */
export function detailsView(app) {
  return {
    /** @param {HTMLElement} box */
    show(box) {
      const { details, ref } = app.selection;
      if (!details) {
        replace(box, element('p', { className: 'muted' }, ref ? 'Loading…'
          : 'No event is selected. Click an event, or press . to select the first one of the active row.'));
        return;
      }
      replace(box, heading(app, details), element('div', { className: 'panes' }, columns(details), chain(details), links(app, details)));
    },
  };
}

/** @param {App} app @param {EventDetails} details */
function heading(app, details) {
  const row = app.tree.byId.get(details.row);
  const place = row ? app.tree.path(row).map((name) => visible(name, 100)).join(' › ') : '';
  return element('div', { className: 'tools' },
    element('strong', {}, element('bdi', { id: 'event-name' }, visible(details.name))),
    element('span', {}, details.end === null ? 'has no end in the report' : duration(details.end - details.start)),
    element('span', { className: 'muted' }, `at ${moment(details.start)}${clock(app, details.start)}`),
    element('bdi', { className: 'muted' }, place),
    button('Zoom to it', () => app.viewport.fit(details.start, details.end ?? app.viewport.whole.end)),
    button('Statistics of its span', () => {
      app.selection.setArea({ start: details.start, end: details.end ?? app.viewport.whole.end, row: null });
      app.drawer.show('statistics');
    }));
}

/**
 * The time of day, if the report has that of its start.
 * @param {App} app
 * @param {number} time
 */
function clock({ utcStart }, time) {
  return utcStart === null ? '' : ` (${new Date((utcStart + time) / 1e6).toISOString().replace('T', ' ').replace('Z', ' UTC')})`;
}

/** @param {EventDetails} details */
function facts(details) {
  if (!details.facts?.length) return null;
  return element('table', { id: 'event-facts' }, element('tbody', {},
    ...details.facts.map(([name, text]) => element('tr', {}, element('th', { scope: 'row' }, visible(name)), element('td', {}, visible(text))))));
}

/** @param {EventDetails} details */
function columns(details) {
  const rows = details.columns.map(({ name, text }) => element('tr', {},
    element('th', { scope: 'row' }, visible(name, 100)), element('td', {}, element('bdi', {}, visible(text, 20000)))));
  return element('section', {}, facts(details), element('h3', {}, visible(details.table)),
    element('table', { id: 'event-columns' }, element('tbody', {}, ...rows)));
}

/** @param {EventDetails} details */
function chain(details) {
  const frames = details.chain.map((frame) => element('tr', {},
    element('td', {}, element('bdi', {}, visible(frame.function, 500))),
    element('td', { className: 'muted' }, element('bdi', {}, visible(frame.place, 500)), frame.kind === 'native' ? '' : ` (${visible(frame.kind, 20)})`)));
  if (!frames.length) return null;
  return element('section', {}, element('h3', {}, 'Call chain, innermost first'),
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
  const length = link.end === null ? '' : `, ${duration(link.end - link.start)}`;
  return button(`${visible(link.name, 200)} (at ${moment(link.start)}${length})`, () => void app.selection.select(link, true),
    { className: 'plain', 'data-relation': link.relation });
}
