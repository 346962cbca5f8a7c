// Photos: read in the browser, made smaller there, and sent.

// Pixels of the longer side that are sent: enough to read 81 cards.
const SENT = 1600;

/** Read a file to a canvas, upright; a format that the browser does not know is turned to JPEG by the server. */
export async function readPhoto(file, onWait) {
  let bitmap;
  try {
    bitmap = await createImageBitmap(file, { imageOrientation: "from-image" });
  } catch {
    bitmap = await createImageBitmap(await post("/api/picture", file, "application/octet-stream", onWait).then((r) => r.blob()));
  }
  return toCanvas(bitmap, bitmap.width, bitmap.height, SENT);
}

/** Draw a picture on a canvas, made smaller where it is longer than so many pixels. */
export function toCanvas(picture, width, height, longest) {
  const scale = Math.min(1, longest / Math.max(width, height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext("2d");
  context.imageSmoothingQuality = "high";
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return canvas;
}

export const toBlob = (canvas, quality = 0.9) => new Promise((done) => canvas.toBlob(done, "image/jpeg", quality));

/** Send bytes; a server that is busy is asked again, a few times, when it says. */
export async function post(path, body, type = "image/jpeg", onWait = () => {}) {
  for (let attempt = 0; ; attempt++) {
    const answer = await fetch(path, { method: "POST", body, headers: { "Content-Type": type } });
    if (answer.ok) return answer;
    const wait = Number(answer.headers.get("Retry-After"));
    if (!wait || attempt >= 4) {
      const problem = await answer.json().catch(() => ({ detail: answer.statusText }));
      throw new Error(problem.detail ?? answer.statusText);
    }
    onWait();
    await new Promise((done) => setTimeout(done, 1000 * Math.min(wait, 5)));
  }
}
