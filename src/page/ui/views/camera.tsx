import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { PageFindings } from "../../model.ts";
import { Button } from "../parts/controls.tsx";
import { Outlined } from "../parts/outlined.tsx";
import { askJson, pathOf } from "../state/api.ts";
import { state } from "../state/connection.ts";
import { Score } from "./scores.tsx";

const MILLISECONDS_PER_FRAME = 500;

interface CameraProps {
  readonly database: string;
  readonly onPicture: (picture: File) => void;
  /** Called when the camera stops by itself, or does not start. */
  readonly onEnd: (why: string) => void;
}

/** The camera's view, with lines around the targets in it. The camera is open while this is shown. */
export function Camera({ database, onPicture, onEnd }: CameraProps) {
  const searched = useRef(database);
  searched.current = database;
  const video = useRef<HTMLVideoElement>(null);
  const findings = useSignal<PageFindings | null>(null);
  const isOpen = useSignal(false);
  // With the drawing, not after it: a hidden camera is closed at once, and ends no other one.
  useLayoutEffect(() => {
    const gone = new AbortController();
    const { signal } = gone;
    const end = (why: string) => {
      if (!signal.aborted) onEnd(why);
    };
    const look = async () => {
      const frame = video.current && (await frameOf(video.current));
      if (!frame || signal.aborted) return;
      const found: PageFindings = await askJson(
        "POST",
        pathOf("page", "find", { database: searched.current }),
        frame,
      );
      if (!signal.aborted) findings.value = found;
    };
    void (async () => {
      const stream = await openCamera();
      if (signal.aborted) return closeCamera(stream);
      signal.addEventListener("abort", () => closeCamera(stream));
      for (const track of stream.getTracks())
        track.addEventListener("ended", () => end("The camera was closed."), { signal });
      if (video.current !== null) video.current.srcObject = stream;
      isOpen.value = true;
      const pause = () => new Promise((resolve) => setTimeout(resolve, MILLISECONDS_PER_FRAME));
      while (!signal.aborted) await Promise.all([look(), pause()]);
    })().catch(({ message }: Error) => end(message));
    const hidden = () => document.hidden && end("The camera was closed because the page was hidden.");
    document.addEventListener("visibilitychange", hidden, { signal });
    return () => gone.abort();
  }, []);
  const seen = findings.value?.targets ?? [];
  const take = async () => {
    const picture = video.current && (await frameOf(video.current, Number.POSITIVE_INFINITY));
    if (picture) onPicture(picture);
  };
  return (
    <div class="grid try">
      <section class="card stack" aria-label="Camera">
        <Outlined targets={seen}>
          <video ref={video} autoPlay muted playsInline aria-label="What the camera sees" />
        </Outlined>
        {isOpen.value ? (
          <div class="row">
            <Button kind="main" icon="camera" label="Take this picture" onClick={take} />
            <span class="faint small">Frames are not kept, and do not count as requests.</span>
          </div>
        ) : (
          <p class="faint">Waiting for the camera. The browser may ask whether this page may use it.</p>
        )}
      </section>
      <section class="card stack" aria-label="In view">
        {findings.value !== null && <InView findings={findings.value} />}
      </section>
    </div>
  );
}

function InView({ findings: { targets, comparison } }: { readonly findings: PageFindings }) {
  const scored = targets.filter(({ score }) => score !== null);
  const found = targets.filter(({ matched }) => matched);
  const [nearest] = targets;
  return (
    <>
      <h2 aria-live="polite">
        {found.length === 0
          ? "A query finds nothing"
          : `A query finds ${found.map(({ name }) => name).join(", ")}`}
      </h2>
      <ol>
        {scored.map((target) => (
          <li key={target.targetId} class="row score">
            <Score target={target} />
          </li>
        ))}
      </ol>
      {scored.length === 0 && nearest !== undefined && nearest.why !== null && (
        <p class="faint">{`Nearest is ${nearest.name}: ${nearest.why}`}</p>
      )}
      {targets.length === 0 && <p class="faint">The database has no targets.</p>}
      {comparison !== null && comparison.by !== "features" && (
        <p class="callout busy">
          This emulator compares whole pictures, so it recognises hardly anything in a camera's view. To
          recognise photographs, {state.value?.advice.photographs}.
        </p>
      )}
    </>
  );
}

/** Longest side of a frame that is searched, in pixels: the emulator searches queries at this size. */
const SEARCHED_SIDE = 800;

const REFUSED: Readonly<Record<string, string>> = {
  NotAllowedError:
    "The browser may not use the camera. Allow it for this page in the browser's settings, beside the address, and try again.",
  NotFoundError: "This device has no camera. Choose a picture instead.",
  NotReadableError: "The camera does not answer: another program may be using it. Close that, and try again.",
};

/** Opens the camera at the back of a phone. Errors name the fix. */
async function openCamera(): Promise<MediaStream> {
  if (!isSecureContext)
    throw new Error(
      "Browsers open the camera only for pages over https, and for http://localhost. To use it here, " +
        `${state.value?.advice.secureContext}, or choose a picture: a phone offers to take one.`,
    );
  if (!("mediaDevices" in navigator))
    throw new Error("This browser does not support camera access. Choose a picture instead.");
  try {
    const video = { facingMode: "environment", width: { ideal: 1280 } };
    return await navigator.mediaDevices.getUserMedia({ audio: false, video });
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    throw new Error(REFUSED[name] ?? `The camera cannot be opened: ${message}`);
  }
}

function closeCamera(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}

/** The current frame as a file; undefined before the first one. */
async function frameOf(video: HTMLVideoElement, side = SEARCHED_SIDE): Promise<File | undefined> {
  const { videoWidth, videoHeight } = video;
  if (video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA || videoWidth === 0) return undefined;
  const scale = Math.min(1, side / Math.max(videoWidth, videoHeight));
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(videoWidth * scale);
  canvas.height = Math.round(videoHeight * scale);
  canvas.getContext("2d")?.drawImage(video, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.9));
  return blob === null ? undefined : new File([blob], "camera.jpg", { type: blob.type });
}
