// The service in numbers: what it holds, and what it was asked over time.

// The most bars of a plot.
const BARS = 96;

// How the numbers of several minutes become one.
const sum = (values) => values.reduce((all, value) => all + (value || 0), 0);
const largest = (values) => Math.max(...values.map((value) => value || 0));
const TOGETHER = { documents: (values) => values.at(-1), questions: sum, hits: sum, p99_ms: largest };

async function overviewView() {
  // A token of some collections may not see the numbers of the whole service.
  const [info, series] = await Promise.all([call('GET', 'v1/info'), call('GET', 'v1/series').catch(() => null)]);
  const { documents, ...rest } = info;
  const tile = (value, name) => make('div', { class: 'tile' }, make('b', {}, number(value)), make('span', {}, say(`units.${name}`)));
  const told = (value) => (Array.isArray(value) ? value.join(', ') : typeof value === 'object' ? asJson(value) : value);
  return [make('h2', {}, say('nav.overview')),
    make('div', { class: 'tiles' }, tile(documents, 'documents'), series && [tile(sum(series.questions), 'questions'), tile(sum(series.hits), 'hits')]),
    series && plotsOf(series),
    make('h3', {}, say('service')), make('dl', {}, Object.entries(rest).map(([name, value]) => [make('dt', {}, named(name)), make('dd', {}, named(told(value)))]))];
}

function plotsOf(series) {
  const count = series.questions.length;
  const by = Math.max(1, Math.ceil(count / BARS));
  // The groups of minutes; the first one may be smaller than the others.
  const ends = Array.from({ length: Math.ceil(count / by) }, (_, at) => count - at * by).reverse();
  const time = new Intl.DateTimeFormat(language, { timeStyle: 'short', hourCycle: 'h23' });
  const labels = ends.map((end) => time.format(new Date(series.end).getTime() - (count - end) * series.step * 1000));
  const plot = (name, color) => bars(say(`series.${name}`), labels, [{ name: say(`units.${name}`), color, values: ends.map((end) => TOGETHER[name](series[name].slice(Math.max(0, end - by), end))) }], say('until'));
  return [by > 1 && make('p', { class: 'small faint' }, say('barsOf', { n: by })),
    make('div', { class: 'plots' }, plot('documents', 'var(--accent)'), plot('questions', 'var(--kept)'), plot('hits', 'var(--removed)'), plot('p99_ms', 'var(--missed)'))];
}
