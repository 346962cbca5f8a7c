// The page: what is on the table, whether there is a set, hints, corrections.
import { codeOf, findSets } from "./cards.js";
import { ask } from "./editor.js";
import { Live } from "./live.js";
import { cardItems, reason, setItems } from "./lists.js";
import { draw } from "./overlay.js";
import { post, readPhoto, toBlob } from "./photo.js";
import { currentLanguage, say, sayCard, speak } from "./words.js";

const $ = (id) => document.getElementById(id);

// How much is told: whether there is a set; one card of it; two; all three; all sets.
const NOTHING = 0, ONE = 1, TWO = 2, SET = 3, ALL = 4;

const state = {
  table: { width: 1, height: 1, cards: [] },
  sets: [],
  level: NOTHING,
  current: 0,
  adding: false,
  canvas: null, // the photo, as it was sent
  live: null,
  keeps: false, // whether the server keeps corrections
};

// --- what is shown -----------------------------------------------------------------------------------------------

function show() {
  $("panel").hidden = false;
  state.sets = findSets(state.table.cards);
  state.current = Math.min(state.current, Math.max(0, state.sets.length - 1));
  if (!state.sets.length) state.level = NOTHING;
  draw($("overlay"), state.table, shown(), correct);
  $("overlay").classList.toggle("adding", state.adding);
  $("photo").alt = say("photoOf", state.table.cards.length);
  tell();
  listSets();
  listCards();
}

/** What is marked on the photo, by how much is told. */
function shown() {
  if (state.level === ALL) return state.sets.map((places, index) => ({ number: index + 1, places }));
  const places = state.sets[state.current];
  return state.level === NOTHING ? [] : [{ number: state.current + 1, places: places.slice(0, state.level) }];
}

function tell() {
  const { cards } = state.table;
  const trio = state.sets[state.current]?.map((place) => cards[place]);
  const names = trio?.map(sayCard);
  $("answer").textContent = {
    [NOTHING]: () => say(!cards.length ? "noCards" : state.sets.length ? "yes" : "no"),
    [ONE]: () => say("hintOneSaid", names[0]),
    [TWO]: () => say("hintTwoSaid", names[0], names[1]),
    [SET]: () => say("setOf", state.current + 1, state.sets.length),
    [ALL]: () => say("allShown", state.sets.length),
  }[state.level]();
  const equal = new Set(cards.map(codeOf)).size < cards.length;
  $("warnings").hidden = !(equal || (cards.length >= 21 && !state.sets.length));
  $("warnings").textContent = say(equal ? "warnEqual" : "warnTwentyOne");
  const doubts = cards.filter((card) => !card.certain).length;
  $("doubt").hidden = !doubts || state.live !== null;
  $("doubt-text").textContent = say("doubt", doubts);
  $("hint").hidden = !state.sets.length || state.level >= SET;
  $("hint").textContent = say(["hint", "hintTwo", "hintSet"][state.level] ?? "hint");
  $("previous").hidden = $("next").hidden = state.level < SET || state.sets.length < 2;
  $("all").hidden = !state.sets.length || state.level === ALL;
  $("why").replaceChildren(...(state.level === SET ? [reason(trio)] : []));
  $("add").setAttribute("aria-pressed", String(state.adding));
  $("add").hidden = state.live !== null;
  $("freeze").hidden = state.live === null;
  $("share-box").hidden = !state.keeps || state.live !== null;
}

function listSets() {
  $("sets-box").hidden = state.level < SET;
  $("sets-title").textContent = say("setsCount", state.sets.length);
  $("sets").replaceChildren(...setItems(state.table.cards, state.sets, state.level === SET ? state.current : -1, goTo));
}

function listCards() {
  const { cards } = state.table;
  $("cards-box").hidden = !cards.length;
  $("cards-title").textContent = say("cardsCount", cards.length);
  $("cards").replaceChildren(...cardItems(cards, correct));
}

// --- hints and sets ----------------------------------------------------------------------------------------------

function goTo(index) {
  if (!state.sets.length) return;
  state.level = SET;
  state.current = (index + state.sets.length) % state.sets.length;
  show();
}

