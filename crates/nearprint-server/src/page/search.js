// A search by id or words, and a document with its near ones and its story.

function searchView(wanted) {
  const input = make('input', { type: 'search', id: 'search', 'aria-label': say('searchLabel'), placeholder: say('searchLabel'), autocomplete: 'off' });
  input.value = wanted || '';
  const form = make('form', { role: 'search', class: 'controls', on: { submit: (event) => { event.preventDefault(); go(`search/${encodeURIComponent(input.value.trim())}`); } } },
    input, make('button', { type: 'submit', class: 'main' }, say('search')));
  return [make('h2', {}, say('nav.search')), form, wanted ? found(wanted) : null];
}

async function found(wanted) {
  const { documents, searched, of } = await call('GET', 'v1/documents', { q: wanted, limit: 50 });
  return [documents.map((document) => make('article', { class: 'pair' },
    make('h3', {}, documentLink(document)),
    make('p', { class: 'small faint' }, facts(named(document.id), document.hidden && say('hidden'), moment(document.added), fieldsOf(document.fields).slice(1, 4).map(([, value]) => named(value)))))),
  !documents.length && make('p', { class: 'none' }, say('nothingFound')),
  searched < of && make('p', { class: 'small faint' }, say('searched', { searched: number(searched), of: number(of) }))];
}

async function documentView(name) {
  const path = `v1/documents/${encodeURIComponent(name)}`;
  const [document, near] = await Promise.all([call('GET', path), call('GET', `${path}/near`)]);
  const { id, text, fields, story, hidden, seen, added, first, last, expires } = document;
  const rows = [[say('id'), named(id)], ...fieldsOf(fields).map(([field, value]) => [named(field), named(value)]),
    added && [say('added'), moment(added)], seen > 1 && [say('seenTitle'), facts(`${number(seen)} ×`, span({ first, last }))],
    expires && [say('expires'), moment(expires)], story !== undefined && story !== null && [say('storyTitle'), [linkTo(`story/${story}`, say('story', { n: story })), hidden && ` · ${say('hidden')}`]]];
  return [make('h2', {}, titleOf(document)), make('dl', {}, rows.filter(Boolean).map(([title, value]) => [make('dt', {}, title), make('dd', {}, value)])),
    textBox(make('b', {}, say('wholeText')), visible(text)),
    make('h3', {}, say('near')), duplicatesOf({ id, fields }, say('thisOne'), near, false, say(seen > 1 ? 'onlyCopies' : 'noDuplicates')), near.duplicates.length > 0 && legend()];
}
