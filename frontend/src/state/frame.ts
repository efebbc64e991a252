// Many small arrivals, one change a frame: appending to reactive state once an event freezes the page at a few thousand
// events, so arrivals wait in a queue that is emptied once per animation frame.

export interface Queue<T> {
  push(...items: T[]): void;
  /** now empties the queue at once. */
  now(): void;
  stop(): void;
}

/** queue calls flush with all that arrived, at most once a frame; in a hidden page, where frames stop, four times a second. */
export function queue<T>(flush: (items: T[]) => void): Queue<T> {
  let waiting: T[] = [];
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const run = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = 0;
    const items = waiting;
    waiting = [];
    if (items.length > 0) flush(items);
  };
  return {
    push(...items) {
      waiting.push(...items);
      if (frame) return;
      frame = requestAnimationFrame(run);
      timer = setTimeout(run, 250);
    },
    now: run,
    stop() {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
      waiting = [];
    },
  };
}
