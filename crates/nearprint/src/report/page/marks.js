// What a person says of pairs: the marks, their bar, and the file of them.

const MARKS_FILE = 'marks.jsonl';

// The marks by the numbers of their pairs: true for right.
const verdicts = new Map();

function verdictOf(at) {
  const button = (verdict, name) =>
    make('button', { type: 'button', 'aria-pressed': String(verdicts.get(at) === verdict), 'data-verdict': String(verdict), on: { click: () => judge(at, verdict) } }, say(name));
  return make('div', { class: 'verdict' }, make('span', { class: 'small faint' }, say('verdictAsk')), button(true, 'right'), button(false, 'wrong'),
    make('a', { class: 'small', href: addressOf(PAIRS[at]) }, say('link')));
}

// Marks a pair; the same mark a second time takes it back.
function judge(at, verdict) {
  if (verdicts.get(at) === verdict) verdicts.delete(at);
  else verdicts.set(at, verdict);
  document.querySelectorAll(`[data-pair="${at}"] > .verdict [data-verdict]`).forEach((button) => {
    button.setAttribute('aria-pressed', String(String(verdicts.get(at)) === button.dataset.verdict));
  });
  document.querySelectorAll(`[data-member="${at}"]`).forEach((member) => { member.dataset.mark = String(verdicts.get(at)); });
  showMarks();
}

// The marks as rows of JSON Lines, which `nearprint evaluate` takes.
function marks() {
  return [...verdicts].sort(([one], [other]) => one - other).map(([at, right]) => {
    const { d, k, s } = PAIRS[at];
    const [left, other] = [d, k].map((document) => DOCUMENTS[document][0]);
    // A later run uses a mark only while both texts are the same.
    const texts = [['left_text', d], ['right_text', k]].map(([name, document]) => (hashOf(document) ? `,"${name}":"${hashOf(document)}"` : '')).join('');
    return `{"left":${left},"right":${other},"similarity":${s},"verdict":"${right ? 'right' : 'wrong'}"${texts}}\n`;
  }).join('');
}

// The marks as they were last saved.
let savedMarks = '';

// Whether marks would be lost with the page.
const areUnsaved = () => verdicts.size > 0 && marks() !== savedMarks;

// The browser asks in its own words.
function beforeLeaving(event) {
  if (areUnsaved()) event.preventDefault();
}

function saveMarks() {
  savedMarks = marks();
  const address = URL.createObjectURL(new Blob([marks()], { type: 'application/jsonl' }));
  make('a', { href: address, download: MARKS_FILE }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

// What the marks are good for, and how many are still missing.
function whatFor() {
  const [least, all] = [DATA.marks.least, PAIRS.filter((_, at) => wasCompared(at)).length];
  const values = { n: number(verdicts.size), least: number(least), all: number(all), folder: inShell(DATA.folder || 'DIR'), file: MARKS_FILE };
  if (verdicts.size < Math.min(least, all)) return say(all < least ? 'marksOfFew' : 'marksMore', values);
  return say(new Set(verdicts.values()).size < 2 ? 'marksAlike' : 'marksEnough', values);
}

function showMarks() {
  const bar = document.getElementById('marks');
  const right = [...verdicts.values()].filter(Boolean).length;
  const wrong = verdicts.size - right;
  bar.hidden = verdicts.size === 0;
  bar.replaceChildren(
    make('p', {}, say('marks', { right: number(right), wrong: number(wrong) }), ' ', make('span', { class: 'faint small' }, whatFor())),
    make('button', { type: 'button', on: { click: saveMarks } }, say('marksSave')));
}
