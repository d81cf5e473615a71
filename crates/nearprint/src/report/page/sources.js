// Where documents came from, and plots of the whole run. Rows and bars filter the list of pairs.

function sourcesSection() {
  const { by, rows, more } = DATA.sources;
  const nameCell = (name, removed) => {
    if (!removed) return nameOfSource(name);
    const element = make('span', {}, nameOfSource(name));
    onPress(element, () => showFiltered('leastSimilar', ofSource(name)));
    return element;
  };
  const cells = rows.map(([name, read, removed]) => [nameCell(name, removed), number(read), number(removed), percent(removed / Math.max(read, 1))]);
  return make('section', { id: 'sources' }, make('h2', {}, say('nav.sources')),
    make('h3', {}, by === null ? say('sourcesByFile') : words('sourcesByField', { field: named(by) })),
    table([say('source'), say('sourceRead'), say('removed'), say('sourceShare')], cells),
    more && make('p', { class: 'faint small' }, say('sourcesMore', { n: number(more[0]), read: number(more[1]), removed: number(more[2]) })));
}

// The first and the last number of documents of a bar: 2, 3, 4, then 5-8, 9-16.
const rangeOfSizes = (label) => label.split('-').map(Number).slice(0, 2);

// The first and the last number of characters of a bar, which begins with a power of two.
function rangeOfLengths(label) {
  const first = Number.parseInt(label, 10) * { k: 2 ** 10, M: 2 ** 20 }[label.at(-1)] || Number(label);
  return [first, 2 * first - 1];
}

function plotsSection() {
  const { similarities, sizes, lengths, across } = DATA;
  const froms = similarities.removed.map((_, at) => similarities.from + at * similarities.step);
  const removed = { name: say('removed'), color: 'var(--removed)' };
  const missed = { name: say(similarities.sampled ? 'plotMissedSampled' : 'plotMissed'), color: 'var(--missed)' };
  const ofSizes = (at) => { const [first, last] = rangeOfSizes(sizes.labels[at]); showFiltered('largest', ofSize(first, last || first)); };
  return make('section', { id: 'plots' }, make('h2', {}, say('nav.plots')), make('div', { class: 'plots' },
    bars(say('plotSimilarity'), froms.map((from) => from.toFixed(2)), [
      { ...removed, values: similarities.removed, show: (at) => showFiltered('leastSimilar', ofSimilarity(froms[at])) },
      { ...missed, values: similarities.missed, show: (at) => showFiltered('missed', ofSimilarity(froms[at])) },
    ], say('boundLabel')),
    bars(say('plotSizes'), sizes.labels, [{ name: say('clusters'), color: 'var(--accent)', values: sizes.clusters, show: ofSizes }], say('documents')),
    lengths && bars(say('plotLengths'), lengths.labels, [
      { name: say('kept'), color: 'var(--kept)', values: lengths.kept },
      { ...removed, values: lengths.removed, show: (at) => showFiltered('leastSimilar', ofLength(...rangeOfLengths(lengths.labels[at]))) },
    ], say('from')),
    across.names.length > 1 && matrix(say('plotAcross'), across.names, across.counts, (own, keeper) => showFiltered('leastSimilar', ofSources(across.names[own], across.names[keeper])))));
}
