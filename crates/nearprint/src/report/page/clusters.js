// A cluster: a line that says what it is, and, opened, its keeper beside one of its removed documents, whichever is picked.

// More than two lines of a wide page; the style shows two.
const FIRST_WORDS = 400;

// The number of documents that are added at once.
const MEMBERS = 50;

function clusterOf(cluster) {
  const { n, pairs } = cluster;
  const inside = make('div', {});
  const fill = () => { if (!inside.childElementCount) add(inside, membersOf(pairs)); };
  const facts = [say('clusterSize', { size: number(sizeOf(cluster)) }), say('clusterLeast', { similarity: fixed(PAIRS[pairs[0]].s) }), sourcesOf(cluster)].filter(Boolean);
  const beginning = make('span', { class: 'words faint', dir: 'auto' });
  withView(pairs[0], (view) => add(beginning, visible(firstWords(view))));
  const element = make('details', { class: 'cluster', on: { toggle: () => element.open && fill() } },
    make('summary', {}, make('b', {}, say('clusterTitle', { number: n })), facts.map((fact) => [' · ', fact]), beginning),
    inside);
  element.unfold = () => { element.open = true; fill(); };
  return element;
}

// The beginning of the keeper of a pair; nothing where the report lacks its text.
function firstWords(view) {
  const text = view ? keeperPieces(view).map(([kind, part]) => (kind === FOLDED ? ' … ' : part)).join('') : '';
  return [...text.slice(0, 2 * FIRST_WORDS).replace(/\s+/g, ' ')].slice(0, FIRST_WORDS).join('');
}

// Where the documents of a cluster come from, if not all of the input comes from one source.
function sourcesOf({ pairs }) {
  if (DATA.sources.rows.length < 2) return null;
  const counts = new Map();
  for (const document of [PAIRS[pairs[0]].k, ...pairs.map((at) => PAIRS[at].d)]) {
    counts.set(sourceOf(document), (counts.get(sourceOf(document)) || 0) + 1);
  }
  const sources = [...counts].sort(([, one], [, other]) => other - one).map(([name]) => nameOfSource(name));
  return make('span', {}, words('clusterFrom', { names: some(sources) }));
}

// The pairs of a cluster, of which one is shown, and a button for each.
function membersOf(numbers) {
  const [pairs, members] = [make('div', {}), make('div', { class: 'members', role: 'group', 'aria-label': say('clusterPick') })];
  const pick = (picked) => [...pairs.children].forEach((pair) => {
    const isPicked = Number(pair.dataset.pair) === picked;
    if (isPicked) pair.fill();
    pair.hidden = !isPicked;
    members.querySelector(`[data-member="${pair.dataset.pair}"]`).setAttribute('aria-pressed', String(isPicked));
  });
  const more = make('button', { type: 'button', class: 'member', on: { click: () => addMembers() } }, say('more'));
  const addMembers = () => {
    const from = pairs.childElementCount;
    numbers.slice(from, from + MEMBERS).forEach((at) => {
      const pair = pairOf(at);
      [pair.hidden, pair.reveal] = [true, () => pick(at)];
      pairs.append(pair);
      more.before(make('button', { type: 'button', class: 'member', 'aria-pressed': 'false', 'data-member': at, 'data-mark': String(verdicts.get(at)), on: { click: () => pick(at) } },
        make('b', {}, fixed(PAIRS[at].s)), ' ', named(idOf(PAIRS[at].d))));
    });
    more.hidden = pairs.childElementCount >= numbers.length;
  };
  add(members, [make('span', { class: 'small faint' }, say('clusterPick')), more]);
  members.hidden = numbers.length < 2;
  addMembers();
  pick(numbers[0]);
  return [members, pairs];
}
