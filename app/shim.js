// Gives the page in a browser what the desktop window gives it: window.go.app.App and window.runtime.
(() => {
  const call = async (method, args) => {
    let reply;
    try {
      reply = await fetch("api/call/" + method, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(args) });
    } catch {
      throw { code: "unavailable", message: "Redgreen does not answer: `redgreen serve` has ended. Start it again and open the address that it prints." };
    }
    const text = await reply.text();
    let value;
    try {
      value = text === "" ? null : JSON.parse(text);
    } catch {
      throw { code: reply.status === 401 ? "denied" : "internal", message: text.trim() };
    }
    if (!reply.ok) throw value;
    return value;
  };
  const listeners = new Map();
  const emit = (name, payload) => {
    for (const fn of listeners.get(name) ?? []) fn(payload);
  };
  const stream = new EventSource("api/events");
  const open = new Promise((resolve) => {
    stream.onopen = () => {
      resolve();
      emit("connected", null);
    };
    setTimeout(resolve, 3000);
  });
  stream.onmessage = (e) => {
    const { name, payload } = JSON.parse(e.data);
    emit(name, payload);
  };
  stream.onerror = () => emit("disconnected", null);
  // The first call waits for the stream, so that no event is lost between them.
  const App = new Proxy({}, { get: (_, method) => (method === "then" ? undefined : (...args) => open.then(() => call(method, args))) });
  window.redgreen = { mode: "browser" };
  window.go = { app: { App } };
  const on = (name, fn) => {
    if (!listeners.has(name)) listeners.set(name, new Set());
    listeners.get(name).add(fn);
    return () => listeners.get(name).delete(fn);
  };
  window.runtime = {
    EventsOn: on,
    EventsOff: (...names) => names.forEach((n) => listeners.delete(n)),
    ClipboardSetText: (text) => navigator.clipboard.writeText(text).then(() => true),
    BrowserOpenURL: (url) => window.open(url, "_blank", "noopener"),
  };
})();
