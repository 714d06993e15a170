// Server-sent events, read from the bytes of an answer. A browser's own reader of them tells neither of the comments by
// which one knows that a silent server lives, nor why it was refused.

/**
 * Reads events until there are no more bytes.
 * @param {ReadableStream<Uint8Array>} bytes
 * @param {() => void} heard called whenever some have come, those of a comment, too
 * @param {(type: string, data: any) => void} event
 */
export async function read(bytes, heard, event) {
  const reader = bytes.getReader();
  const decoder = new TextDecoder();
  for (let text = ""; ; ) {
    const { done, value } = await reader.read();
    if (done) return;
    heard();
    const blocks = (text + decoder.decode(value, { stream: true })).split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) tell(block, event);
  }
}

/**
 * @param {string} block the lines of one event, or of a comment
 * @param {(type: string, data: any) => void} event
 */
function tell(block, event) {
  let [type, data] = ["message", ""];
  for (const line of block.split("\n")) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name === "event") type = value;
    if (name === "data") data += value;
  }
  if (data) event(type, JSON.parse(data));
}
