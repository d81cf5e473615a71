// The address of a pair: #pair-ONE+OTHER by the ids of its documents. #pair-ONE alone is the first pair of that document.

const addressOf = ({ d, k }) => `#pair-${[d, k].map((document) => encodeURIComponent(idOf(document))).join('+')}`;

// The number of the pair at an address; undefined if it is no address of a pair, and -1 if there is no such pair.
function atAddress(address) {
  if (!address.startsWith('#pair-')) return undefined;
  let ids;
  try {
    ids = address.slice('#pair-'.length).split('+').map(decodeURIComponent);
  } catch {
    return -1;
  }
  return PAIRS.findIndex(({ d, k }) => idOf(d) === ids[0] && (ids.length < 2 || idOf(k) === ids[1]));
}

// Shows the pair of the page's address.
function openAddress() {
  const at = atAddress(location.hash);
  if (at === undefined) return;
  if (at < 0) showFiltered('leastSimilar', { words: () => [say('filterNone')], has: () => false });
  else showFiltered(isMissed(at) ? 'missed' : 'leastSimilar', ofPair(at));
}
