// Where the bound lies: a slider over least similarities, the documents that each would remove, and pairs on both sides of it.

const SIDE = 5;

function boundSection() {
  const { bounds, summary } = DATA;
  const own = summary.settings['min-similarity'];
  const section = make('section', { id: 'bound' }, make('h2', {}, say('nav.bound')));
  if (!bounds || bounds.removed.length < 2) return add(section, [make('p', {}, say('boundNone'))]);
  const nearest = bounds.removed.findIndex(([bound]) => bound >= own);
  const slider = make('input', { type: 'range', min: 0, max: bounds.removed.length - 1, step: 1, value: nearest, id: 'bound-slider' });
  const answer = make('p', { class: 'answer', role: 'status' });
  const examples = make('div', {});
  const command = make('code', {});
  const show = () => {
    const [bound, removed] = bounds.removed[Number(slider.value)];
    const range = (bounds.intervals || []).find(([of]) => of === bound);
    const values = { bound: asBound(bound), removed: number(removed), read: number(summary.counts.read), share: percent(removed / Math.max(summary.counts.read, 1)) };
    if (range) Object.assign(values, { low: number(range[1]), high: number(range[2]) });
    answer.textContent = say(answerAt(bound, range !== undefined), values);
    slider.setAttribute('aria-valuetext', answer.textContent);
    command.textContent = `nearprint rethreshold ${inShell(DATA.folder)} --min-similarity ${asBound(bound)} --output NEW`;
    const [above, below] = aroundBound(bound);
    const side = (name, pairs) => [make('h3', {}, say(name)), pairs.length ? pairsOf(pairs) : make('p', { class: 'faint' }, say('noneHere'))];
    examples.replaceChildren();
    add(examples, [side('above', above), side('below', below)]);
  };
  slider.addEventListener('input', show);
  const from = bounds.removed[0][0];
  const isSample = bounds.estimated && bounds.intervals.length > 0;
  const notes = [
    isSample && 'boundSampled',
    isSample && !bounds.crowded && 'boundCounts',
    bounds.crowded && 'boundCrowded',
    bounds.estimated && from === own && !bounds.crowded && 'boundAbove',
    bounds.without_short && 'boundShort',
  ];
  const note = notes.filter(Boolean).map((name) => say(name, { from: asBound(from) })).join(language === 'zh' ? '' : ' ');
  add(section, [
    make('p', {}, say('boundIntro')),
    make('label', { for: 'bound-slider' }, say('boundLabel')), slider, answer,
    make('p', { class: 'small faint' }, say('boundNow', { bound: own, removed: number(summary.counts.removed) })),
    note && make('p', { class: 'faint small' }, note),
    DATA.folder !== null && make('p', { class: 'small' }, say('boundCommand'), ' ', command),
    examples,
  ]);
  show();
  return section;
}

// A bound as people write it: in hundredths, or with all its decimals.
const asBound = (bound) => (Math.abs(bound - Number(bound.toFixed(2))) < 1e-9 ? bound.toFixed(2) : String(bound));

// The sentence on a bound: what was counted is said as it is, what was estimated as about so many, with its range where that is known,
// and where short documents are left out as at least so many.
function answerAt(bound, hasRange) {
  const { bounds, summary } = DATA;
  const own = summary.settings['min-similarity'];
  if (bound === own) return 'boundAnswer';
  if (bounds.estimated) return hasRange ? 'boundRange' : 'boundAbout';
  return bounds.without_short && bound < own ? 'boundLeast' : 'boundAnswer';
}

// The pairs next to a bound, on either side.
function aroundBound(bound) {
  const compared = PAIRS.map((pair, at) => [pair.s, at]).filter(([, at]) => wasCompared(at));
  compared.sort(([one, first], [other, second]) => one - other || first - second);
  const first = compared.findIndex(([similarity]) => similarity >= bound);
  const middle = first < 0 ? compared.length : first;
  const numbers = (part) => part.map(([, at]) => at);
  return [numbers(compared.slice(middle, middle + SIDE)), numbers(compared.slice(Math.max(0, middle - SIDE), middle).reverse())];
}
