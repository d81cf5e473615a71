// Texts are pasted; their near documents are shown, ranked.

// What a person has asked, so that it outlives a look at another view.
const asked = { text: '', byLine: false, texts: [], results: null };

function askView() {
  const text = make('textarea', { id: 'text', rows: 8, placeholder: say('askHint'), on: { input: () => { asked.text = text.value; }, keydown: (event) => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit(); } } });
  const byLine = make('input', { type: 'checkbox', on: { change: () => { asked.byLine = byLine.checked; } } });
  const answer = make('div', { id: 'answer', 'aria-live': 'polite' });
  [text.value, byLine.checked] = [asked.text, asked.byLine];
  const ask = async (event) => {
    event.preventDefault();
    const texts = (asked.byLine ? asked.text.split('\n') : [asked.text]).filter((one) => one.trim());
    if (!texts.length) { text.focus(); return; }
    try {
      const { results } = await call('POST', 'v1/check', {}, { texts });
      Object.assign(asked, { texts, results });
      answer.replaceChildren();
      add(answer, [answers()]);
    } catch (error) {
      if (error.status === 401) draw();
      else answer.replaceChildren(problemOf(error));
    }
  };
  const form = make('form', { on: { submit: ask } }, make('label', { for: 'text' }, say('askLabel')), text,
    make('div', { class: 'controls' }, make('button', { type: 'submit', class: 'main' }, say('find')), make('label', {}, byLine, say('byLine')), make('span', { class: 'small faint keys' }, say('askKeys'))));
  add(answer, [asked.results && answers()]);
  return [make('h2', {}, say('nav.ask')), form, answer];
}

// The duplicates of all texts that were asked about.
function answers() {
  const isAlone = asked.texts.length === 1;
  const one = (result, at) => {
    const text = asked.texts[at];
    return make('section', {}, !isAlone && make('h3', { class: 'beginning' }, `${say('text', { n: number(at + 1) })} `, make('span', { class: 'faint' }, visible(text.slice(0, 200)))),
      result.duplicates ? duplicatesOf({ text }, say('asked'), result, isAlone) : problemOf({ message: result.detail }));
  };
  return [asked.results.map(one), asked.results.some(({ duplicates }) => duplicates?.length) && legend()];
}
