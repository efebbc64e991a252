// Imported before everything else. Under LANG=C.UTF-8 WebKitGTK reports the language "C", and Intl throws a RangeError
// for it at import time of some libraries: the page would stay blank without a message.

function broken(tag: string): boolean {
  try {
    new Intl.NumberFormat(tag);
    return false;
  } catch {
    return true;
  }
}

if (broken(navigator.language)) {
  Object.defineProperty(navigator, 'language', { get: () => 'en-US', configurable: true });
  Object.defineProperty(navigator, 'languages', { get: () => ['en-US', 'en'], configurable: true });
}

export {};
