// The rules of the game: what a card is, which three make a set.

export const ATTRIBUTES = ["count", "color", "shading", "shape"];
export const VALUES = {
  count: [1, 2, 3],
  color: ["red", "green", "purple"],
  shading: ["solid", "striped", "open"],
  shape: ["diamond", "oval", "squiggle"],
};
const LETTERS = { red: "R", green: "G", purple: "P", solid: "S", striped: "T", open: "O", diamond: "D", oval: "O", squiggle: "Q" };

export const codeOf = (card) => ATTRIBUTES.map((name) => LETTERS[card[name]] ?? card[name]).join("");

const placesOf = (card) => ATTRIBUTES.map((name) => VALUES[name].indexOf(card[name]));
const indexOf = (places) => places.reduce((sum, place) => 3 * sum + place, 0);

/** All sets among cards: any two are completed by exactly one third card. */
export function findSets(cards) {
  const places = cards.map(placesOf);
  const where = new Map();
  places.forEach((each, i) => {
    const index = indexOf(each);
    where.set(index, [...(where.get(index) ?? []), i]);
  });
  const sets = [];
  for (let i = 0; i < cards.length; i++) {
    for (let j = i + 1; j < cards.length; j++) {
      const third = places[i].map((a, k) => (6 - a - places[j][k]) % 3);
      for (const k of where.get(indexOf(third)) ?? []) if (k > j) sets.push([i, j, k]);
    }
  }
  return sets.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
}

/** Why three cards make a set: of each attribute the values, and whether they are all equal. */
export function explain(trio) {
  return ATTRIBUTES.map((name) => {
    const values = trio.map((card) => card[name]);
    return { name, values, equal: values[0] === values[1] };
  });
}

const SVG = "http://www.w3.org/2000/svg";
const INKS = { red: "#d6222c", green: "#008a44", purple: "#5c2c90" };
const SHAPES = {
  diamond: "M0 14L8 0 16 14 8 28Z",
  oval: "M0 8A8 8 0 0 1 16 8V20A8 8 0 0 1 0 20Z",
  squiggle: "M3 2C8-2 16 1 14 9 13 14 17 19 13 26 8 30 0 27 2 19 3 14-1 9 3 2Z",
};

/** Draw a card, small; seen by the eye alone, since its name stands beside it. */
export function drawCard(card) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 66 44");
  svg.setAttribute("class", "mini");
  svg.setAttribute("aria-hidden", "true");
  const paper = document.createElementNS(SVG, "rect");
  for (const [name, value] of Object.entries({ x: 1, y: 1, width: 64, height: 42, rx: 4, fill: "#fff", stroke: "#777" })) paper.setAttribute(name, value);
  svg.append(paper);
  for (let n = 0; n < card.count; n++) {
    const x = 33 - 8 + (n - (card.count - 1) / 2) * 19;
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", SHAPES[card.shape]);
    path.setAttribute("transform", `translate(${x} 8)`);
    path.setAttribute("fill", card.shading === "solid" ? INKS[card.color] : "none");
    path.setAttribute("stroke", INKS[card.color]);
    path.setAttribute("stroke-width", "1.6");
    svg.append(path);
    if (card.shading === "striped") {
      for (let y = 4; y < 26; y += 3) {
        const line = document.createElementNS(SVG, "path");
        const inset = card.shape === "diamond" ? Math.abs(y - 14) * 0.57 : 2;
        line.setAttribute("d", `M${x + inset} ${8 + y}H${x + 16 - inset}`);
        line.setAttribute("stroke", INKS[card.color]);
        line.setAttribute("stroke-width", "1");
        svg.append(line);
      }
    }
  }
  return svg;
}
