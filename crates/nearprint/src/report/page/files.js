// The file that a person saves, and names in commands.

// Gives the reader of the page a file with this text.
function giveFile(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/jsonl' }));
  make('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

// The browser asks in its own words before marks are lost with the page.
function beforeLeaving(event) {
  if (areUnsaved()) event.preventDefault();
}

// A name as a shell takes it for one word.
const inShell = (name) => (/^[\w./+-]+$/.test(name) && !name.startsWith('-') ? name : `'${name.replaceAll("'", "'\\''")}'`);
