// A report of the user's own: views with a note, a picture and figures, as Markdown with PNG files beside it.
import { ask } from './dialogs.js';
import { button, byId, download, replace } from './dom.js';
import { picture } from './image_export.js';
import { duration, moment, percent, visible } from './text.js';

const FILE = 'prof-report';
const MOST_ROWS = 30;

/** @typedef {{note: string, lines: string[], picture: Blob | null}} Entry */

/**
 * A text of a report in Markdown, where it is only text.
 * @param {string} text
 */
function plain(text) {
  return text.replace(/\s+/g, ' ').trim().replace(/[\\`*_{}[\]<>#|~]/g, '\\$&');
}

/**
 * A table of the page as Markdown.
 * @param {HTMLTableElement} table
 */
function tableLines(table) {
  const rows = [...table.rows].slice(0, MOST_ROWS + 1).map((row) => [...row.cells].map((cell) => plain(cell.innerText)));
  if (!table.tHead) rows.unshift(rows[0]?.map(() => '') ?? []);
  const line = (/** @type {string[]} */ cells) => `| ${cells.join(' | ')} |`;
  const [head, ...body] = rows;
  return [line(head), line(head.map(() => '---')), ...body.map(line), ''];
}

export class Notebook {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {Entry[]} */
    this.entries = [];
    this.draw();
  }

  draw() {
    const add = button('Add to report', () => void this.add(), { id: 'notebook-add', title: 'Keeps this view for a report of your own (Markdown with pictures)' });
    const save = this.entries.length ? [button(`Save report (${this.entries.length})`, () => void this.save(), { id: 'notebook-save' })] : [];
    replace(byId('notebook'), add, ...save);
  }

  /** Keeps what is on the screen, with a note. */
  async add() {
    const { app } = this;
    app.showTimeline();
    const lines = this.lines();
    const image = await picture(app);
    ask('What does this view show?', '', (note) => {
      this.entries.push({ note, lines, picture: image });
      this.draw();
      app.announce(`${this.entries.length} views are in the report`);
    });
  }

  /** What is shown, as text. */
  lines() {
    const { app } = this;
    const { viewport, selection, drawer, tree } = app;
    const lines = [`${moment(viewport.start)} to ${moment(viewport.end)} (${duration(viewport.end - viewport.start)}).`, ''];
    const { details, area } = selection;
    if (details) {
      const row = tree.byId.get(details.row);
      const length = details.end === null ? 'without an end' : details.end > details.start ? duration(details.end - details.start) : 'a moment';
      lines.push(`Selected event: **${plain(visible(details.name, 500))}**, ${length}, at ${moment(details.start)}` +
        `${row ? `, in ${plain(tree.path(row).map((name) => visible(name, 100)).join(' › '))}` : ''}.`, '');
    }
    if (area) lines.push(`Selected span: ${moment(area.start)} to ${moment(area.end)} (${duration(area.end - area.start)}).`, '');
    const table = drawer.isOpen ? drawer.body.querySelector('table') : null;
    if (table) lines.push(...tableLines(table));
    lines.push('The same view: `prof view` with this report, and this after the address:', '', '```', app.url.text(), '```', '');
    return lines;
  }

  /** Saves the Markdown and its pictures. */
  async save() {
    try {
      const lines = await this.head();
      this.entries.forEach(({ note, lines: about, picture: image }, i) => {
        const title = plain(note) || `View ${i + 1}`;
        lines.push(`## ${title}`, '', ...(image ? [`![${title}](${FILE}-${i + 1}.png)`, ''] : []), ...about);
        if (image) download(`${FILE}-${i + 1}.png`, image);
      });
      download(`${FILE}.md`, new Blob([`${lines.join('\n').trimEnd()}\n`], { type: 'text/markdown' }));
    } catch (error) {
      this.app.report(error);
    }
  }

  /** The title, the verdict and the findings of each report. */
  async head() {
    const lines = [];
    for (const [number, { name, path }] of this.app.reports.entries()) {
      const { verdict, findings } = await this.app.source.summary(number);
      lines.push(`# ${plain(visible(name, 200))}`, '', plain(visible(path, 500)), '');
      if (verdict) lines.push(`**${plain(visible(verdict.name, 200))}**: ${plain(visible(verdict.sentence, 1000))}`, '');
      for (const { share, sentence, evidence } of findings ?? []) lines.push(`- ${percent(share)}: ${plain(visible(sentence, 500))}: ${plain(visible(evidence, 1000))}`);
      if (findings?.length) lines.push('');
    }
    return lines;
  }
}
