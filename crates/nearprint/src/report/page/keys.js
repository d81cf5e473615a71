// Keys: j and k go from pair to pair and from cluster to cluster, those of MARK_KEYS mark the pair at hand and go on to the next one without a mark.

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in MARK_KEYS || 'jk'.includes(event.key)) || /^(INPUT|TEXTAREA)$/.test(event.target.tagName)) return;
  // A list that was just picked would take a letter for the name of another one.
  event.preventDefault();
  const here = atHand(document.activeElement);
  if (event.key === 'j') goTo(here ? stopAfter(here, () => true) : firstInView());
  if (event.key === 'k') goTo(here ? stops()[stops().indexOf(here) - 1] : firstInView());
  if (!here && event.key in MARK_KEYS) goTo(firstInView());
  if (here && isPair(here) && event.key in MARK_KEYS) {
    const at = Number(here.dataset.pair);
    // A key only marks; a click on the mark takes it back.
    if (verdicts.get(at) !== MARK_KEYS[event.key]) judge(at, MARK_KEYS[event.key]);
    goTo(stopAfter(here, (next) => (isPair(next) ? !verdicts.has(Number(next.dataset.pair)) : !next.parentElement.open)));
  }
}

const isPair = (stop) => stop.matches('article.pair');

// Where the keys stop, from top to bottom: pairs, and the heads of clusters. Closed clusters keep their pairs to themselves.
const stops = () => [...document.querySelectorAll('article.pair, .cluster > summary')].filter((stop) => !isPair(stop) || !stop.closest('.cluster:not([open])'));

// The stop that holds an element; beside the pairs of a cluster it is the pair that is shown.
function atHand(element) {
  const own = element.closest('article.pair, .cluster > summary');
  const cluster = !own && element.closest('.cluster');
  return cluster ? cluster.querySelector('article.pair:not([hidden])') : own;
}

// Without a stop at hand the first one that can be seen, or the first one below.
const firstInView = () => stops().find((stop) => stop.getBoundingClientRect().top >= 0 && !stop.hidden) || stops()[0];

// The next stop that is wanted: in the list as long as it has one, and more of the list are loaded.
function stopAfter(here, isWanted) {
  const list = here.closest('#browse');
  const next = (isIn) => stops().slice(stops().indexOf(here) + 1).find((stop) => isWanted(stop) && isIn(stop));
  const inList = (stop) => list.contains(stop);
  while (list && !next(inList) && showMore());
  return (list && next(inList)) || next(() => true);
}

// The stop of an element of the list: a pair itself, or the head of a cluster.
const stopOf = (element) => element.querySelector(':scope > summary') || element;

function goTo(stop) {
  if (!stop) return;
  if (stop.hidden) stop.reveal();
  stop.focus();
  stop.scrollIntoView({ block: 'start' });
}
