// The box of what to look at first: what the run left out, and the alarms. The first line of each kind is shown, the others on a click.

function alarmsBox() {
  const lines = [...leftOut(), ...DATA.alarms.map(alarmLine)];
  if (!lines.length) return make('details', { class: 'small faint' }, make('summary', {}, say('alarm.none')), make('p', {}, say('alarm.limits', DATA.limits)));
  const firsts = lines.filter(({ kind }, at) => lines.findIndex((line) => line.kind === kind) === at);
  const others = lines.filter((line) => !firsts.includes(line));
  const shown = ({ content }) => make('p', {}, content);
  return make('div', { class: 'alarm' }, make('h3', {}, say('alarms')), firsts.map(shown),
    others.length > 0 && make('details', {}, make('summary', {}, say('alarmsMore', { n: number(others.length) })), others.map(shown)));
}

// What the run or the page lacks, in the words of the terminal.
function leftOut() {
  const { changed, summary } = DATA;
  const { loss, passed_over: passed, undated, marks } = summary;
  const line = (kind, values) => ({ kind, content: words(`alarm.${kind}`, values) });
  const lines = [];
  if (changed.length) lines.push(line('changed', { n: number(changed.length), all: number(summary.inputs.length + (summary.against || []).length), name: named(changed[0]) }));
  if (loss) lines.push({ kind: 'loss', content: lossInWords(loss) });
  if (passed) lines.push(line('passed', { files: counted(passed, 'file') }));
  if (undated?.documents) lines.push(line('undated', { field: named(undated.field), documents: counted(undated.documents, 'document'), ...placed(undated.first[0]), value: named(undated.first[0].value) }));
  if (undated?.missing) lines.push(line('dateless', { field: named(undated.field), documents: counted(undated.missing, 'document') }));
  for (const [kind, unused] of marks ? [['marksChanged', marks.changed], ['marksAbsent', marks.absent]] : []) {
    if (unused.length) lines.push(line(kind, { n: number(unused.length), all: counted(marks.all, 'mark'), ...placed({ file: marks.file, row: unused[0].row }), id: named(unused[0].id) }));
  }
  if (DATA.marks.gone) lines.push(line('marksGone', { file: named(marks.file) }));
  return lines;
}

const placed = ({ file, row }) => ({ file: named(file), row: number(row) });

function alarmLine({ kind, name, number: numbered, size, forms, read, near, removed }) {
  const values = { ...DATA.limits, name: name === null ? say('noValue') : name !== undefined && named(name), number: numbered, size: size && number(size), forms: forms && number(forms) };
  const all = read || near;
  if (all) Object.assign(values, { all: number(all), removed: number(removed), share: percent(removed / all) });
  const [pick, search] = { bound: ['leastSimilar', ''], longer: ['longer', ''] }[kind] || ['largest', `#${numbered}`];
  const run = () => (kind === 'source' ? showFiltered('leastSimilar', ofSource(name)) : document.getElementById('browse').show(pick, search));
  return { kind, content: [words(`alarm.${kind}`, values), ' ', make('button', { type: 'button', on: { click: run } }, say('show'))] };
}
