// A cluster: a line that says what it is, and, opened, its keeper beside one of its removed documents, whichever is picked.

// More than two lines of a wide page; the style shows two.
const FIRST_WORDS = 400;

function clusterOf(cluster) {
  const { n, size, s, pairs } = cluster;
  const inside = make('div', {});
  const more = size - 1 - pairs.length;
  const fill = () => {
    if (inside.childElementCount) return;
    add(inside, [membersOf(pairs), more > 0 && make('p', { class: 'small faint' }, say('clusterMore', { n: number(more) }))]);
  };
  const facts = [say('clusterSize', { size: number(size) }), say('clusterLeast', { similarity: fixed(s) }), sourcesOf(cluster)].filter(Boolean);
  const element = make('details', { class: 'cluster', on: { toggle: () => element.open && fill() } },
    make('summary', {},
      make('b', {}, say('clusterTitle', { number: n })), facts.map((fact) => [' · ', fact]),
      make('span', { class: 'words faint', dir: 'auto' }, visible(firstWords(DATA.pairs[pairs[0]])))),
    inside);
  element.unfold = () => { element.open = true; fill(); };
  return element;
}

// The beginning of the keeper of a pair; nothing where the report lacks its text.
function firstWords({ v }) {
  const text = v ? v.r.map(([kind, part]) => (kind === FOLDED ? ' … ' : part)).join('') : '';
  return [...text.slice(0, 2 * FIRST_WORDS).replace(/\s+/g, ' ')].slice(0, FIRST_WORDS).join('');
}

// Where the documents of a cluster come from, if not all of the input comes from one source.
function sourcesOf({ from, sources }) {
  if (DATA.sources.rows.length < 2) return null;
  const names = from.flatMap((name, at) => [at > 0 && say('clusterComma'), name === null ? say('noValue') : named(name)]);
  const more = sources > from.length && say('clusterSources', { n: number(sources) });
  return make('span', {}, words('clusterFrom', { names: make('span', {}, names, more) }));
}

// The pairs of a cluster, of which one is shown, and a button for each.
function membersOf(numbers) {
  const pairs = numbers.map(pairOf);
  const pick = (picked) => pairs.forEach((pair, at) => {
    pair.hidden = at !== picked;
    members[at].setAttribute('aria-pressed', String(at === picked));
  });
  const members = numbers.map((number, at) => {
    const mark = String(verdicts.get(number));
    return make('button', { type: 'button', class: 'member', 'data-member': number, 'data-mark': mark, on: { click: () => pick(at) } },
      make('b', {}, fixed(DATA.pairs[number].s)), ' ', named(idOf(DATA.pairs[number].d)));
  });
  pairs.forEach((pair, at) => { pair.reveal = () => pick(at); });
  pick(0);
  const picks = pairs.length > 1 && make('div', { class: 'members', role: 'group', 'aria-label': say('clusterPick') }, make('span', { class: 'small faint' }, say('clusterPick')), members);
  return [picks, pairs];
}
