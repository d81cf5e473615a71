// What a run left out, in the words of the terminal.

addWords({
  en: {
    loss: {
      whole: '{files} left out whole ({rows}): {names}', unknown: 'number of rows unknown',
      cut: '{files} left out from the damage on: {names}', used: ' ({rows} used)',
      rows: '{rows} left out', and: '; ', end: '.', see: ': see rejected.jsonl.',
    },
    units: { file: ['file', 'files'], row: ['row', 'rows'], document: ['document', 'documents'], mark: ['mark', 'marks'] },
  },
  zh: {
    loss: {
      whole: '{files}整个被跳过（{rows}）：{names}', unknown: '行数不详',
      cut: '{files}从损坏处起被跳过：{names}', used: '（用了 {rows}）',
      rows: '{rows}被跳过', and: '；', end: '。', see: '：见 rejected.jsonl。',
    },
    units: { file: ['个文件', '个文件'], row: ['行', '行'], document: ['篇文档', '篇文档'], mark: ['个标记', '个标记'] },
  },
});

const counted = (count, unit) => `${number(count)} ${say(`units.${unit}`)[count === 1 ? 0 : 1]}`;

// The files and rows that were left out. The number of rows of a file that could not be read is unknown.
function lossInWords({ whole, cut, rows }) {
  const known = whole.every(([, count]) => count !== null);
  const read = whole.reduce((sum, [, count]) => sum + count, 0);
  const parts = [
    whole.length > 0 && words('loss.whole', { files: counted(whole.length, 'file'), rows: known ? counted(read, 'row') : say('loss.unknown'), names: some(whole.map(([name]) => named(name))) }),
    cut.length > 0 && words('loss.cut', { files: counted(cut.length, 'file'), names: some(cut.map(([name, used]) => [named(name), say('loss.used', { rows: counted(used, 'row') })])) }),
    rows > 0 && [say('loss.rows', { rows: counted(rows, 'row') })],
  ].filter(Boolean);
  return [parts.flatMap((part, at) => [at > 0 && say('loss.and'), ...part]), say(DATA.folder === null ? 'loss.end' : 'loss.see')];
}
