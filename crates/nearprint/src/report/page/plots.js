// Pictures of numbers: bars by range, and a matrix of sources. Each has its numbers as a table, too.

const WIDTH = 480;
const HEIGHT = 200;
const LEFT = 44;
const BOTTOM = 24;

// `series` are {name, color, values, show}; `labels` are those of the bars. A click on a bar calls `show` with its number.
function bars(title, labels, series, unit) {
  const totals = labels.map((_, at) => series.reduce((sum, one) => sum + one.values[at], 0));
  const most = Math.max(0, ...totals);
  const caption = make('figcaption', {}, title);
  if (!most) return make('figure', {}, caption, make('p', { class: 'faint' }, say('nothing')));
  const [width, height] = [(WIDTH - LEFT) / labels.length, HEIGHT - BOTTOM - 8];
  const drawing = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': title });
  for (const share of [0, 0.5, 1]) {
    const y = 8 + height * (1 - share);
    add(drawing, [
      svg('line', { x1: LEFT, x2: WIDTH, y1: y, y2: y, stroke: 'var(--line)' }),
      svg('text', { x: LEFT - 5, y: y + 4, 'text-anchor': 'end' }, short(most * share)),
    ]);
  }
  labels.forEach((label, at) => {
    let y = 8 + height;
    for (const one of series) {
      const tall = (height * one.values[at]) / most;
      if (!tall) continue;
      y -= Math.max(tall, 1);
      const hint = svg('title', {}, `${label}: ${number(one.values[at])} ${one.name}`);
      const box = { x: LEFT + at * width + 0.5, y, width: Math.max(width - 1, 1), height: Math.max(tall, 1), fill: one.color };
      const bar = svg('rect', box, hint);
      if (one.show) onPress(bar, () => one.show(at));
      add(drawing, [bar]);
    }
    const every = Math.ceil(labels.length / 9);
    if (at % every === 0) {
      const x = Math.min(LEFT + (at + 0.5) * width, WIDTH - 12);
      add(drawing, [svg('text', { x, y: HEIGHT - 7, 'text-anchor': 'middle' }, label)]);
    }
  });
  const legend = series.length > 1 && make('div', { class: 'legend' }, series.map((one) => key(one.color, one.name)));
  const rows = labels.flatMap((label, at) => (totals[at] ? [[label, ...series.map((one) => number(one.values[at]))]] : []));
  return make('figure', {}, caption, drawing, legend, asTable([unit, ...series.map((one) => one.name)], rows));
}

// A row and a column for each name; the columns have the numbers of the rows. A click on a count calls `show` with both numbers.
function matrix(title, names, counts, show) {
  const caption = make('figcaption', {}, title);
  const most = Math.max(0, ...counts.flat());
  if (!most) return make('figure', {}, caption, make('p', { class: 'faint' }, say('nothing')));
  const head = make('tr', {}, make('th'), names.map((name, at) => make('th', { scope: 'col', class: 'number', title: name }, at + 1)));
  const rows = counts.map((row, at) =>
    make('tr', {}, make('th', { scope: 'row' }, `${at + 1} `, names[at] === null ? say('noValue') : named(names[at])), row.map((count, column) => {
      const share = Math.round(85 * Math.sqrt(count / most));
      const color = count ? `color-mix(in srgb, var(--accent) ${share}%, var(--card))` : 'none';
      const ink = share > 55 ? 'var(--page)' : 'var(--ink)';
      const cell = make('td', { class: 'number', style: { background: color, color: ink } }, count ? number(count) : '');
      if (count) onPress(cell, () => show(at, column));
      return cell;
    })));
  return make('figure', {}, caption, make('div', { class: 'scroll' }, make('table', { class: 'matrix' }, make('thead', {}, head), make('tbody', {}, rows))));
}

const key = (color, name) => make('span', {}, make('i', { class: 'key', style: { background: color } }), name);

function asTable(heads, rows) {
  return make('details', { class: 'small' }, make('summary', {}, say('asTable')), table(heads, rows));
}

// The first column holds names, all others numbers.
function table(heads, rows) {
  const head = heads.map((name, at) => make('th', { scope: 'col', class: at ? 'number' : '' }, name));
  const body = rows.map((row) => make('tr', {}, row.map((cell, at) => make('td', { class: at ? 'number' : 'name' }, cell))));
  return make('div', { class: 'scroll' }, make('table', {}, make('thead', {}, make('tr', {}, head)), make('tbody', {}, body)));
}

function short(value) {
  return new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 }).format(value);
}
