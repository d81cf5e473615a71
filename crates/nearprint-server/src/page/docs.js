// The calls of the service, from its OpenAPI document.

const code = (text) => make('code', {}, text);
const resolve = (document, node) => (node?.$ref ? node.$ref.slice(2).split('/').reduce((at, name) => at[name], document) : node);
const anchor = (method, path) => `${method}${path}`.replace(/[^A-Za-z0-9]+/g, '-');

// A schema in one line, such as `list of Match`. Named schemas are links.
function typeOf(schema) {
  if (!schema) return '';
  if (schema.$ref) { const name = schema.$ref.split('/').pop(); return make('a', { href: `#${name}` }, name); }
  if ('const' in schema) return code(JSON.stringify(schema.const));
  if (schema.enum) return schema.enum.map((value, at) => [at > 0 && ', ', code(value)]);
  const several = schema.oneOf || schema.anyOf;
  if (several) return several.map((one, at) => [at > 0 && ' or ', typeOf(one)]);
  if (schema.items) return ['list of ', typeOf(schema.items)];
  const name = [schema.type].flat().join(' or ');
  if (!schema.properties) return name;
  return ['{ ', Object.entries(schema.properties).map(([member, own], at) => [at > 0 && ', ', code(member), ': ', typeOf(own)]), ' }'];
}

function table(heads, rows) {
  const line = (cells, kind) => make('tr', {}, cells.map((cell) => make(kind, {}, cell)));
  return rows.length > 0 && make('div', { class: 'wide' }, make('table', {}, make('thead', {}, line(heads, 'th')), make('tbody', {}, rows.map((cells) => line(cells, 'td')))));
}

const contentOf = (content) => Object.entries(content || {}).map(([media, { schema }]) => make('div', {}, code(media), ': ', typeOf(schema)));

function callOf(document, path, method, call) {
  const parameters = (call.parameters || []).map((own) => resolve(document, own));
  const problem = ({ content }) => content?.['application/problem+json'];
  const answers = Object.entries(call.responses).sort();
  const example = call.requestBody?.content['application/json']?.example;
  return make('section', { class: 'pair', id: anchor(method, path) },
    make('h3', {}, code(`${method.toUpperCase()} ${path}`)), make('p', {}, call.summary, ' ', call.description),
    table(['parameter', 'value', 'meaning'], parameters.map((own) => [[code(own.name), own.required && ' (required)'], [typeOf(own.schema), own.schema.default !== undefined && [', else ', code(String(own.schema.default))]], own.description])),
    call.requestBody && [make('p', {}, make('b', {}, 'Body')), contentOf(call.requestBody.content), example && make('pre', { class: 'wide' }, JSON.stringify(example))],
    table(['status', 'answer'], answers.filter(([, own]) => !problem(own)).map(([status, own]) => [status, [own.description, contentOf(own.content)]])),
    make('p', { class: 'small' }, 'Problems: ', answers.filter(([, own]) => problem(own)).map(([status, own], at) => [at > 0 && ' · ', make('abbr', { title: own.description }, status)])));
}

function schemaOf(name, schema) {
  const members = Object.entries(schema.properties || {});
  return make('section', { class: 'pair', id: name }, make('h3', {}, name), make('p', {}, schema.description, members.length === 0 && [' ', typeOf(schema)]),
    table(['member', 'value', 'meaning'], members.map(([member, own]) => [[code(member), !schema.required?.includes(member) && ' (may be absent)'], typeOf(own), own.description])));
}

function page(document) {
  const calls = Object.entries(document.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, call]) => [path, method, call]));
  return [make('p', {}, document.info.description, ' Programs read the same as ', make('a', { href: 'openapi.json' }, 'openapi.json'), '. ', make('a', { href: './' }, 'The page for people')),
    make('ul', {}, calls.map(([path, method, call]) => make('li', {}, make('a', { href: `#${anchor(method, path)}` }, code(`${method.toUpperCase()} ${path}`)), ' ', call.summary))),
    calls.map(([path, method, call]) => callOf(document, path, method, call)),
    make('h2', {}, 'Values'), Object.entries(document.components.schemas).map(([name, schema]) => schemaOf(name, schema))];
}

async function show() {
  const main = make('main', {});
  document.body.replaceChildren(make('div', { class: 'wrap' }, make('header', { class: 'top' }, make('h1', {}, 'nearprint: calls')), main));
  try {
    const answer = await fetch('openapi.json');
    if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
    add(main, page(await answer.json()));
    if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  } catch (error) {
    add(main, [make('p', { class: 'alarm', role: 'alert' }, `The description of the calls cannot be read: ${error.message}`)]);
  }
}

show();
