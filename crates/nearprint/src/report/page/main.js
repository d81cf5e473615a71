// The page from top to bottom; it is made anew when the language changes.

const COLORS = { exact: '#7a8794', near: '#b4371f', contained: '#8a5cc2', short: '#2d7fb8', contains: '#b37400', marked: '#5f7a1f' };

const colorOf = (reason) => COLORS[reason] || 'var(--faint)';

// The reasons of the removals with their numbers, the known ones first.
function reasonCounts() {
  const counts = new Map(Object.keys(COLORS).map((reason) => [reason, 0]));
  PAIRS.forEach(({ r }, at) => { if (isRemoved(at)) counts.set(r, (counts.get(r) || 0) + 1); });
  return [...counts].filter(([, count]) => count > 0);
}

// The documents that stay with leaks, by the action on these.
function actions() {
  const documents = new Map();
  PAIRS.forEach(({ a, d }, at) => { if (isLeak(at)) documents.set(a, (documents.get(a) || new Set()).add(d)); });
  return [...documents].map(([action, { size }]) => [action, size]);
}

function glance() {
  const { summary, text } = DATA;
  const counts = summary.counts;
  const tile = (value, name, note) => make('div', { class: 'tile' }, make('b', {}, value), make('span', {}, name, note && [make('br'), note]));
  const share = (count) => say('share', { share: percent(count / Math.max(counts.read, 1)) });
  const actionTile = ([action, count]) => {
    const element = tile(number(count), say(`acted.${action}`), share(count));
    onPress(element, () => showFiltered('leastSimilar', ofAction(action)));
    return element;
  };
  const reasons = reasonCounts();
  const part = (count, color) => make('i', { style: { width: `${(100 * count) / Math.max(counts.read, 1)}%`, background: color } });
  const ofReasonKey = ([reason, count]) => {
    const element = key(colorOf(reason), `${reasonName(reason)} ${number(count)}`);
    onPress(element, () => showFiltered('leastSimilar', ofReason(reason)));
    return element;
  };
  return make('section', { id: 'glance', 'aria-label': say('nav.glance') },
    counts.against_found !== undefined && make('p', {}, make('b', {}, say('found', { found: number(counts.against_found), all: number(counts.against) }))),
    make('div', { class: 'tiles' },
      tile(number(counts.read), say('read')),
      counts.against !== undefined && tile(number(counts.against), say('against')),
      tile(number(counts.kept), say('kept'), share(counts.kept)),
      tile(number(counts.removed), say('removed'), share(counts.removed)),
      actions().map(actionTile),
      text?.removed > 0 && tile(bytes(text.removed), say('saved'), say('savedOf', { share: percent(text.removed / Math.max(text.all, 1)), all: bytes(text.all) })),
      tile(number(counts.clusters), say('clusters'), counts.clusters > 0 && say('largest', { size: number(counts.largest_cluster) }))),
    make('div', { class: 'bar', role: 'img', 'aria-label': [`${say('kept')} ${counts.kept}`, ...reasons.map(([name, count]) => `${reasonName(name)} ${count}`)].join(', ') },
      part(counts.kept, 'var(--kept)'), reasons.map(([name, count]) => part(count, colorOf(name)))),
    make('div', { class: 'legend' }, key('var(--kept)', `${say('kept')} ${number(counts.kept)}`), reasons.map(ofReasonKey)),
    make('p', { class: 'small' }, say('measure', { measure: say(`measures.${summary.settings.verify}`), bound: summary.settings['min-similarity'] }), ' ', recallInWords(summary.recall)),
    alarmsBox());
}

function recallInWords(recall) {
  if (!recall) return say('recallOff');
  if (recall.recall === null) return say('recallNone', { sampled: number(recall.sampled), pairs: number(recall.pairs) });
  const values = { pairs: number(recall.pairs), found: number(recall.found), sampled: number(recall.sampled), recall: fixed(recall.recall), low: fixed(recall.low), high: fixed(recall.high) };
  const apart = recall.kept_apart ? say('recallApart', { apart: number(recall.kept_apart) }) : '';
  return [say('recall', values), apart].filter(Boolean).join(language === 'zh' ? '' : ' ');
}

function settingsSection() {
  const { summary } = DATA;
  const rows = Object.entries(summary.settings).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]);
  const list = [[say('inputs'), summary.inputs.join(' ')], [say('fingerprintName'), summary.fingerprint], ...rows];
  return make('section', { id: 'settings' }, make('h2', {}, say('nav.settings')),
    make('details', {}, make('summary', {}, say('settingsTitle')), make('dl', {}, list.map(([name, value]) => [make('dt', {}, name), make('dd', {}, named(value))]))),
    make('p', { class: 'faint small' }, say('version', { version: summary.nearprint })));
}

const SECTIONS = ['glance', 'browse', 'sources', 'plots', 'bound', 'settings'];

function draw() {
  document.title = say('title', { name: DATA.name });
  document.body.replaceChildren(make('div', { class: 'wrap' },
    make('a', { class: 'skip', href: '#glance' }, say('skip')),
    make('header', { class: 'top' }, make('h1', {}, words('title', { name: named(DATA.name) })), switches(draw)),
    make('nav', {}, SECTIONS.map((id) => make('a', { href: `#${id}` }, say(`nav.${id}`)))),
    make('main', {}, glance(), browseSection(), sourcesSection(), plotsSection(), boundSection(), settingsSection()),
    make('div', { class: 'marks', id: 'marks', hidden: true })));
  showMarks();
}

document.addEventListener('keydown', onKey);
window.addEventListener('beforeunload', beforeLeaving);
window.addEventListener('hashchange', openAddress);
draw();
openAddress();
