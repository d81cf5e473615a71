// The service in numbers: what it holds, and what it was asked over time.

async function overviewView() {
  const [info, series] = await Promise.all([call('GET', 'v1/info'), call('GET', 'v1/series').catch((error) => { if (error.status === 404) return { minutes: [] }; throw error; })]);
  const tile = (value, name) => make('div', { class: 'tile' }, make('b', {}, value), make('span', {}, name));
  const labels = series.minutes.map(({ at }) => new Intl.DateTimeFormat(language, { timeStyle: 'short', hourCycle: 'h23' }).format(new Date(at)));
  const plot = (name, color) => bars(say(`series.${name}`), labels, [{ name: say(`units.${name}`), color, values: series.minutes.map((minute) => minute[name] || 0) }], say('minute'));
  const sum = (name) => series.minutes.reduce((all, minute) => all + (minute[name] || 0), 0);
  const rest = Object.entries(info).filter(([name]) => name !== 'documents');
  return [make('h2', {}, say('nav.overview')),
    make('div', { class: 'tiles' }, tile(number(info.documents), say('units.documents')), series.minutes.length > 0 && [tile(number(sum('questions')), say('units.questions')), tile(number(sum('hits')), say('units.hits'))]),
    make('div', { class: 'plots' }, plot('documents', 'var(--accent)'), plot('questions', 'var(--kept)'), plot('hits', 'var(--removed)'), plot('p99_ms', 'var(--missed)')),
    make('h3', {}, say('service')), make('dl', {}, rest.map(([name, value]) => [make('dt', {}, named(name)), make('dd', {}, named(typeof value === 'string' ? value : asJson(value)))]))];
}
