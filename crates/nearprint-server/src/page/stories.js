// Stories: documents that are duplicates of one another, and the time line of each.

function span({ first, last }) {
  const [from, to] = [moment(first), moment(last)];
  return make('span', {}, from, from.textContent !== to.textContent && [' – ', to]);
}

async function storiesView() {
  const load = async (before) => {
    const { stories, before: next } = await call('GET', 'v1/stories', { before });
    return { items: stories, next };
  };
  const line = (story) => make('article', { class: 'pair' },
    make('h3', {}, linkTo(`story/${story.story}`, titleOf(story.keeper))),
    make('p', { class: 'small faint' }, facts(make('b', {}, say('seen', { n: number(story.seen) })), span(story))));
  return [make('h2', {}, say('nav.stories')), await pages(load, line)];
}

async function storyView(name) {
  const { story, keeper, copies, more } = await call('GET', `v1/stories/${encodeURIComponent(name)}`, { limit: MOST });
  const problem = make('div', {});
  const makeKeeper = async (copy) => {
    try {
      await call('PUT', `v1/stories/${story}/keeper`, {}, { id: copy.id });
      open();
    } catch (error) {
      problem.replaceChildren(problemOf(error));
    }
  };
  const entry = (copy) => make('li', {},
    make('p', { class: 'small faint' }, moment(copy.added)),
    fold([make('span', {}, titleOf(copy)), make('span', { class: 'line small faint' }, facts(verdictFacts(copy), fieldsOf(copy.fields).slice(1, 4).map(([, value]) => named(value))))],
      async () => [sideBySide(await compare({ text: copy.text }, { text: keeper.text }), [headOf(say('copy'), copy), headOf(say('keeper'), keeper)]),
        make('div', { class: 'verdict' }, make('button', { type: 'button', on: { click: () => makeKeeper(copy) } }, say('makeKeeper')))]));
  const loaded = async (after = 0) => ({ items: copies.slice(after, after + STEP), next: after + STEP < copies.length && after + STEP });
  const line = copies.length ? await pages(loaded, entry, make('ol', { class: 'time-line' })) : make('p', { class: 'none' }, say('noCopies'));
  return [make('h2', {}, facts(say('story', { n: story }), titleOf(keeper))), problem,
    timeStrip([keeper, ...copies].map(({ added }) => added)),
    make('section', {}, make('h3', {}, say('keeperTitle')), textBox(headOf(moment(keeper.added), keeper), visible(keeper.text))),
    make('h3', {}, say('copies', { n: number(copies.length + more) })), line, more > 0 && make('p', { class: 'faint' }, say('furtherCopies', { n: number(more) })), legend()];
}

// Copies that are shown at once, and that are loaded.
const STEP = 20;
const MOST = 1000;

// The moments of a story as points on a line, the first of them the keeper's.
function timeStrip(moments) {
  const times = moments.map((one) => new Date(one).getTime());
  const [from, to] = [Math.min(...times), Math.max(...times)];
  if (from === to) return null;
  const x = (time) => 8 + (584 * (time - from)) / (to - from);
  const point = (time, at) => svg('circle', { cx: x(time), cy: 12, r: at ? 4 : 6, fill: at ? 'var(--removed)' : 'var(--kept)' });
  return make('figure', { class: 'strip' },
    svg('svg', { viewBox: '0 0 600 24', role: 'img', 'aria-label': say('timeLine') }, svg('line', { x1: 8, x2: 592, y1: 12, y2: 12, stroke: 'var(--line)', 'stroke-width': 2 }), times.map(point).reverse()),
    make('div', { class: 'small faint ends' }, moment(new Date(from).toISOString()), key('var(--kept)', say('keeper')), key('var(--removed)', say('copy')), moment(new Date(to).toISOString())));
}
