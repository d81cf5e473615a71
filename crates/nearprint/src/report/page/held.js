// What a report shows; the page holds it as JSON.

const held = (id) => JSON.parse(document.getElementById(id).textContent);
const DATA = held('data');
