import { useEffect, useRef } from "preact/hooks";
import type { PageComparison, PageTrial, PageTriedTarget } from "../../model.ts";
import { Badge, Thumbnail } from "../parts/facts.tsx";
import { askJson, notify, pathOf, useLoaded } from "../state/api.ts";
import { count, sentence } from "../state/format.ts";
import { FinishAll } from "./controls.tsx";

interface ScoresProps {
  readonly trial: PageTrial;
  readonly chosen: string | null;
  readonly onChoose: (id: string) => void;
}

export function Scores({ trial, chosen, onChoose }: ScoresProps) {
  const { image, targets, comparison, notCompared } = trial;
  if (image.problem !== null)
    return (
      <>
        <h2>A query is refused</h2>
        <p>{sentence(image.problem)}</p>
      </>
    );
  const found = targets.filter(({ matched }) => matched).length;
  const threshold = comparison?.by === "structuralSimilarity" ? comparison.threshold : null;
  return (
    <>
      <header class="row">
        <h2 class="grow">
          {found === 0 ? "A query finds nothing" : `A query finds ${count(found, "target")}`}
        </h2>
        {threshold !== null && <span class="small">{`┃ Threshold ${threshold}`}</span>}
      </header>
      {threshold === null && (
        <p class="faint">
          {comparison?.by === "bytes"
            ? "This emulator compares bytes: only identical files match."
            : comparison?.by === "features"
              ? "Targets are recognised by their features, also in photographs."
              : "Your own matcher decides."}
        </p>
      )}
      {targets.length === 0 && <p class="faint">The database has no targets.</p>}
      {targets.some(({ passedOver }) => passedOver?.code === "target.waiting") && (
        <div class="row">
          <FinishAll label="Finish processing" />
        </div>
      )}
      <ol>
        {targets.map((target) => (
          <li key={target.targetId}>
            <button
              type="button"
              class="choice row small score"
              aria-pressed={chosen === target.targetId}
              onClick={() => onChoose(target.targetId)}
            >
              <Score target={target} threshold={threshold} />
            </button>
          </li>
        ))}
      </ol>
      {notCompared > 0 && <p class="faint">{`${count(notCompared, "older target")} not compared`}</p>}
    </>
  );
}

export const Score = ({
  target,
  threshold = null,
}: {
  readonly target: PageTriedTarget;
  readonly threshold?: number | null;
}) => (
  <>
    <span class="picture">
      <Thumbnail sha256={target.image} />
    </span>
    <span class="stack tight grow">
      <span class="row tight">
        <b>{target.name}</b>
        {target.matched && (
          <Badge tone="good" icon="done">
            found
          </Badge>
        )}
        <span class="grow" />
        <span class="mono one-line">{target.score?.toFixed(3) ?? "no score"}</span>
      </span>
      <span class={target.matched ? "bar good" : "bar off"} aria-hidden="true">
        <span style={{ width: `${Math.max(0, target.score ?? 0) * 100}%` }} />
        {threshold !== null && (
          <span class="threshold" style={{ left: `${Math.max(0, threshold) * 100}%` }} />
        )}
      </span>
      <WhyNot target={target} />
    </span>
  </>
);

/** Why a target matches or not, if the score does not explain it. */
function WhyNot({ target: { matched, score, passedOver, why: said } }: { readonly target: PageTriedTarget }) {
  const why = passedOver?.why ?? said ?? (matched || score !== null ? null : "the matcher sees no match");
  return why === null ? null : <span class="faint small">{why}</span>;
}

interface PairProps {
  readonly picture: Blob;
  readonly url: string;
  readonly target: PageTriedTarget;
}

export function Pair({ picture, url, target }: PairProps) {
  const comparison = useLoaded(() => {
    const path = pathOf("page", "compare", target.image);
    return askJson<PageComparison>("POST", path, picture).catch(({ message }: Error) => {
      notify("failed", message);
      return null;
    });
  });
  return (
    <section class="card stack" aria-label={`Your picture and ${target.name}`}>
      <h2>{`Your picture and ${target.name}`}</h2>
      <div class="grid pair">
        <figure>
          <img src={url} alt="Yours" />
          <figcaption class="faint">Your picture</figcaption>
        </figure>
        <figure>
          <Thumbnail sha256={target.image} alt="Target" />
          <figcaption class="faint">{target.name}</figcaption>
        </figure>
        <figure>
          {comparison.value !== null && <HeatMap comparison={comparison.value} url={url} />}
          <figcaption class="faint">Where they differ, in yellow and red</figcaption>
        </figure>
      </div>
    </section>
  );
}

const MAP_SIDE = 256;
/** Side of a window on the map, in pixels. */
const WINDOW = 6;

/** The difference of two windows as a colour: transparent, yellow, red. */
function heat(score: number): string {
  const difference = Math.max(0, Math.min(1, 1 - score));
  return `rgb(${Math.round(255 - 25 * difference)} ${Math.round(200 * (1 - difference))} 30 / ${difference * 0.85})`;
}

/** The picture in grey, overlaid with the windows that differ. */
function HeatMap({ comparison, url }: { readonly comparison: PageComparison; readonly url: string }) {
  const { columns, windows, score } = comparison;
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (context == null) return;
    const image = new Image();
    image.onload = () => {
      context.filter = "grayscale(1) contrast(0.7)";
      context.drawImage(image, 0, 0, MAP_SIDE, MAP_SIDE);
      context.filter = "none";
      for (const [index, window] of windows.entries()) {
        context.fillStyle = heat(window);
        context.fillRect((index % columns) * WINDOW, Math.floor(index / columns) * WINDOW, WINDOW, WINDOW);
      }
    };
    image.src = url;
  }, []);
  return (
    <canvas
      ref={canvas}
      width={MAP_SIDE}
      height={MAP_SIDE}
      role="img"
      aria-label={`Map of the differences; the score is ${score.toFixed(3)}`}
    />
  );
}
