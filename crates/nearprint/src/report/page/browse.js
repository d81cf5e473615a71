// Clusters and pairs to browse and to search.

const STEP = 10;

// What a person has asked for, so that it outlives a change of the language.
const asked = { pick: 'pickLargest', search: '' };

function browseSection() {
  const section = make('section', { id: 'browse' }, make('h2', {}, say('nav')[4]));
  const pick = make('select', { id: 'pick' }, ['pickLargest', 'pickLeast', 'pickSampled', 'pickMissed'].map((name) => make('option', { value: name }, say(name))));
  const search = make('input', { type: 'search', id: 'search', placeholder: say('search'), 'aria-label': say('search') });
  [pick.value, search.value] = [asked.pick, asked.search];
  const list = make('div', {});
  let shown = STEP;
  const show = () => {
    const elements = found(pick.value, search.value.trim());
    const part = elements.slice(0, shown).map((element) => element());
    const more = elements.length > shown && make('button', { type: 'button', on: { click: () => { shown += STEP; show(); } } }, say('more'));
    const none = !elements.length && make('p', {}, say(search.value.trim() ? 'searchNone' : 'noneHere', { folder: DATA.folder || 'DIR' }));
    const count = elements.length > 0 && make('p', { class: 'faint small' }, say('all', { shown: number(part.length), all: number(elements.length) }));
    list.replaceChildren();
    add(list, [part, none, count, more]);
  };
  const renew = () => {
    [asked.pick, asked.search, shown] = [pick.value, search.value, STEP];
    show();
  };
  pick.addEventListener('change', renew);
  search.addEventListener('input', renew);
  const missed = DATA.pairs.filter((pair) => pair.r === 'missed').length;
  const values = { pairs: number(DATA.pairs.length - missed), removed: number(DATA.summary.counts.removed), missed: number(missed) };
  show();
  section.showCluster = (wanted) => {
    search.value = `#${wanted}`;
    pick.value = 'pickLargest';
    renew();
    section.scrollIntoView();
  };
  return add(section, [
    make('p', { class: 'small faint' }, say('sampleNote', values)),
    make('div', { class: 'legend' }, KINDS.map((kind) => make('span', {}, make('mark', { class: kind }, say(`legend.${kind}`))))),
    make('div', { class: 'controls' }, make('label', {}, say('pick'), pick), search),
    make('p', { class: 'small faint' }, say('verdictKeys')),
    list,
  ]);
}

// What is shown, each as a function that makes its element.
function found(pick, wanted) {
  const cluster = wanted.match(/^#(\d+)$/);
  const fits = (at) => !wanted || cluster || textOfPair(at).includes(wanted.toLowerCase());
  if (pick === 'pickLargest') {
    const clusters = DATA.clusters.filter(([numbered, , , pairs]) =>
      cluster ? numbered === Number(cluster[1]) : !wanted || pairs.some(fits));
    return clusters.map((one) => () => clusterOf(one, wanted && !cluster ? one[3].filter(fits) : one[3]));
  }
  const all = DATA.pairs.map((_, at) => at).filter((at) => (DATA.pairs[at].r === 'missed') === (pick === 'pickMissed')).filter(fits);
  const similarity = (at) => DATA.pairs[at].s;
  if (pick === 'pickLeast') all.sort((one, other) => similarity(one) - similarity(other) || one - other);
  if (pick === 'pickMissed') all.sort((one, other) => similarity(other) - similarity(one) || one - other);
  if (pick === 'pickSampled') all.sort((one, other) => scattered(one) - scattered(other) || one - other);
  return all.map((at) => () => pairOf(at));
}

// An order that has nothing to do with the input, and is the same every time.
const scattered = (at) => Math.imul(at + 1, 0x9e3779b1) >>> 0;

// The ids and texts of a pair in small letters, made once.
const pairTexts = [];
function textOfPair(at) {
  if (pairTexts[at] === undefined) {
    const { d, k, v } = DATA.pairs[at];
    const texts = v ? [v.l, v.r].map((pieces) => (pieces || []).map(([, text]) => text).join('')) : [];
    pairTexts[at] = [idOf(d), idOf(k), ...texts].join('\n').toLowerCase();
  }
  return pairTexts[at];
}

function clusterOf([numbered, size, keeper, pairs], shown) {
  const first = shown[0];
  const rest = shown.slice(1);
  const more = size - 1 - pairs.length;
  const later = make('div', {});
  const open = rest.length > 0 && make('button', { type: 'button', on: { click: (event) => { event.currentTarget.remove(); add(later, rest.map(pairOf)); } } },
    `${say('more')} (${number(rest.length)})`);
  return make('section', { class: 'cluster' },
    make('h3', {}, words('clusterTitle', { number: numbered, size: number(size), keeper: named(idOf(keeper)) })),
    first !== undefined && pairOf(first), later, open,
    more > 0 && make('p', { class: 'small faint' }, say('clusterMore', { n: number(more) })));
}
