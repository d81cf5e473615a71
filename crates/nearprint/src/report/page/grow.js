// A long list, of which a step is made at a time.

const STEP = 10;

// Shows more of the list, if it has more; set by the list itself.
let showMore = () => false;

// The list, a line that counts it, and the button for more. `fill` takes functions that make the elements, and says whether there are some.
function growingList() {
  const [list, count] = [make('div', {}), make('p', { class: 'faint small', role: 'status' })];
  const more = make('button', { type: 'button', id: 'show-more', on: { click: () => { showMore(); stopOf(list.children[shown - STEP]).focus({ preventScroll: true }); } } }, say('more'));
  let elements = [];
  let shown = 0;
  showMore = () => {
    if (shown >= elements.length) return false;
    add(list, elements.slice(shown, shown + STEP).map((element) => element()));
    shown += STEP;
    count.textContent = say('all', { shown: number(list.children.length), all: number(elements.length) });
    more.hidden = shown >= elements.length;
    return true;
  };
  const fill = (made) => {
    [elements, shown, more.hidden] = [made, 0, true];
    list.replaceChildren();
    return showMore();
  };
  return { list, count, more, fill };
}
