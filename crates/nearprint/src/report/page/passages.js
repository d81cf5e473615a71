// The passages: each with its text, some of its places, and what a person says of it.

const PASSAGES = held('pairs');

// The most characters of a passage that are shown at once.
const SHOWN = 600;

const ACTION = DATA.summary.settings.action;

// What a person has asked for, so that it outlives a change of the language.
const asked = { pick: 'documents', search: '' };

// The passages of each list by their numbers. The page has them in the order of documents.
const byMost = (value) => PASSAGES.map((_, at) => at).sort((one, other) => value(PASSAGES[other]) - value(PASSAGES[one]) || one - other);
const LISTS = {
  documents: () => PASSAGES.map((_, at) => at),
  characters: () => byMost(({ characters }) => characters),
  letters: () => byMost(({ letters }) => letters),
  unmarked: () => PASSAGES.map((_, at) => at).filter((at) => !verdicts.has(at)),
};

function browseSection() {
  const section = make('section', { id: 'browse' }, make('h2', {}, say('passages')));
  if (!PASSAGES.length) return add(section, [make('p', {}, say('nothingFound'))]);
  const pick = make('select', { id: 'pick' }, Object.keys(LISTS).map((name) => make('option', { value: name }, say(`lists.${name}`))));
  const search = make('input', { type: 'search', id: 'search', placeholder: say('search'), 'aria-label': say('search') });
  [pick.value, search.value] = [asked.pick, asked.search];
  const { list, count, more, fill } = growingList();
  const renew = () => {
    Object.assign(asked, { pick: pick.value, search: search.value });
    const wanted = search.value.trim().toLowerCase();
    const found = LISTS[pick.value]().filter((at) => PASSAGES[at].text.toLowerCase().includes(wanted));
    if (!fill(found.map((at) => () => passageOf(at)))) count.textContent = say('noneHere');
  };
  pick.addEventListener('change', renew);
  search.addEventListener('input', renew);
  renew();
  const { passages } = DATA.summary.counts;
  return add(section, [
    make('p', { class: 'small faint' }, passages > PASSAGES.length && [say('firsts', { shown: number(PASSAGES.length), all: number(passages), more: number(Math.min(passages, DATA.texts)) }), ' '], make('span', { class: 'keys' }, say('verdictKeys'))),
    make('div', { class: 'controls' }, make('label', {}, say('pick'), pick), search),
    list, count, more,
  ]);
}

function passageOf(at) {
  const { passage, documents, places, edited, going, characters, letters, examples, is_cut: isCut } = PASSAGES[at];
  const [inPlaces, goes] = [counted(places, 'place'), { n: number(going), characters: counted(characters, 'character') }];
  const facts = [
    documents > 0 && say(documents > places ? 'partsIn' : 'in', { documents: counted(documents, 'document') }),
    say(edited > 0 ? 'edited' : 'places', { places: inPlaces, n: number(edited) }),
    letters > 0 && say('letters', { n: number(letters) }),
    going > 0 ? say(`going.${ACTION}`, goes) : say('goingNone'),
  ].filter(Boolean);
  return make('article', { class: 'pair passage', tabindex: -1, 'data-pair': at, 'data-verdict': verdicts.get(at) },
    make('p', {}, make('b', {}, `#${passage}`), facts.map((fact) => [' · ', fact])),
    wholeText(PASSAGES[at].text),
    isCut && make('p', { class: 'small faint' }, say('isCut')),
    examples.length > 0 && make('div', { class: 'texts' }, examples.map(exampleOf)),
    verdictOf(at));
}

// A text, of which only the beginning is shown at first if it is long.
function wholeText(text) {
  const signs = [...text];
  const shown = make('div', { class: 'whole', dir: 'auto' });
  const box = make('div', {}, shown);
  let isWhole = signs.length <= SHOWN;
  const toggle = make('button', { type: 'button', class: 'fold', on: { click: () => { isWhole = !isWhole; show(); } } });
  const show = () => {
    shown.replaceChildren();
    add(shown, [visible(isWhole ? text : signs.slice(0, SHOWN).join('')), !isWhole && ' …']);
    toggle.textContent = isWhole ? say('beginning') : say('whole', { n: number(signs.length) });
    toggle.setAttribute('aria-expanded', String(isWhole));
  };
  if (!isWhole) box.append(toggle);
  show();
  return box;
}

// A place with the characters beside it.
function exampleOf({ id, file, row, before, place, folded, behind, more, stay }) {
  const dots = (isThere) => isThere && make('span', { class: 'cut' }, '…');
  const head = [make('b', {}, named(id)), ' ', make('span', { class: 'faint' }, words('example', { file: named(file), row: number(row) })),
    make('span', { class: 'faint place' }, say(`stays.${stay === 'goes' ? ACTION : stay}`))];
  const inside = folded && [make('span', { class: 'cut' }, ` ${say('folded', { n: number(folded[0]) })} `), visible(folded[1])];
  return textBox(head, dots(more[0]), visible(before), make('mark', { class: 'passage' }, visible(place), inside), visible(behind), dots(more[1]));
}
