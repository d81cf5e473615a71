// A pair of documents: why it was decided so, and its two texts with what they share marked.

function placeOf(document) {
  const [, file, row, length] = DOCUMENTS[document];
  return words('place', { file: named(DATA.files[file]), row: number(row), length: number(length) });
}

const measureName = (measure) => say(`measures.${measure}`).split(/[,，]/)[0];

// The reason in a sentence or a few.
function reasonOf(pair, view) {
  const settings = DATA.summary.settings;
  const [first, last] = pair.p || [0, 0];
  const values = {
    measure: measureName(settings.verify), similarity: fixed(pair.s), bound: settings['min-similarity'],
    first: number(first), last: number(last),
  };
  const known = pair.r in WORDS.en.sentence ? pair.r : 'other';
  const name = pair.a === undefined ? `sentence.${known}` : `leak.${pair.p ? pair.a : 'whole'}`;
  const sentences = [say(name, { ...values, reason: reasonName(pair.r) })];
  if (pair.t !== undefined && pair.r !== 'exact') sentences.push(say('distance', { distance: pair.t, bits: settings.bits }));
  if (pair.r === 'contained') sentences.push(whichHasMore(pair));
  if (pair.l) sentences.push(say('lost', { lost: percent(pair.l) }));
  if (countsLess(pair)) sentences.push(say(pair.n ? 'lessInFamily' : 'lessInPart', { share: percent(pair.f), similarity: fixed(pair.s) }));
  sentences.push(countsOf(pair, view));
  return sentences.filter(Boolean).join(language === 'zh' ? '' : ' ');
}

// Whether the share of both texts that stands in the other one counts as a lower similarity.
const countsLess = ({ f, s }) => f !== undefined && Number(fixed(f)) > Number(fixed(s));

// The numbers that decide beside the similarity.
function countsOf(pair, view) {
  if (!view || !view.c || pair.r === 'exact') return null;
  const [places, exchanged, contradicting, figures, framed] = view.c;
  const told = [
    pair.f !== undefined && !countsLess(pair) && say('counts.share', { share: percent(pair.f) }),
    places > 0 && say('counts.places', { places }),
    exchanged > 0 && say('counts.exchanged', { exchanged }),
    contradicting > 0 && say('counts.contradicting', { contradicting, figures }),
    framed > 0 && say('counts.framed'),
  ].filter(Boolean);
  return told.length > 0 && told.join(language === 'zh' ? '，' : '; ') + (language === 'zh' ? '。' : '.');
}

// Of two texts of which one contains the other, the one that has more.
function whichHasMore({ d, k }) {
  const [own, keeper] = [d, k].map(lengthOf);
  const name = own === keeper ? 'equallyLong' : own > keeper ? 'removedHasMore' : 'keeperHasMore';
  return say(name, { own: number(own), keeper: number(keeper) });
}

// The pieces of the keeper; equal texts are there once.
const keeperPieces = (view) => (view.e ? view.l : view.r);

// A document of a pair: its id, place and fields, and its text. `missing` says why there is no text.
function textOf(document, pieces, left, title, side, missing) {
  const shown = pieces ? piecesOf(pieces, side) : make('span', { class: 'cut' }, missing);
  const cut = left ? make('span', { class: 'cut' }, ` ${say('cutText', { n: number(left) })}`) : null;
  const head = [make('b', {}, title), ' ', named(idOf(document)), make('span', { class: 'faint place' }, placeOf(document)), fieldsOf(document).map(fieldOf)];
  return textBox(head, shown, cut);
}

// What each of the two documents is.
function titlesOf(at) {
  if (isMissed(at)) return [say('one'), say('other')];
  return isLeak(at) ? [say('kept'), say('item')] : [say('removed'), say('kept')];
}

// A pair as an element, which is empty until it is filled; `at` is its number.
function pairOf(at) {
  const element = make('article', { class: 'pair', tabindex: -1, 'data-pair': at });
  element.fill = () => {
    if (element.childElementCount) return element;
    const [reason, texts] = [make('p', {}), make('div', { class: 'texts' })];
    add(element, [reason, texts, verdictOf(at)]);
    const show = (view) => {
      const pair = PAIRS[at];
      const [left, right] = titlesOf(at);
      const missing = view === undefined ? words('textAway', { file: named(fileOf(partOf(at))) }) : say('textGone');
      const known = view || {};
      reason.replaceChildren();
      add(reason, [make('b', {}, fixed(pair.s)), ' · ', reasonOf(pair, view)]);
      if (known.u) reason.after(make('p', { class: 'small faint' }, say('unmarked')));
      texts.replaceChildren(
        textOf(pair.d, view && known.l, known.lm, left, 'l', missing),
        textOf(pair.k, view && keeperPieces(known), known.rm, right, 'r', missing));
    };
    withView(at, show);
    return element;
  };
  return element;
}

// The pairs of these numbers as elements, with their texts.
const pairsOf = (numbers) => numbers.map((at) => pairOf(at).fill());
