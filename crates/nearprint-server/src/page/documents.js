// Documents as the views show them: their fields, and two of them side by side.

// The fields of a document, the usual ones of a title, a date, an address and a source first.
function fieldsOf(fields) {
  const usual = DATA.usual.map((names) => names.find((name) => name in (fields || {}))).filter((name) => name !== undefined);
  const others = Object.keys(fields || {}).filter((name) => !usual.includes(name));
  return [...usual, ...others].map((name) => [name, typeof fields[name] === 'object' ? asJson(fields[name]) : fields[name]]).filter(([, value]) => value !== null && value !== 'null');
}

// The title of a document, or else its id.
function titleOf({ id, fields }) {
  const [name] = DATA.usual[0].filter((name) => fields?.[name]);
  return named(name === undefined ? id : fields[name]);
}

const linkTo = (address, ...content) => make('a', { href: hashOf(address) }, content);
const documentLink = (document) => linkTo(`document/${nameOf(document.id)}`, titleOf(document));

// A moment in the reader's own time.
const moment = (time) => make('time', { datetime: time, title: time }, new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(time)));

// Facts in one line.
const facts = (...all) => all.flat().filter(Boolean).flatMap((fact, at) => [at > 0 && ' · ', fact]);

const verdictFacts = ({ similarity, reason, distance }) => [
  similarity !== undefined && make('b', {}, fixed(similarity)), reason && reasonName(reason), distance !== undefined && distance !== null && say('bits', { distance: number(distance) }),
];

// What stands above a text: its role, its id, and its fields.
const headOf = (role, { id, fields }) => [make('b', {}, role), ' ', id !== undefined && linkTo(`document/${nameOf(id)}`, named(id)), fieldsOf(fields).map(fieldOf)];

// Two texts side by side with what they share marked. A side is {text} or {id}, as `compare` takes it. The pieces of both texts that
// belong together have one number: the place of the right one.
const compare = (left, right) => call('POST', 'v1/compare', {}, { left, right });

function sideBySide(view, heads) {
  const coded = (isLeft) => ({ kind, text, partner }, at) => [KINDS.indexOf(kind), text, isLeft ? partner : at];
  return make('div', { class: 'texts' },
    textBox(heads[0], piecesOf(view.left.map(coded(true)), 'l')), textBox(heads[1], piecesOf(view.right.map(coded(false)), 'r')));
}

// A line that opens to what `load` promises.
function fold(line, load, isOpen) {
  const inside = make('div', { 'aria-live': 'polite' });
  const fill = async () => {
    if (!element.open || inside.childElementCount) return;
    add(inside, [make('p', { class: 'faint' }, say('loading'))]);
    const content = await load().catch(problemOf);
    inside.replaceChildren();
    add(inside, [content]);
  };
  const element = make('details', { class: 'cluster', open: isOpen, on: { toggle: fill } }, make('summary', {}, line), inside);
  return element;
}

// The duplicates of {text} or of a document, best first. The first one is open if `isOpen`; `none` says that there are none.
function duplicatesOf(own, role, { duplicates, more }, isOpen, none = say('noDuplicates')) {
  if (!duplicates.length) return make('p', { class: 'none' }, none);
  const one = (match, at) => fold(
    [make('span', {}, facts(`${at + 1}`, verdictFacts(match))), make('span', { class: 'line' }, titleOf(match)), make('span', { class: 'line small faint' }, facts(fieldsOf(match.fields).slice(0, 4).filter(([name]) => !DATA.usual[0].includes(name)).map(([, value]) => named(value))))],
    async () => sideBySide(await compare(own.id === undefined ? { text: own.text } : { id: own.id }, { id: match.id }), [headOf(role, own), headOf(say('found'), match)]),
    isOpen && at === 0);
  return [duplicates.map(one), more > 0 && make('p', { class: 'faint' }, say('furtherDuplicates', { n: number(more) }))];
}

// A list of pages, each a promise of {items, next}: the first one, and a button for more.
function pages(load, show, list = make('div', {})) {
  const button = make('button', { type: 'button', hidden: true }, say('more'));
  const extend = async (after) => {
    button.disabled = true;
    try {
      const { items, next } = await load(after);
      add(list, items.map(show));
      button.hidden = !next;
      button.onclick = async () => { const last = list.lastChild; await extend(next); last?.nextSibling?.querySelector('a, summary')?.focus(); };
      if (!list.childElementCount && !next) add(list, [make('p', { class: 'none' }, say('nothingHere'))]);
    } finally {
      button.disabled = false;
    }
  };
  return extend().then(() => [list, button]);
}