const step = (by) => goTo(state.level >= SET ? state.current + by : state.current);

function hint() {
  state.level = Math.min(SET, state.level + 1);
  show();
  if ($("hint").hidden) $("answer").focus();
}

// --- corrections -------------------------------------------------------------------------------------------------

async function correct(place) {
  if (state.adding || state.live) return;
  const card = state.table.cards[place];
  const { action, card: chosen } = await ask(card, state.canvas);
  if (action === "cancel") return;
  const { cards } = state.table;
  if (action === "remove") {
    state.table.cards = cards.filter((_, other) => other !== place);
  } else {
    const known = { ...card, ...chosen, certain: true, confidence: 1 };
    if (!card.certain || codeOf(card) !== codeOf(known)) give(known);
    state.table.cards = cards.map((other, i) => (i === place ? known : other));
  }
  state.level = Math.min(state.level, SET);
  show();
  $("answer").focus();
}

/** Add a card whose middle is at (x, y), as large as the others and turned as they are. */
async function add(x, y) {
  state.adding = false;
  const { cards, width } = state.table;
  const around = cards.length
    ? [...cards].sort((a, b) => distance(a, x, y) - distance(b, x, y))[0].corners
    : [[-1, -1.55], [1, -1.55], [1, 1.55], [-1, 1.55]].map(([a, b]) => [a * width * 0.06, b * width * 0.06]);
  const middle = [0, 1].map((axis) => around.reduce((sum, corner) => sum + corner[axis], 0) / 4);
  const corners = around.map((corner) => [corner[0] - middle[0] + x, corner[1] - middle[1] + y]);
  const blank = { count: 1, color: "red", shading: "solid", shape: "diamond", corners, confidence: 1, certain: true };
  const { action, card } = await ask(blank, state.canvas);
  if (action === "save") state.table.cards = [...cards, { ...blank, ...card }];
  show();
  $("answer").focus();
}

function distance(card, x, y) {
  return Math.min(...card.corners.map((corner) => Math.hypot(corner[0] - x, corner[1] - y)));
}

/** Give a corrected card to the server's owner, if the player agrees; only its crop is kept there. */
async function give(card) {
  if (!state.keeps || !$("share").checked || !state.canvas) return;
  const scale = state.canvas.width / state.table.width;
  const corners = card.corners.flat().map((number) => (number * scale).toFixed(1)).join(",");
  await post(`/api/corrections?card=${codeOf(card)}&corners=${corners}`, await toBlob(state.canvas)).catch(fail);
}

// --- photos ------------------------------------------------------------------------------------------------------

const open = (file) => look("reading", () => readPhoto(file, () => wait("busy")));

/** Get a picture and solve it; where that fails, what was there before is shown again, or the start. */
async function look(key, getPicture) {
  $("error").hidden = true;
  try {
    wait(key);
    const picture = await getPicture();
    stopLive();
    state.canvas = picture;
    await solve();
  } catch (error) {
    fail(error);
    if (state.table.cards.length) show();
    else reset();
  } finally {
    $("busy").hidden = true;
  }
}

async function solve() {
  const blob = await toBlob(state.canvas);
  URL.revokeObjectURL($("photo").src);
  $("photo").src = URL.createObjectURL(blob);
  Object.assign(state, { table: { width: state.canvas.width, height: state.canvas.height, cards: [] }, level: NOTHING, current: 0, adding: false });
  $("overlay").replaceChildren();
  $("photo").hidden = false;
  $("video").hidden = true;
  wait("looking");
  const answer = await post("/api/solve", blob, "image/jpeg", () => wait("busy")).then((response) => response.json());
  state.table = answer;
  $("busy").hidden = true;
  show();
  $("answer").focus();
}

function wait(key) {
  $("start").hidden = true;
  $("table").hidden = false;
  $("panel").hidden = true;
  $("busy").hidden = false;
  $("busy").querySelector("[data-say]").textContent = say(key);
}

function fail(error) {
  $("error").hidden = false;
  $("error").textContent = say("failed", error.message);
}

function reset() {
  stopLive();
  state.table = { width: 1, height: 1, cards: [] };
  $("start").hidden = false;
  $("table").hidden = true;
  $("start").querySelector("input").focus();
}

