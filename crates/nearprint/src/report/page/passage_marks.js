// What a person says of passages: the verdicts, their bar with the command to run next, and the file of them.

const VERDICTS_FILE = 'passage_verdicts.jsonl';

// The keys that mark.
const MARK_KEYS = { r: 'right', w: 'wrong', l: 'later' };

// The verdicts by the numbers of their passages; those that the run was given are there from the start.
const asVerdict = (right) => (right ? 'right' : 'wrong');
const verdicts = new Map(PASSAGES.flatMap(({ verdict }, at) => (verdict === undefined ? [] : [[at, asVerdict(verdict)]])));

function verdictOf(at) {
  const button = (verdict) =>
    make('button', { type: 'button', 'aria-pressed': String(verdicts.get(at) === verdict), 'data-verdict': verdict, on: { click: () => judge(at, verdict) } }, say(verdict));
  return make('div', { class: 'verdict' }, make('span', { class: 'small faint' }, say('verdictAsk')), Object.values(MARK_KEYS).map(button));
}

// Marks a passage; the same mark a second time takes it back.
function judge(at, verdict) {
  if (verdicts.get(at) === verdict) verdicts.delete(at);
  else verdicts.set(at, verdict);
  const passage = document.querySelector(`[data-pair="${at}"]`);
  if (verdicts.has(at)) passage.dataset.verdict = verdicts.get(at);
  else delete passage.dataset.verdict;
  passage.querySelectorAll('button[data-verdict]').forEach((button) => {
    button.setAttribute('aria-pressed', String(verdicts.get(at) === button.dataset.verdict));
  });
  showMarks();
}

// The verdicts as rows of JSON Lines, which `--approved` takes.
function rowsOfVerdicts() {
  const earlier = DATA.earlier.map(([text, right]) => ({ verdict: asVerdict(right), text }));
  const own = [...verdicts].sort(([one], [other]) => one - other)
    .map(([at, verdict]) => ({ passage: PASSAGES[at].passage, documents: PASSAGES[at].documents, verdict, text: PASSAGES[at].text }));
  return [...earlier, ...own].map((row) => `${JSON.stringify(row)}\n`).join('');
}

// The rows as they were last saved.
let savedRows = rowsOfVerdicts();

// Whether verdicts would be lost with the page.
const areUnsaved = () => rowsOfVerdicts() !== savedRows;

function save() {
  savedRows = rowsOfVerdicts();
  giveFile(VERDICTS_FILE, savedRows);
}

// The number of verdicts of this kind, with the earlier ones.
const numberOf = (verdict) => [...verdicts.values(), ...DATA.earlier.map(([, right]) => asVerdict(right))].filter((own) => own === verdict).length;

// The run that obeys the verdicts: this run again, with the file of them.
function command() {
  const { inputs, within, usual, summary: { settings } } = DATA;
  const differs = (name) => settings[name] !== usual[name];
  const flags = ['min-length', 'min-documents', 'max-lost', 'max-edits'].filter(differs).flatMap((name) => [`--${name}`, settings[name]]);
  // With a file of verdicts no copy stays, unless the command says so. What a person has approved may go everywhere.
  const keeps = settings['keep-copy'] !== 'none' && numberOf('right') === 0 ? ['--keep-copy', settings['keep-copy']] : [];
  const fields = within.flatMap((field) => ['--within', inShell(field)]);
  return ['nearprint passages', ...inputs.map(inShell), '--output DIR', '--action', ACTION === 'mask' ? 'mask' : 'cut', '--approved', VERDICTS_FILE, ...flags, ...fields, ...keeps].join(' ');
}

function showMarks() {
  const bar = document.getElementById('marks');
  const [right, wrong, later] = Object.values(MARK_KEYS).map(numberOf);
  bar.hidden = right + wrong + later === 0 && !areUnsaved();
  const isReady = right + wrong > 0;
  const what = isReady ? say(right ? 'onlyRight' : 'onlyWrong') : say('noneYet');
  bar.replaceChildren();
  add(bar, [
    make('p', {}, make('b', {}, say('verdicts', { right: number(right), wrong: number(wrong), later: number(later) })), ' ', make('span', { class: 'small' }, what),
      DATA.earlier.length > 0 && make('span', { class: 'small faint' }, ' ', say('earlier', { n: number(DATA.earlier.length) }))),
    make('button', { type: 'button', id: 'save', on: { click: save } }, say('save')),
    isReady && make('p', { class: 'then small' }, say('then'), ' ', make('code', {}, command())),
  ]);
}
