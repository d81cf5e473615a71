// Clusters and pairs to browse and to search.

const STEP = 10;

// What a person has asked for, so that it outlives a change of the language.
const asked = { pick: 'pickLargest', search: '' };

function browseSection() {
  const section = make('section', { id: 'browse' }, make('h2', {}, say('nav')[4]));
  const picks = Object.keys(LISTS).filter((name) => name !== 'pickLonger' || LISTS.pickLonger().length);
  const pick = make('select', { id: 'pick' }, picks.map((name) => make('option', { value: name }, say(name))));
  const search = make('input', { type: 'search', id: 'search', placeholder: say('search'), 'aria-label': say('search') });
  [pick.value, search.value] = [asked.pick, asked.search];
  const [list, count] = [make('div', {}), make('p', { class: 'faint small', role: 'status' })];
  const more = make('button', { type: 'button', id: 'more-pairs', on: { click: () => { showMorePairs(); list.children[shown - STEP].focus({ preventScroll: true }); } } }, say('more'));
  let elements = [];
  let shown = 0;
  showMorePairs = () => {
    if (shown >= elements.length) return false;
    add(list, elements.slice(shown, shown + STEP).map((element) => element()));
    shown += STEP;
    count.textContent = say('all', { shown: number(list.children.length), all: number(elements.length) });
    more.hidden = shown >= elements.length;
    return true;
  };
  const renew = () => {
    [asked.pick, asked.search] = [pick.value, search.value];
    [elements, shown, more.hidden] = [found(pick.value, search.value.trim()), 0, true];
    list.replaceChildren();
    if (!showMorePairs()) count.textContent = say(search.value.trim() ? 'searchNone' : 'noneHere', { folder: inShell(DATA.folder || 'DIR') });
  };
  pick.addEventListener('change', () => { search.value = ''; renew(); });
  search.addEventListener('input', renew);
  const missed = DATA.pairs.filter((pair) => pair.r === 'missed').length;
  const values = { pairs: number(DATA.pairs.length - missed), removed: number(DATA.summary.counts.removed), missed: number(missed) };
  renew();
  section.show = (name, wanted) => {
    [pick.value, search.value] = [name, wanted];
    renew();
    section.scrollIntoView();
    pick.focus({ preventScroll: true });
  };
  return add(section, [
    make('p', { class: 'small faint' }, say('sampleNote', values)),
    make('div', { class: 'legend' }, KINDS.map((kind) => make('span', {}, make('mark', { class: kind }, say(`legend.${kind}`))))),
    make('div', { class: 'controls' }, make('label', {}, say('pick'), pick), search),
    make('p', { class: 'small faint' }, say('verdictKeys')),
    list, count, more,
  ]);
}

// Shows more of the list, if it has more; set by the section that has the list.
let showMorePairs = () => false;

const similarityOf = (at) => DATA.pairs[at].s;
const isMissed = (at) => DATA.pairs[at].r === 'missed';
const wasCompared = (at) => !['exact', 'contains'].includes(DATA.pairs[at].r);
const fromBound = (at) => Math.abs(similarityOf(at) - DATA.summary.settings['min-similarity']);
const lengthOf = (document) => DATA.documents[document][3];
const longerBy = (at) => lengthOf(DATA.pairs[at].d) - lengthOf(DATA.pairs[at].k);

// Some pairs by their numbers, those with the smallest value first.
const pairsBy = (isIn, value) => DATA.pairs.map((_, at) => at).filter(isIn).sort((one, other) => value(one) - value(other) || one - other);

// The pairs of each list; clusters are shown as such.
const LISTS = {
  pickLargest: () => [],
  pickLeast: () => pairsBy((at) => !isMissed(at), similarityOf),
  pickSampled: () => pairsBy((at) => !isMissed(at), scattered),
  pickMissed: () => pairsBy(isMissed, (at) => -similarityOf(at)),
  pickUnmarked: () => pairsBy((at) => wasCompared(at) && !verdicts.has(at), fromBound),
  // The limit of the alarm.
  pickLonger: () => pairsBy((at) => ['near', 'contained'].includes(DATA.pairs[at].r) && 5 * lengthOf(DATA.pairs[at].d) >= 6 * lengthOf(DATA.pairs[at].k), (at) => -longerBy(at)),
};

// What is shown, each as a function that makes its element. A search goes through the pairs of all lists.
function found(pick, wanted) {
  const cluster = wanted.match(/^#(\d+)$/);
  if (cluster || (!wanted && pick === 'pickLargest')) {
    const clusters = DATA.clusters.filter(([numbered]) => !cluster || numbered === Number(cluster[1]));
    return clusters.map((one) => () => clusterOf(one));
  }
  const pairs = wanted ? pairsBy((at) => textOfPair(at).includes(wanted.toLowerCase()), (at) => at) : LISTS[pick]();
  return pairs.map((at) => () => pairOf(at));
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

function clusterOf([numbered, size, keeper, pairs]) {
  const [first, ...rest] = pairs;
  const more = size - 1 - pairs.length;
  const later = make('div', {});
  const open = rest.length > 0 && make('button', { type: 'button', on: { click: (event) => { event.currentTarget.remove(); add(later, rest.map(pairOf)); } } },
    `${say('more')} (${number(rest.length)})`);
  return make('section', { class: 'cluster', tabindex: -1 },
    make('h3', {}, words('clusterTitle', { number: numbered, size: number(size), keeper: named(idOf(keeper)) })),
    pairOf(first), later, open,
    more > 0 && make('p', { class: 'small faint' }, say('clusterMore', { n: number(more) })));
}
