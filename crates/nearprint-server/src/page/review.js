// The queue of pairs: one pair at a time, decided by keys or buttons.

const STATUSES = ['open', 'later', 'right', 'wrong'];
const ORDERS = ['newest', 'oldest', 'least-similar'];
const DECISIONS = { r: 'right', w: 'wrong', l: 'later', o: 'otherKeeper' };
const STEPS = { k: 'previous', j: 'next', u: 'undo' };

// The pairs that were loaded, the place of the one at hand, and the verdicts that can be taken back: [pair, verdict before].
const queue = { pairs: [], at: 0, next: null, open: 0, undo: [], status: '', order: '', problem: null };

// Keys are worked one after the other, however fast they come.
let working = Promise.resolve();

async function reviewView(status, order) {
  if (!isAgain || queue.pairs.length === 0) {
    Object.assign(queue, { pairs: [], at: 0, next: null, problem: null, status: STATUSES.includes(status) ? status : 'open', order: ORDERS.includes(order) ? order : 'newest' });
    await loadPairs();
  }
  const choice = (id, names, value, words) => {
    const change = () => go(`review/${document.getElementById('status').value}/${document.getElementById('order').value}`);
    return make('label', {}, say(id), make('select', { id, on: { change } }, names.map((name) => make('option', { value: name, selected: name === value }, say(`${words}.${name}`)))));
  };
  const element = make('div', { id: 'review' });
  showPair(element);
  return [make('h2', {}, say('nav.review')), make('div', { class: 'controls' }, choice('status', STATUSES, queue.status, 'statuses'), choice('order', ORDERS, queue.order, 'orders')), element];
}

async function loadPairs() {
  const { pairs, next, open } = await call('GET', 'v1/pairs', { status: queue.status, order: queue.order, after: queue.next });
  queue.pairs.push(...pairs);
  Object.assign(queue, { next, open });
}

const areThere = ({ left, right }) => left.text !== undefined && right.text !== undefined;

// The view of a pair, loaded once.
const viewOf = (pair) => (pair.view ||= compare({ text: pair.left.text }, { text: pair.right.text }));

// The two texts of a pair. One of them may have been deleted since.
async function textsOf(pair) {
  const heads = [headOf(say('copy'), pair.left), headOf(say('keeper'), pair.right)];
  if (areThere(pair)) return sideBySide(await viewOf(pair), heads);
  const boxes = [pair.left, pair.right].map(({ text }, at) => textBox(heads[at], text === undefined ? make('span', { class: 'cut' }, say('gone')) : visible(text)));
  return make('div', { class: 'texts' }, boxes);
}

function showPair(element) {
  const pair = queue.pairs[queue.at];
  const button = ([letter, name]) => make('button', { type: 'button', 'data-key': letter, 'aria-keyshortcuts': letter, 'aria-pressed': letter in DECISIONS && name !== 'otherKeeper' ? String(pair?.status === name) : undefined, disabled: letter === 'u' ? !queue.undo.length : !pair, on: { click: () => press(letter) } }, say(name), ' ', make('kbd', { class: 'keys', 'aria-hidden': 'true' }, letter));
  element.replaceChildren();
  add(element, [
    queue.problem && problemOf(queue.problem),
    make('p', { class: 'faint', role: 'status' }, pair ? say('place', { at: number(queue.at + 1), all: number(queue.pairs.length) + (queue.next ? '+' : '') }) : say('queueEnd'), ` ${say('openPairs', { open: number(queue.open) })}`),
    pair && [pairElement(pair), legend()],
    make('div', { class: 'marks decide', role: 'toolbar', 'aria-label': say('verdictAsk') }, make('span', { class: 'small faint' }, say('verdictAsk')), Object.entries(DECISIONS).map(button), make('span', { class: 'gap' }), Object.entries(STEPS).map(button)),
  ]);
}

function pairElement(pair) {
  const texts = make('div', {}, make('p', { class: 'faint' }, say('loading')));
  textsOf(pair).catch(problemOf).then((content) => texts.replaceChildren(content));
  // The next one is there when it is wanted.
  const next = queue.pairs[queue.at + 1];
  if (next && areThere(next)) viewOf(next).catch(() => {});
  return make('article', { class: 'pair', tabindex: -1, 'data-pair': pair.pair, 'aria-label': say('pair', { n: pair.pair }) },
    make('p', {}, facts(verdictFacts(pair), moment(pair.at), linkTo(`story/${pair.story}`, say('story', { n: pair.story })), pair.status !== 'open' && make('b', { class: `status ${pair.status}` }, say(`statuses.${pair.status}`)))), texts);
}

function press(letter) {
  working = working.then(() => work(letter));
  return working;
}

async function work(letter) {
  const element = document.getElementById('review');
  if (!element) return;
  queue.problem = null;
  try {
    const pair = queue.pairs[queue.at];
    if (letter in DECISIONS && pair) {
      queue.undo.push([pair, pair.status, letter === 'o']);
      await decide(pair, letter === 'o' ? { verdict: 'right', keeper: pair.left.id } : { verdict: DECISIONS[letter] }).catch((error) => { queue.undo.pop(); throw error; });
      await move(1);
    } else if (letter === 'u' && queue.undo.length) {
      const [last, before, isOther] = queue.undo.at(-1);
      if (isOther) await swapBack(last);
      await decide(last, { verdict: before });
      queue.undo.pop();
      if (!queue.pairs.includes(last)) queue.pairs.splice(queue.at, 0, last);
      queue.at = queue.pairs.indexOf(last);
    } else if (letter === 'j' && pair) {
      await move(1);
    } else if (letter === 'k') {
      await move(-1);
    }
  } catch (error) {
    if (error.status === 401) { draw(); return; }
    queue.problem = error;
  }
  if (!element.isConnected) return;
  showPair(element);
  const shown = element.querySelector('article');
  shown?.focus({ preventScroll: true });
  element.scrollIntoView({ block: 'start' });
}

// Makes the right one the keeper again.
const swapBack = ({ story, right }) => call('PUT', `v1/stories/${story}/keeper`, {}, { id: right.id });

async function decide(pair, verdict) {
  const { status } = await call('PUT', `v1/pairs/${pair.pair}/verdict`, {}, verdict);
  queue.open += (status === 'open') - (pair.status === 'open');
  pair.status = status;
}

// Goes on by a number of pairs. Behind the last loaded one more are loaded; behind the very last one is the end of the queue.
async function move(by) {
  const at = Math.max(0, queue.at + by);
  if (at >= queue.pairs.length && queue.next) await loadPairs();
  queue.at = Math.min(at, queue.pairs.length);
}

function onKey(event) {
  if (!document.getElementById('review') || event.ctrlKey || event.metaKey || event.altKey || !(event.key in DECISIONS || event.key in STEPS) || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
  event.preventDefault();
  press(event.key);
}
