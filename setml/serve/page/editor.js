// The small picker in which a card is corrected.
import { ATTRIBUTES, VALUES, drawCard } from "./cards.js";
import { say, sayCard, sayValue } from "./words.js";

const dialog = document.getElementById("editor");
const choices = document.getElementById("choices");

/**
 * Ask what a card is.
 *
 * @param card what it was read as; its corners say where on the picture it lies
 * @param picture canvas or image, or null
 * @returns {"save"|"remove"|"cancel", card}
 */
export function ask(card, picture) {
  const chosen = Object.fromEntries(ATTRIBUTES.map((name) => [name, card[name]]));
  const face = document.getElementById("face");
  drawFace(face, card.corners, picture);
  face.setAttribute("aria-label", sayCard(card));
  const showIcon = () => document.getElementById("icon").replaceChildren(drawCard(chosen));
  choices.replaceChildren(...ATTRIBUTES.map((name) => {
    const group = document.createElement("fieldset");
    const legend = document.createElement("legend");
    legend.textContent = say(name);
    const row = document.createElement("div");
    row.className = "choice";
    for (const value of VALUES[name]) {
      const label = document.createElement("label");
      const input = document.createElement("input");
      Object.assign(input, { type: "radio", name, value: String(value), checked: chosen[name] === value });
      input.addEventListener("change", () => { chosen[name] = value; showIcon(); });
      const text = document.createElement("span");
      text.textContent = sayValue(value);
      label.append(input, text);
      row.append(label);
    }
    group.append(legend, row);
    return group;
  }));
  showIcon();
  dialog.returnValue = "cancel";
  dialog.showModal();
  choices.querySelector("input:checked")?.focus();
  return new Promise((done) => {
    dialog.addEventListener("close", () => done({ action: dialog.returnValue, card: chosen }), { once: true });
  });
}

/** Show the piece of the picture where the card lies, with a little around it. */
function drawFace(face, corners, picture) {
  face.hidden = !picture;
  if (!picture) return;
  const [xs, ys] = [0, 1].map((axis) => corners.map((corner) => corner[axis]));
  const margin = 0.06 * (Math.max(...xs) - Math.min(...xs));
  const [left, top] = [Math.min(...xs) - margin, Math.min(...ys) - margin];
  const [width, height] = [Math.max(...xs) + margin - left, Math.max(...ys) + margin - top];
  const scale = 320 / Math.max(width, height);
  face.width = Math.round(width * scale);
  face.height = Math.round(height * scale);
  face.getContext("2d").drawImage(picture, left, top, width, height, 0, 0, face.width, face.height);
}
