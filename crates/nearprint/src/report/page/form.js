// The sentences of the engine on a form, which are English, in the language of the page. Fillings stand in double quotes and have none inside.

const FORM_IN_CHINESE = [
  [/At least (\d+) other documents share this form\./, '至少还有 $1 篇文档用这一模板。'],
  [/(\d+) other documents share this form\./, '还有 $1 篇文档用这一模板。'],
  [/ They differ in (\d+) places?/, '这些文档有 $1 处填写不同'],
  [/, where this text and its keeper agree: /, '，其中本篇与保留文档都一致：'],
  [/, and so do this text and its keeper: /, '，本篇与保留文档也都不同：'],
  [/\. In (\d+) of them this text and its keeper agree: /, '。其中 $1 处本篇与保留文档一致：'],
  [/; in (\d+) the two differ: /, '；$1 处两篇不同：'],
  [/ Elsewhere the two differ: /, '此外两篇还有不同：'],
  [/ and (\d+) more/, ' 等，另有 $1 处'],
  [/nothing/g, '无'], [/ here, /g, '（本篇）对 '], [/ there/g, '（保留文档）'], [/; /g, '；'], [/, /g, '、'], [/\./g, '。'],
];

// An element with the sentences; they stay English where one of them is not known here.
function formOf(sentences) {
  const inChinese = (part) => FORM_IN_CHINESE.reduce((text, [english, chinese]) => text.replace(english, chinese), part);
  const parts = sentences.split(/("[^"]*")/).map((part, at) => (at % 2 ? part : inChinese(part)));
  const isKnown = language === 'zh' && !parts.some((part, at) => at % 2 === 0 && /[A-Za-z]/.test(part));
  return isKnown ? make('p', {}, visible(parts.join(''))) : make('p', { lang: 'en' }, visible(sentences));
}
