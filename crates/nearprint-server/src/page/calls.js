// Calls of the service. A call that fails throws a problem, whose message is in the words of the service.

class Problem extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

// Integers beyond the range of JavaScript are read and written whole: ids may be such.
const whole = (_, value, { source } = {}) => (Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? BigInt(source) : value);
const asJson = (body) => JSON.stringify(body, (_, value) => (typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value));

// The collection that the address names; empty for the one that the service takes by default.
let collection = '';

// The answer to a call; null if it has no body. Parameters without a value are left out.
async function call(method, path, parameters, body) {
  const address = new URL(path, document.baseURI);
  address.hash = '';
  const all = { collection: ['v1/session', 'v1/series'].includes(path) ? '' : collection, ...parameters };
  for (const [name, value] of Object.entries(all)) if (value !== '' && value !== null && value !== undefined) address.searchParams.set(name, value);
  const headers = { Accept: 'application/json', ...(body && { 'Content-Type': 'application/json' }) };
  let response, text;
  try {
    response = await fetch(address, { method, headers, body: body && asJson(body) });
    text = await response.text();
  } catch {
    throw new Problem(0, say('unreachable'));
  }
  let answer = null;
  try {
    answer = text ? JSON.parse(text, whole) : null;
  } catch {
    if (response.ok) throw new Problem(response.status, say('notJson'));
  }
  if (!response.ok) throw new Problem(response.status, answer?.detail || `${response.status} ${response.statusText}`);
  return answer;
}

// The name of an id in a path. A string that could be an integer stands in quotation marks.
const nameOf = (id) => encodeURIComponent(typeof id === 'string' && /^[-+]?\d+$/.test(id) ? JSON.stringify(id) : String(id));

const problemOf = (error) => make('div', { class: 'alarm', role: 'alert' }, make('h3', {}, say('failed')), make('p', {}, visible(error.message)));

// A form for the token, which the service asked for. `done` is called when the service has taken it.
function loginForm(done) {
  const token = make('input', { type: 'password', id: 'token', autocomplete: 'current-password', required: true });
  const problem = make('div', {});
  const enter = async (event) => {
    event.preventDefault();
    try {
      await call('POST', 'v1/session', {}, { token: token.value });
      done();
    } catch (error) {
      problem.replaceChildren(problemOf(error));
      token.select();
    }
  };
  return make('form', { class: 'login', on: { submit: enter } }, make('h2', {}, say('login')), make('p', {}, say('loginWhy')),
    make('label', { for: 'token' }, say('token')), token, make('button', { type: 'submit' }, say('enter')), problem);
}
