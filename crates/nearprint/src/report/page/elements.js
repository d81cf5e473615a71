// Elements of the page. Text of documents becomes text nodes only, never markup.

function make(name, properties, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key === 'on') for (const [event, run] of Object.entries(value)) element.addEventListener(event, run);
    else if (key === 'class') element.className = value;
    else if (key === 'style') for (const [name, set] of Object.entries(value)) element.style.setProperty(name, set);
    else element.setAttribute(key, value === true ? '' : value);
  }
  add(element, children);
  return element;
}

function add(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    element.append(child);
  }
  return element;
}

function svg(name, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
  return add(element, children);
}

// A text that cannot be seen as it is: signs that show nothing, or turn the direction of what follows, are shown by their code.
// Tabs and line feeds are left to the browser, the joiners of words in other scripts than Latin, and of emoji, to these.
const inClass = (sign) => `\\u{${sign.codePointAt(0).toString(16)}}`;
const UNSEEN = new RegExp(`(?![\\t\\n])[${DATA.hidden.map(([first, last]) => `${inClass(first)}-${inClass(last)}`).join('')}]`, 'gu');
const JOINER = /[\u200c\u200d]/;

function visible(text) {
  const parts = [];
  let last = 0;
  for (const match of text.matchAll(UNSEEN)) {
    const at = match.index;
    if (match[0] === '\r' && text[at + 1] === '\n') continue;
    if (JOINER.test(match[0]) && text.charCodeAt(at - 1) > 0x24f && text.charCodeAt(at + 1) > 0x24f) continue;
    if (at > last) parts.push(text.slice(last, at));
    const code = `U+${match[0].codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
    parts.push(make('span', { class: 'hidden-sign', title: say('sign', { code }) }, code));
    last = at + match[0].length;
  }
  if (last < text.length) parts.push(text.slice(last));
  return parts;
}

// A name of the input, such as an id or a file, kept apart from the direction of the words around it.
const named = (text) => make('bdi', {}, visible(String(text)));

// The first of some names, and the number of the others.
const NAMED = 3;
const some = (names) => make('span', {}, names.slice(0, NAMED).flatMap((name, at) => [at > 0 && say('comma'), name]), names.length > NAMED && say('others', { n: number(names.length - NAMED) }));

// Words with parts that are elements: {name} is filled by them.
function words(path, values) {
  const text = say(path);
  return text.split(/(\{\w+\})/).map((part) => {
    const name = part.match(/^\{(\w+)\}$/);
    return name && name[1] in values ? values[name[1]] : part;
  });
}

const onEnter = (run) => (event) => {
  if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); run(event); }
};

// Makes an element a button, which a click or Enter presses.
function onPress(element, run) {
  element.classList.add('press');
  element.setAttribute('tabindex', '0');
  element.setAttribute('role', 'button');
  element.addEventListener('click', run);
  element.addEventListener('keydown', onEnter(run));
}
