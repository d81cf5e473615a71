// The texts of the pairs, in parts. The parts stand in the page, or in files beside it that are loaded where their pairs are shown.

const PART_ELEMENTS = [...document.querySelectorAll('script.part')];

// The texts of each part that is known: one entry for each of its pairs, null for a pair without texts.
const parts = new Map();

// What is still to be done with the texts of each part that is being loaded.
const waiting = new Map();

// The files of the parts call this.
function part(number, views) {
  parts.set(number, views);
  const steps = waiting.get(number) || [];
  waiting.delete(number);
  steps.forEach((step) => step());
}

// The number of the part that has the texts of a pair.
function partOf(at) {
  let [low, high] = [0, DATA.parts.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (DATA.parts[middle] <= at) low = middle; else high = middle;
  }
  return low;
}

// The texts of a pair if they are at hand; undefined if their file is not loaded.
function viewAtHand(at) {
  const number = partOf(at);
  if (!parts.has(number) && PART_ELEMENTS[number]) part(number, JSON.parse(PART_ELEMENTS[number].textContent));
  return parts.has(number) ? parts.get(number)[at - DATA.parts[number]] : undefined;
}

// Calls `show` with the texts of a pair, at once if they are at hand; with undefined if their file is missing.
function withView(at, show) {
  const number = partOf(at);
  if (viewAtHand(at) !== undefined) { show(viewAtHand(at)); return; }
  if (waiting.has(number)) { waiting.get(number).push(() => show(viewAtHand(at))); return; }
  waiting.set(number, [() => show(viewAtHand(at))]);
  const failed = () => {
    const steps = waiting.get(number) || [];
    waiting.delete(number);
    steps.forEach((step) => step());
  };
  document.head.append(make('script', { src: fileOf(number), on: { error: failed } }));
}

const fileOf = (number) => `${DATA.parts_in}/${number + 1}.js`;
