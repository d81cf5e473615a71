// A pair of documents: why it was decided so, and its two texts with what they share marked.

const KINDS = ['shared', 'moved', 'own', 'figure'];
const [SHARED, MOVED, FOLDED] = [0, 1, 5];

// An id is JSON: a string, or an integer that may be larger than a number of JavaScript.
function idOf(document) {
  const id = DATA.documents[document][0];
  return id.startsWith('"') ? JSON.parse(id) : id;
}

function placeOf(document) {
  const [, file, row, length] = DATA.documents[document];
  return words('place', { file: named(DATA.files[file]), row: number(row), length: number(length) });
}

const measureName = (measure) => say(`measures.${measure}`).split(/[,，]/)[0];

// The reason in a sentence or a few.
function reasonOf(pair) {
  const settings = DATA.summary.settings;
  const [first, last] = pair.p || [0, 0];
  const values = {
    measure: measureName(settings.verify), similarity: fixed(pair.s), bound: settings['min-similarity'],
    first: number(first), last: number(last),
  };
  const sentences = [say(`sentence.${pair.r}`, values)];
  if (pair.t !== null && pair.r !== 'exact') sentences.push(say('distance', { distance: pair.t, bits: settings.bits }));
  if (pair.r === 'contained') sentences.push(whichHasMore(pair));
  if (pair.l) sentences.push(say('lost', { lost: percent(pair.l) }));
  sentences.push(countsOf(pair));
  return sentences.filter(Boolean).join(language === 'zh' ? '' : ' ');
}

// The numbers that decide beside the similarity, and the share of both texts that stands in the other one.
function countsOf({ f, r, v }) {
  if (!v || !v.c || r === 'exact') return null;
  const [places, exchanged, contradicting, figures, framed] = v.c;
  const told = [
    f != null && say('counts.share', { share: percent(f) }),
    places > 0 && say('counts.places', { places }),
    exchanged > 0 && say('counts.exchanged', { exchanged }),
    contradicting > 0 && say('counts.contradicting', { contradicting, figures }),
    framed > 0 && say('counts.framed'),
  ].filter(Boolean);
  return told.length > 0 && told.join(language === 'zh' ? '，' : '; ') + (language === 'zh' ? '。' : '.');
}

// Of two texts of which one contains the other, the one that has more.
function whichHasMore({ d, k }) {
  const [own, keeper] = [d, k].map((document) => DATA.documents[document][3]);
  const name = own === keeper ? 'equallyLong' : own > keeper ? 'removedHasMore' : 'keeperHasMore';
  return say(name, { own: number(own), keeper: number(keeper) });
}

function piecesOf(pieces, side) {
  return pieces.map(([kind, text, partner]) => {
    if (kind === FOLDED) return make('span', { class: 'cut' }, ` ${say('folded', { n: number(text) })} `);
    const shown = visible(text);
    if (kind === SHARED) return make('span', {}, shown);
    const attributes = { class: KINDS[kind], title: say(`legend.${KINDS[kind]}`) };
    if (kind === MOVED) {
      const go = { click: goToPartner, keydown: onEnter(goToPartner) };
      Object.assign(attributes, { tabindex: 0, role: 'button', 'data-piece': `${side}${partner}`, 'data-partner': `${side === 'l' ? 'r' : 'l'}${partner}`, on: go });
    }
    return make('mark', attributes, shown);
  });
}

// Shows where a moved passage stands in the other text.
function goToPartner(event) {
  const piece = event.currentTarget;
  const texts = piece.closest('.texts');
  texts.querySelectorAll('.partner').forEach((marked) => marked.classList.remove('partner'));
  const partner = texts.querySelector(`[data-piece="${piece.dataset.partner}"]`);
  if (!partner) return;
  [piece, partner].forEach((one) => one.classList.add('partner'));
  const box = partner.closest('.text > div');
  box.scrollTop += partner.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3;
}

const onEnter = (run) => (event) => {
  if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); run(event); }
};

function textOf(document, pieces, left, title, side) {
  const shown = pieces ? piecesOf(pieces, side) : make('span', { class: 'cut' }, say('textGone'));
  const cut = left ? make('span', { class: 'cut' }, ` ${say('cutText', { n: number(left) })}`) : null;
  return make('section', { class: 'text' },
    make('header', {}, make('b', {}, title), ' ', named(idOf(document)), make('span', { class: 'faint place' }, placeOf(document))),
    make('div', { tabindex: 0 }, shown, cut));
}

// A pair as an element; `at` is its number among the pairs of the report.
function pairOf(at) {
  const pair = DATA.pairs[at];
  const isMissed = pair.r === 'missed';
  const [left, right] = isMissed ? [say('one'), say('other')] : [say('gone'), say('keeper')];
  const view = pair.v || {};
  return make('article', { class: 'pair', tabindex: -1, 'data-pair': at },
    make('p', {}, make('b', {}, fixed(pair.s)), ' · ', reasonOf(pair)),
    view.u && make('p', { class: 'small faint' }, say('unmarked')),
    make('div', { class: 'texts' }, textOf(pair.d, view.l, view.lm, left, 'l'), textOf(pair.k, view.r, view.rm, right, 'r')),
    verdictOf(at));
}
