import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { PageComparison, PageTrial, PageTriedTarget } from "../../model.ts";
import { FileButton, Select, set } from "../parts/controls.tsx";
import { DropZone, PICTURES, pictures } from "../parts/drop-zone.tsx";
import { Badge, Empty, Facts, Outlined, Stars, StatusBadge, Thumbnail } from "../parts/facts.tsx";
import { askJson, attempt, pathOf } from "../state/api.ts";
import { count, pictureFacts } from "../state/format.ts";
import { setParameters } from "../state/route.ts";
import { chosenDatabase, databaseNames } from "../state/targets.ts";

interface Tried {
  readonly picture: File;
  readonly url: string;
  readonly database: string;
  readonly trial: PageTrial;
}

function quality(brisque: number): string {
  if (brisque < 20) return "Excellent: sharp and rich in detail.";
  if (brisque < 40) return "Good: little noise or blur.";
  if (brisque < 60) return "Fair: some blur, noise or compression.";
  if (brisque < 80) return "Poor: much blur, noise or compression.";
  return "Unusable: almost no natural detail.";
}

/** What a query with a picture would find, and why. */
export function TryPicture() {
  const picture = useSignal<File | null>(null);
  const tried = useSignal<Tried | null>(null);
  const running = useSignal(false);
  const chosen = useSignal<string | null>(null);
  /** Counts trials: only the latest one is shown, whichever ends last. */
  const latest = useRef(0);
  const database = chosenDatabase.value;

  useSignalEffect(() => {
    const [file, name] = [picture.value, chosenDatabase.value];
    if (file === null || name === null) return;
    latest.current += 1;
    const turn = latest.current;
    running.value = true;
    void attempt(async () => {
      const trial: PageTrial = await askJson("POST", pathOf("page", "try", { database: name }), file);
      if (turn !== latest.current) return;
      const before = tried.peek();
      if (before !== null) URL.revokeObjectURL(before.url);
      tried.value = { picture: file, url: URL.createObjectURL(file), database: name, trial };
      chosen.value = trial.targets[0]?.targetId ?? null;
    }).then(() => {
      if (turn === latest.current) running.value = false;
    });
  });

  if (database === null)
    return (
      <Empty icon="try" title="Try a picture">
        <p>No cloud database yet. Add one in the overview.</p>
      </Empty>
    );
  const take = (files: readonly File[]) => {
    const [first] = pictures(files);
    if (first !== undefined) picture.value = first;
  };
  const { value: result } = tried;
  const target = result?.trial.targets.find(({ targetId }) => targetId === chosen.value);
  return (
    <DropZone label="Drop or paste a picture" onFiles={take}>
      <header class="view-head row">
        <h1>Try a picture</h1>
        {running.value && <span class="faint small tally-text">Comparing…</span>}
        <span class="grow" />
        <Select
          bare
          label="Database"
          value={database}
          options={databaseNames.value}
          onChange={(name) => setParameters({ database: name })}
        />
        {result !== null && (
          <FileButton kind="main" label="Choose a picture" accept={PICTURES} onFiles={take} />
        )}
      </header>
      {result === null ? (
        <div class="drop-zone">
          <Empty icon="try" title="Drop or paste a picture">
            <p>
              See what a query with a picture would find, and how similar every target is. Trying does not
              count as a request.
            </p>
            <FileButton kind="main" label="Choose a picture" accept={PICTURES} onFiles={take} />
          </Empty>
        </div>
      ) : (
        <div class="try">
          <PictureFacts tried={result} target={target} />
          <section class="card stack try-scores" aria-label="Nearest first">
            <Scores trial={result.trial} chosen={chosen.value} onChoose={(id) => set(chosen, id)} />
          </section>
          {target !== undefined && target.score !== null && target.outline === null && (
            <Pair key={`${result.url} ${target.targetId}`} tried={result} target={target} />
          )}
        </div>
      )}
    </DropZone>
  );
}

interface PictureFactsProps {
  readonly tried: Tried;
  readonly target: PageTriedTarget | undefined;
}

