// Questions to the service.  The token stays in this tab, and goes to this host only.

const KEY = "streamqid.token";
let asking = null;

export class Failure extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

async function fetched(path, token) {
  try {
    return await fetch(path, { headers: token ? { Authorization: `Bearer ${token}` } : {}, cache: "no-store" });
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
  document.getElementById("wrong").textContent = wrong ? "The service does not take this token." : "";
  if (!dialog.open) dialog.showModal();
  field.value = "";
  field.focus();
  return new Promise((resolve) => {
    document.getElementById("ask-form").onsubmit = (event) => {
      event.preventDefault();
      sessionStorage.setItem(KEY, field.value.trim());
      dialog.close();
      resolve();
    };
    dialog.oncancel = (event) => event.preventDefault();
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
