// What the list is limited to: pairs of a source, of a bar of a plot, or of an address. A filter says in words what it lets through,
// and tests a pair by its number.

const ofReason = (reason) => ({ words: () => [reasonName(reason)], has: (at) => isRemoved(at) && PAIRS[at].r === reason });

const ofAction = (action) => ({ words: () => [say(`acted.${action}`)], has: (at) => PAIRS[at].a === action });

const nameOfSource = (name) => (name === null ? say('noValue') : named(name));

const ofSource = (name) => ({ words: () => words('filterSource', { name: nameOfSource(name) }), has: (at) => isRemoved(at) && sourceOf(PAIRS[at].d) === name });

const ofSources = (own, keeper) => ({
  words: () => words('filterSources', { own: nameOfSource(own), keeper: nameOfSource(keeper) }),
  has: (at) => isRemoved(at) && sourceOf(PAIRS[at].d) === own && sourceOf(PAIRS[at].k) === keeper,
});

// A hundredth of similarity; the tolerance makes six decimals exact.
const hundredth = (similarity) => Math.min(100, Math.floor(similarity * 100 + 1e-7));
const ofSimilarity = (from) => ({ words: () => [say('filterSimilarity', { from: fixed(from, 2) })], has: (at) => !isLeak(at) && hundredth(PAIRS[at].s) === hundredth(from) });

// Lengths and sizes are in ranges with both ends.
const ofLength = (first, last) => ({
  words: () => [say('filterLength', { first: number(first), last: number(last) })],
  has: (at) => isRemoved(at) && Math.max(lengthOf(PAIRS[at].d), 1) >= first && Math.max(lengthOf(PAIRS[at].d), 1) <= last,
});

const ofSize = (first, last) => ({
  words: () => [say('filterSize', { first: number(first), last: number(last) })],
  has: (at) => isRemoved(at) && sizeOf(clusterOfNumber.get(PAIRS[at].c)) >= first && sizeOf(clusterOfNumber.get(PAIRS[at].c)) <= last,
});

const ofPair = (pair) => ({ words: () => words('filterPair', { one: named(idOf(PAIRS[pair].d)), other: named(idOf(PAIRS[pair].k)) }), has: (at) => at === pair });

// Shows a filtered list of this name.
const showFiltered = (pick, filter) => document.getElementById('browse').show(pick, '', filter);
