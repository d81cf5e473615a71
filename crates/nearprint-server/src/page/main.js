// The page: its views, and the address of each. `#story/3` is a view and what it shows, so that it can be bookmarked.

const VIEWS = { ask: askView, review: reviewView, stories: storiesView, search: searchView, overview: overviewView, story: storyView, document: documentView };
const IN_NAV = ['ask', 'review', 'stories', 'search', 'overview'];
// The entry of the navigation that a view belongs to.
const ENTRY = { story: 'stories', document: 'search' };

// The view of the address and what it shows.
function place() {
  const [path, parameters] = location.hash.slice(1).split('?');
  const [name, ...rest] = path.split('/');
  const plain = (part) => { try { return decodeURIComponent(part); } catch { return part; } };
  collection = new URLSearchParams(parameters).get('collection') || '';
  return name in VIEWS ? [name, rest.map(plain)] : ['ask', []];
}

const hashOf = (address) => `#${address}${collection && `?${new URLSearchParams({ collection })}`}`;

function go(address) {
  if (location.hash === hashOf(address)) open();
  else location.hash = hashOf(address);
}

// Who has logged in, and a choice among the collections.
async function showSession(element) {
  const { name, collections } = await call('GET', 'v1/session');
  if (collections.length && !collections.includes(collection || 'default')) {
    [collection] = collections;
    go(location.hash.slice(1).split('?')[0] || 'ask');
  }
  const choose = make('select', { id: 'collection', 'aria-label': say('collection'), on: { change: () => { const [view] = place(); collection = choose.value; go(ENTRY[view] || view); } } }, collections.map((one) => make('option', { value: one }, named(one))));
  choose.value = collection || 'default';
  const leave = () => call('DELETE', 'v1/session').then(draw);
  add(element, [collections.length > 1 && choose, name && make('button', { type: 'button', title: name, on: { click: leave } }, say('logout'))]);
}

// True while the page is drawn again in another language. A view then shows what it has shown.
let isAgain = false;

// Shows the view of the address. A later visit overtakes an earlier one that is still loading.
let visit = 0;
async function open(isMove) {
  visit += 1;
  const own = visit;
  const [name, rest] = place();
  const main = document.getElementById('main');
  document.querySelectorAll('nav a').forEach((link) => {
    link.href = hashOf(link.dataset.view);
    if (link.dataset.view === (ENTRY[name] || name)) link.setAttribute('aria-current', 'page'); else link.removeAttribute('aria-current');
  });
  main.setAttribute('aria-busy', 'true');
  let content;
  try {
    content = await Promise.all([await VIEWS[name](...rest)].flat());
  } catch (error) {
    content = error.status === 401 ? loginForm(draw) : problemOf(error);
  }
  isAgain = false;
  if (own !== visit) return;
  main.replaceChildren();
  add(main, [content]);
  main.removeAttribute('aria-busy');
  const title = main.querySelector('h2')?.textContent;
  document.title = title ? `${title} · nearprint` : 'nearprint';
  const field = main.querySelector('#token');
  if (field) field.focus();
  else if (isMove) { main.focus({ preventScroll: true }); scrollTo(0, 0); }
}

function draw() {
  const session = make('div', { class: 'switches' });
  document.body.replaceChildren(make('div', { class: 'wrap' },
    make('a', { class: 'skip', href: '#main', on: { click: (event) => { event.preventDefault(); document.getElementById('main').focus(); } } }, say('skip')),
    make('header', { class: 'top' }, make('h1', {}, say('pageTitle')), session, switches(() => { isAgain = true; draw(); })),
    make('nav', { 'aria-label': say('views') }, IN_NAV.map((name) => make('a', { href: `#${name}`, 'data-view': name }, say(`nav.${name}`)))),
    make('main', { id: 'main', tabindex: -1 })));
  open();
  // A service that asks for a token says so in place of the view.
  showSession(session).catch(() => {});
}

document.addEventListener('keydown', onKey);
window.addEventListener('hashchange', () => open(true));
draw();
