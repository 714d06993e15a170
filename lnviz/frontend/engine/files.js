// Copying to the clipboard and downloading files.

/**
 * Copy a text to the clipboard.
 * @param {string} text
 * @returns {Promise<boolean>} false where the browser forbids it, for example without HTTPS
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
 * Download content as a file.
 * @param {string} name
 * @param {Blob} content
 */
export function downloadFile(name, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser has read the URL by the next task.
  setTimeout(() => URL.revokeObjectURL(link.href));
}
