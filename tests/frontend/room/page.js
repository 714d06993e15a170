// A minimal browser for connections: visibility, online state, and requests.

const turns = async () => {
  for (let turn = 0; turn < 12; turn += 1) await new Promise(setImmediate);
};

/** Open a page with a mocked clock. */
export function openPage(context) {
  context.mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_000_000 });
  context.mock.method(Math, "random", () => 0.5);
  const [page, kept] = [new EventTarget(), new Map()];
  const listen = (type, ...more) => page.addEventListener(type, ...more);
  globalThis.document = Object.assign(new EventTarget(), { visibilityState: "visible" });
  globalThis.addEventListener = listen;
  Object.defineProperty(globalThis, "navigator", { value: { onLine: true }, configurable: true, writable: true });
  globalThis.localStorage = {
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, text) => kept.set(name, text),
    removeItem: (name) => kept.delete(name),
  };
  return {
    kept,
    /** Lets time pass, a tenth of a second at a time. */
    async pass(milliseconds) {
      await turns();
      for (let left = milliseconds; left > 0; left -= 100) {
        context.mock.timers.tick(Math.min(100, left));
        await turns();
      }
    },
    /** The network comes or goes. */
    network(onLine) {
      navigator.onLine = onLine;
      page.dispatchEvent(new Event(onLine ? "online" : "offline"));
    },
    /** Another tab writes what both keep. */
    stored: () => page.dispatchEvent(new Event("storage")),
    /** Time passes, and nothing that waits for it is told. */
    sleep: (milliseconds) => context.mock.timers.setTime(Date.now() + milliseconds),
    /** Somebody takes the phone from the pocket; time has not passed for it. */
    async wake(milliseconds) {
      context.mock.timers.setTime(Date.now() + milliseconds);
      document.dispatchEvent(new Event("visibilitychange"));
      await turns();
    },
  };
}

/** An event stream that stays open. */
export class Stream {
  constructor(events = []) {
    this.body = new ReadableStream({ start: (controller) => (this.controller = controller) });
    this.response = new Response(this.body, { headers: { "Content-Type": "text/event-stream" } });
    for (const event of events) this.send(...event);
  }

  send(event, data) {
    this.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  write(text) {
    this.controller.enqueue(new TextEncoder().encode(text));
  }

  end() {
    this.controller.close();
  }

  cut() {
    this.controller.error(new TypeError("network error"));
  }
}

/**
 * Mock `fetch` by a function of the test; return the requested addresses.
 * @param {(address: string, request: RequestInit) => any} answer returns a response, a stream, or null to never respond
 */
export function serve(context, answer) {
  const asked = [];
  context.mock.method(globalThis, "fetch", (address, request = {}) => {
    asked.push({ address: String(address), ...request });
    const { promise, resolve, reject } = Promise.withResolvers();
    const { signal } = request;
    const give = async () => {
      const given = await answer(String(address), request);
      if (given instanceof Error) throw given;
      if (given instanceof Stream) signal?.addEventListener("abort", () => given.cut());
      if (given) resolve(given instanceof Stream ? given.response : given);
    };
    give().catch(reject);
    signal?.addEventListener("abort", () => reject(signal.reason));
    return promise;
  });
  return asked;
}

/** Return a room's state. */
export function room(rev, more = {}) {
  return { rev, code: "482913", mode: "led", lesson: "axes", screen: "shared", pose: {}, task: "", counted: [], locked: false, poll: null, shown: null, resolved: false, ...more };
}

/** Return its poll. */
export function poll(more = {}) {
  return { id: 7, kind: "choice", round: 1, phase: "asking", labels: ["A", "B", "C", "D"], text: "", options: [], ...more };
}
