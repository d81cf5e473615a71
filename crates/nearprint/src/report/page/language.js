// The words that pages share, in both languages, and numbers as people write them. {name} is filled in.

const WORDS = {
  en: {
    otherLanguage: '中文',
    dark: 'Dark', light: 'Light',
    skip: 'Skip to the content',
    reasons: { exact: 'equal texts', near: 'near duplicates', contained: 'one contains the other', short: 'short texts', contains: 'contain a test item', marked: 'marked as right' },
    comma: ', ', others: ' and {n} more',
    noValue: '(no value)',
    asTable: 'As a table',
    nothing: 'There is no data to plot.',
    more: 'Show more',
    all: '{shown} of {all} shown',
    legend: { shared: 'in both', own: 'only here', moved: 'in both, at another place', figure: 'a figure that differs', stripped: 'not compared' },
    folded: '[… {n} characters …]', unfold: 'Show these characters',
    right: 'Right', wrong: 'Wrong',
    verdictAsk: 'Are these two duplicates?',
    sign: 'invisible character {code}',
  },
  zh: {
    otherLanguage: 'English',
    dark: '深色', light: '浅色',
    skip: '跳到正文',
    reasons: { exact: '文本相同', near: '近似重复', contained: '一篇包含另一篇', short: '短文本', contains: '含有测试题', marked: '人工标为正确' },
    comma: '、', others: ' 等，另有 {n} 个',
    noValue: '（无值）',
    asTable: '查看表格',
    nothing: '没有可画的数据。',
    more: '显示更多',
    all: '已显示 {shown} / {all}',
    legend: { shared: '两篇都有', own: '仅此篇有', moved: '两篇都有，但位置不同', figure: '不同的数字', stripped: '不参与比较' },
    folded: '［…… {n} 个字符 ……］', unfold: '展开',
    right: '正确', wrong: '错误',
    verdictAsk: '这两篇是重复的吗？',
    sign: '不可见字符 {code}',
  },
};

// Adds the words of a page.
function addWords(own) {
  for (const name of Object.keys(WORDS)) Object.assign(WORDS[name], own[name]);
}

let language = (navigator.language || '').startsWith('zh') ? 'zh' : 'en';

// A text in the language at hand; `path` is a name or several with dots between them.
function say(path, values) {
  const text = path.split('.').reduce((words, name) => words && words[name], WORDS[language]);
  if (typeof text !== 'string') return text === undefined ? path : text;
  return text.replace(/\{(\w+)\}/g, (all, name) => (values && name in values ? String(values[name]) : all));
}

const number = (value) => new Intl.NumberFormat(language).format(value);
// Never more than the value, which has six decimals at most: 1.000 is 1, and what lies below a bound is shown so.
const fixed = (value, digits = 3) => (Math.floor(value * 10 ** digits + 1e-4) / 10 ** digits).toFixed(digits);
const percent = (value) => `${(100 * value).toFixed(value > 0 && value < 0.001 ? 3 : 1)} %`;

function bytes(value) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) { value /= 1000; unit += 1; }
  return `${value.toFixed(value < 10 && unit > 0 ? 1 : 0)} ${units[unit]}`;
}
