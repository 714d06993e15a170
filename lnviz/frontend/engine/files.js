// Puts what a reader wants to keep where it can be kept: the clipboard, or a file.

/**
 * @param {string} text
 * @returns {Promise<boolean>} false where the browser keeps the clipboard from the page: without https, say
 */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * @param {string} name
 * @param {Blob} content
 */
export function downloadFile(name, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser has taken the address by the next task.
  setTimeout(() => URL.revokeObjectURL(link.href));
}
