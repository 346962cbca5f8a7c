// Sets and cards as text and small pictures, and why three cards are a set.
import { drawCard, explain } from "./cards.js";
import { COLORS } from "./overlay.js";
import { say, sayCard, sayValue } from "./words.js";

/** Why three cards are a set, attribute by attribute. */
export function reason(trio) {
  const box = document.createElement("div");
  const table = document.createElement("table");
  const caption = table.createCaption();
  caption.className = "quiet";
  caption.textContent = say("why");
  for (const { name, values, equal } of explain(trio)) {
    const row = table.insertRow();
    const head = document.createElement("th");
    head.scope = "row";
    head.textContent = say(name);
    row.append(head);
    for (const text of [values.map(sayValue).join(", "), say(equal ? "allEqual" : "allDifferent")]) row.insertCell().textContent = text;
  }
  box.append(table);
  if (trio.some((card) => !card.certain)) {
    const doubt = document.createElement("p");
    doubt.textContent = say("restsOnDoubt");
    box.append(doubt);
  }
  return box;
}

/** An item for each set; the one that is shown is said to be current. */
export function setItems(all, sets, current, onChoose) {
  return sets.map((places, index) => {
    const cards = places.map((place) => all[place]);
    const number = document.createElement("span");
    number.className = "number";
    number.textContent = `${index + 1}${cards.every((card) => card.certain) ? "" : "?"}`;
    const icons = document.createElement("span");
    icons.className = "icons";
    icons.append(...cards.map(drawCard));
    const item = makeItem([number, icons], () => onChoose(index));
    const button = item.firstChild;
    button.setAttribute("aria-label", `${say("setOf", index + 1, sets.length)}: ${cards.map(sayCard).join(", ")}`);
    button.setAttribute("aria-current", String(index === current));
    button.style.setProperty("border-left", `.5rem solid ${COLORS[index % COLORS.length]}`);
    return item;
  });
}

/** An item for each card. */
export function cardItems(cards, onChoose) {
  return cards.map((card, place) => {
    const text = document.createElement("span");
    text.textContent = sayCard(card) + (card.certain ? "" : ` (${say("uncertain")})`);
    const item = makeItem([drawCard(card), text], () => onChoose(place));
    item.firstChild.setAttribute("aria-label", say("correct", text.textContent));
    return item;
  });
}

function makeItem(children, onClick) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...children);
  button.addEventListener("click", onClick);
  const item = document.createElement("li");
  item.append(button);
  return item;
}
