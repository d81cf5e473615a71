// The pairs that the report shows.

// Every removed document beside its keeper, then the leaks in documents that stay, then the pairs just below the bound.
const PAIRS = held('pairs');

// The documents of the pairs. The first pair that has a document holds it, later ones have its number.
const DOCUMENTS = [];
for (const pair of PAIRS) {
  for (const side of ['d', 'k']) if (Array.isArray(pair[side])) pair[side] = DOCUMENTS.push(pair[side]) - 1;
}

// An id is JSON: a string, or an integer that may be larger than a number of JavaScript.
function idOf(document) {
  const id = DOCUMENTS[document][0];
  return id.startsWith('"') ? JSON.parse(id) : id;
}

const lengthOf = (document) => DOCUMENTS[document][3];

// The hash of the text of a document for marks; null without a text.
const hashOf = (document) => DOCUMENTS[document][6];

// The name of the source of a document: its file, or the value of a field; null without a value.
const sourceOf = (document) => (DATA.sources.by === null ? DATA.files[DOCUMENTS[document][1]] : DOCUMENTS[document][4]);

// The shown fields of a document, as names and values.
const fieldsOf = (document) => DATA.shown.map((name, at) => [name, DOCUMENTS[document][5][at]]).filter(([, value]) => value !== null && value !== undefined);

const isRemoved = (at) => PAIRS[at].c !== undefined;
const isLeak = (at) => PAIRS[at].a !== undefined;
const isMissed = (at) => PAIRS[at].r === 'missed';
const wasCompared = (at) => !['exact', 'contains', 'marked'].includes(PAIRS[at].r);

// Some pairs by their numbers, those with the smallest value first.
const pairsBy = (isIn, value) => PAIRS.map((_, at) => at).filter(isIn).sort((one, other) => value(one) - value(other) || one - other);

// The clusters, the largest first: their numbers, their pairs with the least similar one first, and their numbers of documents.
const CLUSTERS = [];
const clusterOfNumber = new Map();
for (const at of pairsBy(isRemoved, (at) => PAIRS[at].s)) {
  const n = PAIRS[at].c;
  if (!clusterOfNumber.has(n)) {
    clusterOfNumber.set(n, { n, pairs: [] });
    CLUSTERS.push(clusterOfNumber.get(n));
  }
  clusterOfNumber.get(n).pairs.push(at);
}
const sizeOf = (cluster) => cluster.pairs.length + 1;
CLUSTERS.sort((one, other) => sizeOf(other) - sizeOf(one) || one.n - other.n);
