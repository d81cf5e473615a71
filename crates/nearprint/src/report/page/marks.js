// What a person says of pairs: the marks, their bar, and the file of them.

const MARKS_FILE = 'marks.jsonl';

// The keys that mark.
const MARK_KEYS = { r: true, w: false };

// The marks by the numbers of their pairs: true for right.
const verdicts = new Map();

// The marks that the run was given, by the numbers of their pairs. Those that the run used are marks of the page from the start.
const earlier = new Map();
const pairName = (ids) => JSON.stringify([...ids].sort());
if (DATA.marks.earlier.length) {
  const byPair = new Map(DATA.marks.earlier.map((mark) => [pairName(mark.ids), mark]));
  PAIRS.forEach(({ d, k }, at) => {
    const mark = byPair.get(pairName([d, k].map(idOf)));
    if (!mark) return;
    earlier.set(at, mark);
    if (mark.used) verdicts.set(at, mark.right);
  });
}

// The earlier marks beside those of the page. A mark on the page replaces the earlier one on its pair.
function others() {
  const replaced = new Set([...earlier].filter(([at, mark]) => mark.used || verdicts.has(at)).map(([, mark]) => mark));
  return DATA.marks.earlier.filter((mark) => !replaced.has(mark));
}

// Whether there is something to save: also that an earlier mark was taken back.
const areMarks = () => verdicts.size > 0 || DATA.marks.earlier.length > 0;

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
  const own = [...verdicts].sort(([one], [other]) => one - other).map(([at, right]) => {
    const before = earlier.get(at);
    if (before && before.used && before.right === right) return before.rows;
    const { d, k, s } = PAIRS[at];
    const [left, other] = [d, k].map((document) => DOCUMENTS[document][0]);
    // A later run uses a mark only while both texts are the same.
    const texts = [['left_text', d], ['right_text', k]].map(([name, document]) => (hashOf(document) ? `,"${name}":"${hashOf(document)}"` : '')).join('');
    return `{"left":${left},"right":${other},"similarity":${s},"verdict":"${right ? 'right' : 'wrong'}"${texts}}\n`;
  });
  return [...others().map(({ rows }) => rows), ...own].join('');
}

// The marks as they were last saved.
let savedMarks = marks();

// Whether marks would be lost with the page.
const areUnsaved = () => areMarks() && marks() !== savedMarks;

function saveMarks() {
  savedMarks = marks();
  giveFile(MARKS_FILE, savedMarks);
}

// What the marks are good for, and how many are still missing.
function whatFor() {
  const [least, all] = [DATA.marks.least, PAIRS.filter((_, at) => wasCompared(at)).length];
  // A mark without a similarity says nothing of the bound.
  const rights = [...verdicts.values(), ...others().filter(({ rows }) => rows.includes('"similarity":')).map(({ right }) => right)];
  const n = all < least ? [...verdicts.keys()].filter(wasCompared).length : rights.length;
  const values = { n: number(n), least: number(least), all: number(all), folder: inShell(DATA.folder || 'DIR'), file: MARKS_FILE };
  if (n < Math.min(least, all)) return say(all < least ? 'marksOfFew' : 'marksMore', values);
  return say(new Set(rights).size < 2 ? 'marksAlike' : 'marksEnough', values);
}

function showMarks() {
  const bar = document.getElementById('marks');
  const rights = [...verdicts.values(), ...others().map(({ right }) => right)];
  const right = rights.filter(Boolean).length;
  const values = { right: number(right), wrong: number(rights.length - right) };
  bar.hidden = !areMarks();
  bar.replaceChildren(
    make('p', {}, say('marks', values), ' ', make('span', { class: 'faint small' }, DATA.marks.earlier.length > 0 && [say('marksEarlier'), ' '], whatFor())),
    make('button', { type: 'button', on: { click: saveMarks } }, say('marksSave')));
}
