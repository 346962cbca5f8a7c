// Cards and sets drawn over the photo as vectors, sharp at any zoom.
import { say, sayCard } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";

// As in setml/render.py: any two differ also for eyes that lack a cone. Patterns tell them apart without color.
export const COLORS = ["#ff8000", "#80ffff", "#aa00ff", "#ffff80", "#000000", "#aaaaff", "#d5aa80", "#2b5555"];
const PATTERNS = ["", "14 6", "3 6", "18 5 3 5", "8 8", "24 6", "3 3 10 3", "1 7"];

function make(name, attributes, parent) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent?.append(element);
  return element;
}

const pointsOf = (corners) => corners.map((corner) => corner.join(",")).join(" ");
const middleOf = (corners) => [0, 1].map((axis) => corners.reduce((sum, corner) => sum + corner[axis], 0) / 4);

/** Move a clockwise outline's corners away from its middle, by some pixels. */
function grow(corners, by) {
  const middle = middleOf(corners);
  return corners.map(([x, y]) => {
    const away = Math.hypot(x - middle[0], y - middle[1]) || 1;
    const factor = 1 + by / away;
    return [middle[0] + (x - middle[0]) * factor, middle[1] + (y - middle[1]) * factor];
  });
}

/**
 * Draw all cards, and those that are shown.
 *
 * @param svg where to
 * @param table {width, height, cards}: cards have corners in pixels
 * @param shown [{number, places}]: the sets, or the cards of a hint, by their places among the cards
 * @param onCard called with a card's place when it is chosen
 */
export function draw(svg, table, shown, onCard) {
  const focused = document.activeElement?.dataset?.place;
  const had = svg.contains(document.activeElement);
  svg.setAttribute("viewBox", `0 0 ${table.width} ${table.height}`);
  svg.setAttribute("aria-label", say("photoOf", table.cards.length));
  svg.replaceChildren();
  const side = table.cards.length ? median(table.cards.map(({ corners }) => Math.hypot(corners[1][0] - corners[0][0], corners[1][1] - corners[0][1]))) : table.width / 8;
  const lit = new Set(shown.flatMap(({ places }) => places));
  table.cards.forEach((card, place) => {
    const points = pointsOf(card.corners);
    make("polygon", { class: "card-rim", points }, svg);
    const kinds = ["card", card.certain ? "" : "uncertain", lit.size && !lit.has(place) ? "dim" : ""].filter(Boolean).join(" ");
    const label = say("correct", sayCard(card)) + (card.certain ? "" : `, ${say("uncertain")}`);
    const outline = make("polygon", { class: kinds, points, tabindex: 0, role: "button", "aria-label": label }, svg);
    outline.dataset.place = place;
    outline.addEventListener("click", (event) => { event.stopPropagation(); onCard(place); });
    outline.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); event.stopPropagation(); onCard(place); }
    });
    if (!card.certain) {
      const [x, y] = middleOf(card.corners);
      make("circle", { class: "doubt-disk", cx: x, cy: y, r: side * 0.22 }, svg);
      make("text", { class: "doubt-mark", x, y, "font-size": side * 0.3, "aria-hidden": "true" }, svg).textContent = "?";
    }
  });
  const rings = new Map();
  for (const { number, places } of shown) {
    for (const place of places) {
      const ring = rings.get(place) ?? 0;
      rings.set(place, ring + 1);
      drawRing(svg, table.cards[place].corners, number, ring, side);
    }
  }
  if (had && focused !== undefined) svg.querySelector(`[data-place="${focused}"]`)?.focus();
}

function drawRing(svg, corners, number, ring, side) {
  const around = grow(corners, side * (0.06 + 0.12 * ring));
  const color = COLORS[(number - 1) % COLORS.length];
  make("polygon", { class: "ring-rim", points: pointsOf(around) }, svg);
  make("polygon", { class: "ring", points: pointsOf(around), stroke: color, "stroke-dasharray": PATTERNS[(number - 1) % PATTERNS.length] }, svg);
  const [x, y] = [0, 1].map((axis) => around[0][axis] + (around[1][axis] - around[0][axis]) * Math.min(0.9, 0.15 + 0.3 * ring));
  make("circle", { class: "badge", cx: x, cy: y, r: side * 0.15, fill: color, stroke: "#fff", "stroke-width": side * 0.02 }, svg);
  const dark = number % COLORS.length === 5 || number % COLORS.length === 3 || number % COLORS.length === 0;
  make("text", { class: "badge", x, y, "font-size": side * 0.2, fill: dark ? "#fff" : "#000", "aria-hidden": "true" }, svg).textContent = number;
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}
