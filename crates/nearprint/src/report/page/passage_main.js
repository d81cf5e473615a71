// The page of passages from top to bottom; it is made anew when the language changes.

function glance() {
  const { loss, summary: { counts, settings } } = DATA;
  const strong = (count, unit) => make('b', {}, counted(count, unit));
  const found = words('found', { passages: strong(counts.passages, 'passage'), places: strong(counts.places, 'place'), with: number(counts.documents), read: strong(counts.read, 'document') });
  const goes = words(`goes.${settings.action === 'annotate' ? 'list' : settings.action}`, { places: strong(counts.going, 'place'), characters: strong(counts.characters, 'character'), documents: counted(counts.changed, 'document') });
  const alarms = [
    counts.left > 0 && say('left', { documents: counted(counts.left, 'document'), share: `${number(100 * settings['max-lost'])} %` }),
    loss && lossInWords(loss),
  ].filter(Boolean);
  const space = language === 'zh' ? '' : ' ';
  return make('section', { id: 'glance' },
    make('p', { class: 'answer' }, found, space, goes, counts.going > 0 && !settings.approved && [space, say(`keeps.${settings['keep-copy']}`)]),
    alarms.length > 0 && make('div', { class: 'alarm' }, make('h3', {}, say('alarms')), alarms.map((alarm) => make('p', {}, alarm))),
    make('p', { class: 'small faint' }, say('options'), ' ', make('code', {}, options())),
    counts.passages > 0 && make('p', {}, say('how')));
}

// The options in force, as flags.
const options = () => [...Object.entries(DATA.summary.settings), ...DATA.within.map((field) => ['within', field])]
  .map(([name, value]) => `--${name} ${inShell(String(value))}`).join(' ');

function draw() {
  document.title = say('title', { name: DATA.name });
  document.body.replaceChildren(make('div', { class: 'wrap' },
    make('a', { class: 'skip', href: '#browse' }, say('skip')),
    make('header', { class: 'top' }, make('h1', {}, words('title', { name: named(DATA.name) })), switches(draw)),
    make('main', {}, glance(), browseSection(), make('p', { class: 'faint small' }, say('version', { version: DATA.summary.nearprint }))),
    make('div', { class: 'marks', id: 'marks', hidden: true })));
  showMarks();
}

document.addEventListener('keydown', onKey);
window.addEventListener('beforeunload', beforeLeaving);
draw();
