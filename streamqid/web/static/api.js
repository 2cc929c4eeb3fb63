// Questions to the service.  The token stays in this tab, and goes to this host only.

const KEY = "streamqid.token";
const SECONDS = 40;
/** What a header can carry; anything else is no token. */
const SENDABLE = /^[\x21-\x7e]+$/;
let asking = null;

export class Failure extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

async function fetched(path, token) {
  try {
    const headers = token ? { Authorization: `Bearer ${token}` } : {};
    return await fetch(path, { headers, cache: "no-store", signal: AbortSignal.timeout(SECONDS * 1000) });
  } catch {
    throw new Failure(0, "The service does not answer: it may be stopped, or the network is away. Asking again …");
  }
}

async function detail(response) {
  try {
    return (await response.json()).detail;
  } catch {
    return `The service answered with status ${response.status}.`;
  }
}

async function ask(path) {
  for (;;) {
    const response = await fetched(path, sessionStorage.getItem(KEY));
    if (response.status !== 401) return response;
    asking ??= tokenFrom(sessionStorage.getItem(KEY) !== null).finally(() => { asking = null; });
    await asking;
  }
}

/** Ask for the token until somebody gives one; every question that needs it waits for the same answer. */
function tokenFrom(wrong) {
  const dialog = document.getElementById("ask");
  const field = document.getElementById("token");
  const refused = () => { document.getElementById("wrong").textContent = "The service does not take this token."; };
  document.getElementById("wrong").textContent = "";
  if (wrong) refused();
  if (!dialog.open) dialog.showModal();
  field.value = "";
  field.focus();
  return new Promise((resolve) => {
    document.getElementById("ask-form").onsubmit = (event) => {
      event.preventDefault();
      const token = field.value.trim();
      if (!SENDABLE.test(token)) {
        refused();
        return;
      }
      sessionStorage.setItem(KEY, token);
      dialog.onclose = null;
      dialog.close();
      resolve();
    };
    // Escape closes it whatever a page says; without a token there is nothing else to show.
    dialog.onclose = () => { if (!dialog.open) dialog.showModal(); };
  });
}

export async function get(path) {
  const response = await ask(path);
  if (!response.ok) throw new Failure(response.status, await detail(response));
  return response.json();
}

/** The same, but null where there is no such thing yet. */
export async function maybe(path) {
  try {
    return await get(path);
  } catch (failure) {
    if (failure.status === 404) return null;
    throw failure;
  }
}

/** A report on health: its status tells no failure. */
export async function report(path) {
  return (await ask(path)).json();
}

export async function text(path) {
  const response = await ask(path);
  if (!response.ok) throw new Failure(response.status, await detail(response));
  return response.text();
}

export const at = (stream, what) => `/v1/streams/${encodeURIComponent(stream)}/${what}`;
