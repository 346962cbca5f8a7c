// The live camera: pictures go to the server one by one, each when the last is answered.
import { toBlob, toCanvas } from "./photo.js";

// Pixels of the longer side: enough for a table, quick to send.
const SENT = 960;

export class Live {
  /** @param video where the camera is shown  @param onAnswer called with each answer, scaled to the video's pixels */
  constructor(video, onAnswer, onLost) {
    this.video = video;
    this.onAnswer = onAnswer;
    this.onLost = onLost;
  }

  async start() {
    this.camera = await navigator.mediaDevices.getUserMedia({ audio: false, video: { facingMode: "environment", width: { ideal: 1280 }, height: { ideal: 720 } } });
    this.video.srcObject = this.camera;
    await this.video.play();
    const address = new URL("/api/live", location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    this.socket = new WebSocket(address);
    this.socket.onopen = () => this.send();
    this.socket.onmessage = (event) => {
      const answer = JSON.parse(event.data);
      if (!answer.error) this.onAnswer(answer);
      // As often as the screen is drawn, at most.
      requestAnimationFrame(() => this.send());
    };
    this.socket.onclose = () => { if (this.camera) this.onLost(); };
  }

  async send() {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    const canvas = toCanvas(this.video, this.video.videoWidth, this.video.videoHeight, SENT);
    this.socket.send(await toBlob(canvas, 0.85));
  }

  /** The picture of this moment, at the camera's own size. */
  picture() {
    return toCanvas(this.video, this.video.videoWidth, this.video.videoHeight, Infinity);
  }

  stop() {
    const { camera, socket } = this;
    this.camera = this.socket = null;
    socket?.close();
    camera?.getTracks().forEach((track) => track.stop());
    this.video.srcObject = null;
  }
}
