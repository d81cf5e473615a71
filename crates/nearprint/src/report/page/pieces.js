// A text of a pair, with what it shares with the other one marked. A piece is the number of its kind, its text, and the number of its
// partner in the other text.

const KINDS = ['shared', 'moved', 'own', 'figure', 'stripped'];
const [SHARED, MOVED, FOLDED] = [0, 1, 5];

function pieceOf([kind, text, partner], side) {
  const shown = visible(text);
  if (kind === SHARED) return make('span', {}, shown);
  const attributes = { class: KINDS[kind], title: say(`legend.${KINDS[kind]}`) };
  if (kind === MOVED) {
    const go = { click: goToPartner, keydown: onEnter(goToPartner) };
    Object.assign(attributes, { tabindex: 0, role: 'button', 'data-piece': `${side}${partner}`, 'data-partner': `${side === 'l' ? 'r' : 'l'}${partner}`, on: go });
  }
  return make('mark', attributes, shown);
}

// A folded passage stands between the two ends of its piece. A click shows it, if the report has its text.
function piecesOf(pieces, side) {
  return pieces.map((piece, at) => {
    const [kind, count, text] = piece;
    if (kind !== FOLDED) return pieceOf(piece, side);
    const folded = say('folded', { n: number(count) });
    if (text === undefined) return make('span', { class: 'cut' }, ` ${folded} `);
    const [own, , partner] = pieces[at - 1];
    const unfold = () => button.replaceWith(pieceOf([own, text, partner], side));
    const button = make('button', { type: 'button', class: 'fold', title: say('unfold'), on: { click: unfold } }, folded);
    return button;
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

// A text below its head.
const textBox = (head, ...text) => make('section', { class: 'text' }, make('header', {}, head), make('div', { tabindex: 0 }, text));

const fieldOf = ([name, value]) => make('span', { class: 'field' }, make('span', { class: 'faint' }, named(name)), ' ', named(value));

// What the marks mean.
const legend = () => make('div', { class: 'legend' }, KINDS.map((kind) => make('span', {}, make('mark', { class: kind }, say(`legend.${kind}`)))));

// The name of a reason, also of one that this page does not know.
const reasonName = (reason) => { const name = say(`reasons.${reason}`); return name.startsWith('reasons.') ? reason : name; };