function PictureFacts({ tried: { picture, url, trial }, target }: PictureFactsProps) {
  const { image } = trial;
  return (
    <section class="card stack try-picture" aria-label="Your picture">
      <Outlined targets={target ? [target] : []}>
        <img src={url} alt="Yours" />
      </Outlined>
      <div class="stack">
        <h2>{picture.name}</h2>
        <p class="faint">{pictureFacts({ ...image, format: image.format ?? picture.type })}</p>
        <Facts
          facts={[
            ["As a query", image.problem ?? "accepted"],
            [
              "As a target",
              image.targetProblem ?? (
                <span class="row">
                  {image.outcome !== null && <StatusBadge status={image.outcome} />}
                  {image.rating !== null && <Stars rating={image.rating} />}
                </span>
              ),
            ],
            [
              "BRISQUE",
              image.brisque === null ? null : `${image.brisque.toFixed(1)} (0 is best, 100 is worst)`,
            ],
          ]}
        />
        {image.brisque !== null && (
          <p class="faint">
            {quality(image.brisque)}{" "}
            {image.outcome === "failed" && "The picture has nearly one colour, so processing fails."}{" "}
            {image.outcome === "success" &&
              image.rating === 0 &&
              "Queries never find a target with a rating of 0."}
          </p>
        )}
      </div>
    </section>
  );
}

interface ScoresProps {
  readonly trial: PageTrial;
  readonly chosen: string | null;
  readonly onChoose: (id: string) => void;
}

function Scores({ trial: { targets, comparison, notCompared }, chosen, onChoose }: ScoresProps) {
  const found = targets.filter(({ matched }) => matched).length;
  const threshold = comparison?.by === "structuralSimilarity" ? comparison.threshold : null;
  return (
    <>
      <header>
        <h2>{found === 0 ? "A query finds nothing" : `A query finds ${count(found, "target")}`}</h2>
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
      <ol>
        {targets.map((target) => (
          <li key={target.targetId}>
            <button
              type="button"
              class="choice row score"
              aria-pressed={chosen === target.targetId}
              onClick={() => onChoose(target.targetId)}
            >
              <span class="picture">
                <Thumbnail sha256={target.image} />
              </span>
              <span class="stack grow">
                <span class="row">
                  <b class="one-line">{target.name}</b>
                  {target.matched && (
                    <Badge tone="good" icon="done">
                      found
                    </Badge>
                  )}
                  <span class="grow" />
                  <span class="mono">{target.score?.toFixed(3) ?? "no score"}</span>
                </span>
                <span class={target.matched ? "bar good" : "bar off"} aria-hidden="true">
                  <span style={{ width: `${Math.max(0, target.score ?? 0) * 100}%` }} />
                  {threshold !== null && (
                    <span class="score-threshold" style={{ left: `${Math.max(0, threshold) * 100}%` }} />
                  )}
                </span>
                <WhyNot target={target} />
              </span>
            </button>
          </li>
        ))}
      </ol>
      {notCompared > 0 && <p class="faint">{`${count(notCompared, "older target")} not compared`}</p>}
    </>
  );
}

/** Why a target matches or not, if the score does not explain it. */
function WhyNot({ target: { matched, score, passedOver, why: said } }: { readonly target: PageTriedTarget }) {
  const why = passedOver ?? said ?? (matched || score !== null ? null : "the matcher sees no match");
  return why === null ? null : <span class="faint small">{why}</span>;
}

interface PairProps {
  readonly tried: Tried;
  readonly target: PageTriedTarget;
}

/** Two pictures and a map of their differences. */
function Pair({ tried: { picture, url }, target }: PairProps) {
  const comparison = useSignal<PageComparison | null>(null);
  useEffect(() => {
    let left = false;
    void attempt(async () => {
      const given: PageComparison = await askJson("POST", pathOf("page", "compare", target.image), picture);
      if (!left) comparison.value = given;
    });
    return () => {
      left = true;
    };
  }, []);
  return (
    <section class="card stack try-pair" aria-label={`Your picture and ${target.name}`}>
      <h2>{`Your picture and ${target.name}`}</h2>
      <div class="pair">
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
          <figcaption class="row between faint">
            <span>Where they differ</span>
            <span class="row">
              alike <span class="bar heat-gradient" aria-hidden="true" /> different
            </span>
          </figcaption>
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
function HeatMap({
  comparison: { columns, windows, score },
  url,
}: {
  readonly comparison: PageComparison;
  readonly url: string;
}) {
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
