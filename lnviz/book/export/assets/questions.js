// Questions: the reader chooses, checks, and then is answered.

/** Has a question answer. @param {HTMLFormElement} form */
export function ask(form) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const input = form.querySelector("input:checked");
    const chosen = input instanceof HTMLInputElement ? input.value : "";
    const verdict = form.querySelector(`[data-verdict="${chosen}"]`);
    const status = form.querySelector("[role=status]");
    // A screen reader hears of a change in a status that was there before.
    if (verdict instanceof HTMLTemplateElement) status?.replaceChildren(verdict.content.cloneNode(true));
    if (chosen === "") return;
    for (const reply of form.querySelectorAll("[data-reply]")) {
      if (reply instanceof HTMLElement) reply.hidden = ![chosen, "any"].includes(reply.dataset.reply ?? "");
    }
  });
}
