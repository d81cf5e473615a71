// Pairs and clusters to browse and to search.

// What a person has asked for, so that it outlives a change of the language.
const asked = { pick: 'leastSimilar', search: '', filter: null };

function browseSection() {
  const section = make('section', { id: 'browse' }, make('h2', {}, say('nav.browse')));
  const pick = make('select', { id: 'pick' }, lists().map((name) => make('option', { value: name }, nameOfList(name))));
  const search = make('input', { type: 'search', id: 'search', placeholder: say('search'), 'aria-label': say('search') });
  [pick.value, search.value] = [asked.pick, asked.search];
  const filtered = make('p', { class: 'filter', role: 'status' });
  const { list, count, more, fill } = growingList();
  const renew = () => {
    [asked.pick, asked.search] = [pick.value, search.value];
    showFilter(filtered, () => { asked.filter = null; renew(); });
    if (!fill(found(pick.value, search.value.trim(), asked.filter))) count.textContent = say(search.value.trim() ? 'searchNone' : 'noneHere', { folder: inShell(DATA.folder || 'DIR') });
    if (search.value.trim() && DATA.parts_in !== null) count.textContent += ` ${say('searchLoaded')}`;
    // Whoever asks for one cluster wants to see its documents.
    if (numberedIn(search.value) && list.firstChild) list.firstChild.unfold();
  };
  pick.addEventListener('change', () => { search.value = ''; renew(); });
  search.addEventListener('input', renew);
  renew();
  section.show = (name, wanted, filter) => {
    [pick.value, search.value, asked.filter] = [name, wanted, filter || null];
    renew();
    section.scrollIntoView();
    pick.focus({ preventScroll: true });
  };
  return add(section, [
    make('div', { class: 'controls' }, make('label', {}, say('pick'), pick), search),
    filtered, list, count, more,
    legend(),
    make('p', { class: 'small faint keys' }, say('verdictKeys')),
  ]);
}

// Says what the list is limited to, with a way back to all of it.
function showFilter(element, clear) {
  element.replaceChildren();
  element.hidden = asked.filter === null;
  if (asked.filter === null) return;
  add(element, [say('filter'), ' ', make('b', {}, asked.filter.words()), ' ', make('button', { type: 'button', id: 'filter-clear', on: { click: clear } }, say('filterClear'))]);
}

const fromBound = (at) => Math.abs(PAIRS[at].s - DATA.summary.settings['min-similarity']);
const longerBy = (at) => lengthOf(PAIRS[at].d) - lengthOf(PAIRS[at].k);

// The pairs of each list of pairs.
const PAIR_LISTS = {
  leastSimilar: () => pairsBy((at) => !isMissed(at), (at) => PAIRS[at].s),
  longer: () => pairsBy((at) => PAIRS[at].o, (at) => -longerBy(at)),
  unmarked: () => pairsBy((at) => wasCompared(at) && !verdicts.has(at), fromBound),
  missed: () => pairsBy(isMissed, (at) => -PAIRS[at].s),
};

// The clusters of each list of clusters.
const CLUSTER_LISTS = {
  largest: () => CLUSTERS,
  least: () => [...CLUSTERS].sort((one, other) => PAIRS[one.pairs[0]].s - PAIRS[other.pairs[0]].s),
};

// The names of the lists.
const lists = () => [...Object.keys(PAIR_LISTS).filter((name) => name !== 'longer' || PAIRS.some((pair) => pair.o)), ...Object.keys(CLUSTER_LISTS)];

const nameOfList = (name) => say(`lists.${name === 'leastSimilar' && PAIRS.some((_, at) => isLeak(at)) ? 'withLeaks' : name}`);

// The number of the cluster that a search asks for.
const numberedIn = (wanted) => wanted.trim().match(/^#(\d+)$/);

// What is shown, each as a function that makes its element. A search goes through the pairs of all lists. A filter lets through the
// clusters with a pair that it lets through.
function found(pick, wanted, filter) {
  const passes = (at) => filter === null || filter.has(at);
  const clusters = (all) => all.filter(({ pairs }) => pairs.some(passes)).map((cluster) => () => clusterOf(cluster));
  const numbered = numberedIn(wanted);
  if (numbered) return clusters(CLUSTERS.filter(({ n }) => n === Number(numbered[1])));
  if (!wanted && pick in CLUSTER_LISTS) return clusters(CLUSTER_LISTS[pick]());
  const pairs = wanted ? pairsBy((at) => textOfPair(at).includes(wanted.toLowerCase()), (at) => at) : PAIR_LISTS[pick]();
  return pairs.filter(passes).map((at) => () => listed(at));
}

// A pair in a list, from which its cluster can be seen.
function listed(at) {
  const pair = pairOf(at).fill();
  const cluster = clusterOfNumber.get(PAIRS[at].c);
  const show = cluster && make('button', { type: 'button', class: 'to-cluster', on: { click: () => document.getElementById('browse').show(asked.pick, `#${cluster.n}`) } },
    `${say('clusterTitle', { number: cluster.n })} · ${say('clusterSize', { size: number(sizeOf(cluster)) })}`);
  add(pair.querySelector('.verdict'), [show]);
  return pair;
}

// The ids, fields and texts of a pair in small letters: made once, and again when its texts have been loaded.
const pairTexts = new Map();
function textOfPair(at) {
  const { d, k } = PAIRS[at];
  const view = viewAtHand(at);
  const known = pairTexts.get(at);
  if (known && known.view === view) return known.text;
  const texts = view ? [view.l, view.r].map((pieces) => pieces.map(([kind, text, folded]) => (kind === FOLDED ? folded : text)).join('')) : [];
  const text = [d, k].flatMap((document) => [idOf(document), ...fieldsOf(document).map(([, value]) => value)]).concat(texts).join('\n').toLowerCase();
  pairTexts.set(at, { view, text });
  return text;
}
