// Clusters and pairs to browse and to search.

const STEP = 10;

// What a person has asked for, so that it outlives a change of the language.
const asked = { pick: 'largest', search: '' };

function browseSection() {
  const section = make('section', { id: 'browse' }, make('h2', {}, say('nav')[4]));
  const pick = make('select', { id: 'pick' }, lists().map((name) => make('option', { value: name }, say(`lists.${name}`))));
  const search = make('input', { type: 'search', id: 'search', placeholder: say('search'), 'aria-label': say('search') });
  [pick.value, search.value] = [asked.pick, asked.search];
  const [list, count] = [make('div', {}), make('p', { class: 'faint small', role: 'status' })];
  const more = make('button', { type: 'button', id: 'show-more', on: { click: () => { showMore(); stopOf(list.children[shown - STEP]).focus({ preventScroll: true }); } } }, say('more'));
  let elements = [];
  let shown = 0;
  showMore = () => {
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
    if (!showMore()) count.textContent = say(search.value.trim() ? 'searchNone' : 'noneHere', { folder: inShell(DATA.folder || 'DIR') });
    // Whoever asks for one cluster wants to see its documents.
    if (numberedIn(search.value) && list.firstChild) list.firstChild.unfold();
  };
  pick.addEventListener('change', () => { search.value = ''; renew(); });
  search.addEventListener('input', renew);
  renew();
  section.show = (name, wanted) => {
    [pick.value, search.value] = [name, wanted];
    renew();
    section.scrollIntoView();
    pick.focus({ preventScroll: true });
  };
  return add(section, [
    make('p', { class: 'small faint' }, sampleNote()),
    make('div', { class: 'legend' }, KINDS.map((kind) => make('span', {}, make('mark', { class: kind }, say(`legend.${kind}`))))),
    make('div', { class: 'controls' }, make('label', {}, say('pick'), pick), search),
    make('p', { class: 'small faint keys' }, say('verdictKeys')),
    list, count, more,
  ]);
}

// Shows more of the list, if it has more; set by the section that has the list.
let showMore = () => false;

// How much of the run the report holds.
function sampleNote() {
  const { pairs, clusters, summary } = DATA;
  const missed = pairs.filter((pair) => pair.r === 'missed').length;
  return say('sampleNote', {
    pairs: number(pairs.length - missed), removed: number(summary.counts.removed), missed: number(missed),
    clusters: number(clusters.length), all: number(summary.counts.clusters),
  });
}

const similarityOf = (at) => DATA.pairs[at].s;
const isMissed = (at) => DATA.pairs[at].r === 'missed';
const wasCompared = (at) => !['exact', 'contains', 'marked'].includes(DATA.pairs[at].r);
const fromBound = (at) => Math.abs(similarityOf(at) - DATA.summary.settings['min-similarity']);
const lengthOf = (document) => DATA.documents[document][3];
const longerBy = (at) => lengthOf(DATA.pairs[at].d) - lengthOf(DATA.pairs[at].k);

// Some pairs by their numbers, those with the smallest value first.
const pairsBy = (isIn, value) => DATA.pairs.map((_, at) => at).filter(isIn).sort((one, other) => value(one) - value(other) || one - other);

// The pairs of each list of pairs.
const PAIRS = {
  unmarked: () => pairsBy((at) => wasCompared(at) && !verdicts.has(at), fromBound),
  missed: () => pairsBy(isMissed, (at) => -similarityOf(at)),
  leastSimilar: () => pairsBy((at) => !isMissed(at), similarityOf),
  longer: () => pairsBy((at) => DATA.pairs[at].o, (at) => -longerBy(at)),
};

// The names of the lists: clusters in several orders, then pairs.
const lists = () => [...Object.keys(DATA.orders), ...Object.keys(PAIRS).filter((name) => name !== 'longer' || PAIRS.longer().length)];

// The number of the cluster that a search asks for.
const numberedIn = (wanted) => wanted.trim().match(/^#(\d+)$/);

// What is shown, each as a function that makes its element. A search goes through the pairs of all lists.
function found(pick, wanted) {
  const numbered = numberedIn(wanted);
  if (numbered) return DATA.clusters.filter(({ n }) => n === Number(numbered[1])).map((cluster) => () => clusterOf(cluster));
  if (!wanted && pick in DATA.orders) return DATA.orders[pick].map((at) => () => clusterOf(DATA.clusters[at]));
  const pairs = wanted ? pairsBy((at) => textOfPair(at).includes(wanted.toLowerCase()), (at) => at) : PAIRS[pick]();
  return pairs.map((at) => () => listed(at));
}

// A pair in a list, from which its cluster can be seen.
function listed(at) {
  const pair = pairOf(at);
  const cluster = DATA.clusters.find(({ pairs }) => pairs.includes(at));
  const show = cluster && make('button', { type: 'button', class: 'to-cluster', on: { click: () => document.getElementById('browse').show(asked.pick, `#${cluster.n}`) } },
    `${say('clusterTitle', { number: cluster.n })} · ${say('clusterSize', { size: number(cluster.size) })}`);
  add(pair.querySelector('.verdict'), [show]);
  return pair;
}

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
