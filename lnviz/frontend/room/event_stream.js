// Server-sent events, read from the bytes of an answer. A browser's own reader of them tells neither of the comments by
// which one knows that a silent server lives, nor why it was refused.

/**
 * Reads events until there are no more bytes.
 * @param {ReadableStream<Uint8Array>} bytes
 * @param {() => void} onBytes called whenever some have come, those of a comment, too
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
 * @param {string} block the lines of one event, or of a comment
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