// --- live --------------------------------------------------------------------------------------------------------

async function goLive() {
  $("error").hidden = true;
  state.live = new Live($("video"), follow, () => fail(new Error(say("connectionLost"))));
  Object.assign(state, { table: { width: 1, height: 1, cards: [] }, level: NOTHING, current: 0, adding: false });
  $("start").hidden = true;
  $("table").hidden = false;
  $("photo").hidden = true;
  $("video").hidden = false;
  try {
    await state.live.start();
  } catch {
    reset();
    fail(new Error(say("cameraFailed")));
  }
}

function follow(answer) {
  if (!state.live) return;
  const before = state.table.cards.length;
  state.table = answer;
  if (answer.has_changed && before) {
    Object.assign(state, { level: NOTHING, current: 0 });
    show();
    $("answer").textContent = `${say("changed")} ${$("answer").textContent}`;
  } else if (answer.has_changed || !before) {
    show();
  } else {
    // Nothing was read anew: only the outlines move.
    draw($("overlay"), state.table, shown(), correct);
  }
}

function stopLive() {
  state.live?.stop();
  state.live = null;
}

const freeze = () => look("looking", async () => state.live.picture());

// --- what the player does ----------------------------------------------------------------------------------------

for (const id of ["camera", "file"]) {
  $(id).addEventListener("change", (event) => {
    if (event.target.files[0]) open(event.target.files[0]);
    event.target.value = "";
  });
}
$("go-live").addEventListener("click", goLive);
$("hint").addEventListener("click", hint);
$("previous").addEventListener("click", () => step(-1));
$("next").addEventListener("click", () => step(1));
$("all").addEventListener("click", () => { state.level = ALL; show(); $("answer").focus(); });
$("again").addEventListener("click", reset);
$("freeze").addEventListener("click", freeze);
$("check").addEventListener("click", () => correct(state.table.cards.findIndex((card) => !card.certain)));
$("add").addEventListener("click", () => {
  state.adding = !state.adding;
  show();
  if (state.adding) $("answer").textContent = say("tapPlace");
});
$("add").addEventListener("keydown", (event) => {
  // From the keyboard there is no place to tap: the card is put in the middle.
  if (event.key === "Enter" && state.adding) { event.preventDefault(); add(state.table.width / 2, state.table.height / 2); }
});
$("overlay").addEventListener("click", (event) => {
  if (!state.adding) return;
  // The place that is tapped may be another card's, which is not meant.
  event.stopPropagation();
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform($("overlay").getScreenCTM().inverse());
  add(point.x, point.y);
}, { capture: true });
document.addEventListener("keydown", (event) => {
  if ($("table").hidden || $("editor").open || event.target.matches("input")) return;
  if (event.key === "ArrowRight" || event.key === "ArrowLeft") { event.preventDefault(); step(event.key === "ArrowRight" ? 1 : -1); }
});

let touched = null;
$("stage").addEventListener("pointerdown", (event) => { touched = event.isPrimary ? [event.clientX, event.clientY] : null; });
$("stage").addEventListener("pointerup", (event) => {
  if (!touched) return;
  const [right, down] = [event.clientX - touched[0], event.clientY - touched[1]];
  if (Math.abs(right) > 50 && Math.abs(right) > 2 * Math.abs(down)) step(right < 0 ? 1 : -1);
  touched = null;
});

document.addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("dropping"); });
document.addEventListener("dragleave", () => document.body.classList.remove("dropping"));
document.addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  if (event.dataTransfer.files[0]) open(event.dataTransfer.files[0]);
});
document.addEventListener("paste", (event) => {
  const file = [...event.clipboardData.files].find((each) => each.type.startsWith("image/"));
  if (file) open(file);
});

for (const button of document.querySelectorAll("[data-language]")) {
  button.addEventListener("click", () => {
    speak(button.dataset.language);
    if (!$("table").hidden) show();
  });
}

speak(currentLanguage());
fetch("/api/health").then((answer) => answer.json()).then((health) => { state.keeps = health.keeps_corrections; }).catch(() => {});
