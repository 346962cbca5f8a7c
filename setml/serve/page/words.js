// What the page says, in English and in Simplified Chinese.

const many = (n, one, more) => `${n} ${n === 1 ? one : more}`;

const WORDS = {
  en: {
    title: "setml: find the sets",
    start: "Which sets are on the table?",
    takePhoto: "Take a photo", choosePhoto: "Choose a photo", goLive: "Live camera",
    dropOrPaste: "Or drop a picture here, or paste one.",
    privacy: "The photo goes to this server alone and is not kept.",
    looking: "Looking …", reading: "Reading the photo …",
    yes: "Yes, there is a set.", no: "No, there is no set here.", noCards: "No card was found. Try from nearer, with all cards in the picture.",
    hint: "Give a hint", hintTwo: "One card more", hintSet: "Show the set",
    hintOneSaid: (a) => `${a} belongs to a set.`, hintTwoSaid: (a, b) => `${a} and ${b} belong to one set.`,
    previousSet: "Previous set", nextSet: "Next set", allSets: "All sets",
    setOf: (n, all) => `Set ${n} of ${all}`, setsCount: (n) => many(n, "set", "sets"), cardsCount: (n) => many(n, "card", "cards"),
    allShown: (n) => (n === 1 ? "The one set is shown." : `All ${n} sets are shown.`),
    doubt: (n) => (n === 1 ? "One card could not be read for certain." : `${n} cards could not be read for certain.`),
    checkCard: "Check it", uncertain: "uncertain", restsOnDoubt: "It rests on an uncertain card.",
    whichCard: "Which card is this?", save: "Save", notACard: "Not a card", cancel: "Cancel",
    addCard: "Add a missing card", tapPlace: "Tap the middle of the missing card, or press Enter to name it.",
    freeze: "Keep this picture", newPhoto: "Another photo",
    share: "Give the cards I correct to the owner of this server, as small pictures, to learn from",
    changed: "The cards have changed.", cameraFailed: "The camera cannot be used here. A browser gives it only to pages at https:// or at localhost.",
    connectionLost: "The connection to the server was lost.", notAPhoto: "This is not a photo that can be read.",
    failed: (why) => `It did not work: ${why}`, busy: "The server is busy. Trying again …",
    cardsShown: "Cards on the table", why: "Why it is a set", allEqual: "all equal", allDifferent: "all different",
    photoOf: (n) => `Photo of ${many(n, "card", "cards")}`, correct: (name) => `${name}: correct`,
    warnEqual: "A card was read twice, but a deck has each once: one of them must be wrong.",
    warnTwentyOne: "So many cards always hold a set, but none was found: some must have been misread.",
    unofficial: "Unofficial. SET is a trademark of its owner, who has nothing to do with this page.",
    count: "Count", color: "Color", shading: "Shading", shape: "Shape",
    values: { 1: "1", 2: "2", 3: "3", red: "red", green: "green", purple: "purple", solid: "solid", striped: "striped", open: "open", diamond: "diamond", oval: "oval", squiggle: "squiggle" },
    card: (c) => `${c.count} ${c.shading} ${c.color} ${c.shape}${c.count > 1 ? "s" : ""}`,
  },
  zh: {
    title: "setml：找出所有 SET",
    start: "桌上有哪些 SET？",
    takePhoto: "拍照", choosePhoto: "选择照片", goLive: "实时相机",
    dropOrPaste: "也可以把图片拖到这里，或者粘贴。",
    privacy: "照片只发送到这台服务器，不会保存。",
    looking: "正在识别……", reading: "正在读取照片……",
    yes: "有，桌上有 SET。", no: "没有，这里没有 SET。", noCards: "没有找到牌。请靠近一些，让所有的牌都在画面中。",
    hint: "给个提示", hintTwo: "再提示一张", hintSet: "显示这个 SET",
    hintOneSaid: (a) => `${a} 属于某个 SET。`, hintTwoSaid: (a, b) => `${a} 和 ${b} 属于同一个 SET。`,
    previousSet: "上一个", nextSet: "下一个", allSets: "全部 SET",
    setOf: (n, all) => `第 ${n} 个 SET，共 ${all} 个`, setsCount: (n) => `${n} 个 SET`, cardsCount: (n) => `${n} 张牌`,
    allShown: (n) => `已显示全部 ${n} 个 SET。`,
    doubt: (n) => `有 ${n} 张牌无法确定。`,
    checkCard: "检查", uncertain: "不确定", restsOnDoubt: "其中有一张不确定的牌。",
    whichCard: "这是哪张牌？", save: "保存", notACard: "不是牌", cancel: "取消",
    addCard: "添加漏掉的牌", tapPlace: "点一下漏掉的牌的中间，或按回车键直接指定。",
    freeze: "定格这张画面", newPhoto: "换一张照片",
    share: "把我更正的牌以小图交给服务器的主人，用于改进识别",
    changed: "桌上的牌变了。", cameraFailed: "这里不能使用相机。浏览器只允许 https:// 或 localhost 的页面使用相机。",
    connectionLost: "与服务器的连接中断了。", notAPhoto: "这不是可以读取的照片。",
    failed: (why) => `没有成功：${why}`, busy: "服务器正忙，正在重试……",
    cardsShown: "桌上的牌", why: "为什么是 SET", allEqual: "全部相同", allDifferent: "各不相同",
    photoOf: (n) => `${n} 张牌的照片`, correct: (name) => `${name}：更正`,
    warnEqual: "有一张牌被读出了两次，而一副牌里每张只有一张：其中必有一张读错了。",
    warnTwentyOne: "这么多牌一定有 SET，却没有找到：一定有牌读错了。",
    unofficial: "非官方。SET 是其所有者的商标，与本页面无关。",
    count: "数量", color: "颜色", shading: "填充", shape: "形状",
    values: { 1: "1", 2: "2", 3: "3", red: "红色", green: "绿色", purple: "紫色", solid: "实心", striped: "条纹", open: "空心", diamond: "菱形", oval: "椭圆", squiggle: "波浪" },
    card: (c) => `${c.count} 个${WORDS.zh.values[c.color]}${WORDS.zh.values[c.shading]}${WORDS.zh.values[c.shape]}`,
  },
};

let language = (navigator.languages ?? [navigator.language]).some((tag) => /^zh/i.test(tag)) && !/^en/i.test(navigator.language) ? "zh" : "en";

/** A word or sentence; those that tell a number or a card take it. */
export function say(key, ...given) {
  const word = WORDS[language][key];
  return typeof word === "function" ? word(...given) : word;
}

export const sayValue = (value) => WORDS[language].values[value];
export const sayCard = (card) => WORDS[language].card(card);
export const currentLanguage = () => language;

/** Choose the language and say all that stands on the page in it. */
export function speak(chosen = language) {
  language = chosen;
  document.documentElement.lang = language === "zh" ? "zh-Hans" : "en";
  document.title = say("title");
  for (const element of document.querySelectorAll("[data-say]")) element.textContent = say(element.dataset.say);
  for (const button of document.querySelectorAll("[data-language]")) {
    button.setAttribute("aria-current", String(button.dataset.language === language));
  }
}
