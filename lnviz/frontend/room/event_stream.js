// Parser of server-sent events. Unlike EventSource it reports comments, which show that a silent server is alive, and
// error responses.

/**
 * Read events until the stream ends.
 * @param {ReadableStream<Uint8Array>} bytes
 * @param {() => void} onBytes called for all received bytes, comments included
 * @param {(type: string, data: any) => void} onEvent
 */
export async function readEvents(bytes, onBytes, onEvent) {
  const reader = bytes.getReader();
  const decoder = new TextDecoder();
  for (let text = ""; ; ) {
    const { done, value } = await reader.read();
    if (done) return;
    onBytes();
    const blocks = (text + decoder.decode(value, { stream: true })).split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) dispatchBlock(block, onEvent);
  }
}

/**
 * Parse and report one event.
 * @param {string} block lines of one event or comment
 * @param {(type: string, data: any) => void} onEvent
 */
function dispatchBlock(block, onEvent) {
  let [type, data] = ["message", ""];
  for (const line of block.split("\n")) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name === "event") type = value;
    if (name === "data") data += value;
  }
  if (data) onEvent(type, JSON.parse(data));
}
