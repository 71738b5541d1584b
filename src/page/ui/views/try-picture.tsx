import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { PageComparison, PageTrial, PageTriedTarget } from "../../page-data.ts";
import { Empty, FileButton, Select } from "../parts/controls.tsx";
import { DropZone, PICTURES, pictures } from "../parts/drop-zone.tsx";
import { Badge, Facts, Stars, StatusBadge } from "../parts/facts.tsx";
import { Thumbnail } from "../parts/thumbnail.tsx";
import { askJson, attempt, pathOf } from "../state/api.ts";
import { setParameters } from "../state/route.ts";
import { chosenDatabase, databaseNames } from "../state/targets.ts";
import { text } from "../text.ts";

const words = text.trial;

interface Tried {
  readonly picture: File;
  readonly url: string;
  readonly database: string;
  readonly trial: PageTrial;
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
      const path = `/page/try?${new URLSearchParams({ database: name })}`;
      const trial: PageTrial = await askJson("POST", path, file);
      if (turn !== latest.current) return;
      const before = tried.peek();
      if (before !== null) URL.revokeObjectURL(before.url);
      tried.value = { picture: file, url: URL.createObjectURL(file), database: name, trial };
      chosen.value = trial.targets[0]?.target_id ?? null;
    }).then(() => {
      if (turn === latest.current) running.value = false;
    });
  });

  if (database === null)
    return (
      <Empty icon="try" title={text.views.try}>
        <p>{text.gallery.noDatabase}</p>
      </Empty>
    );
  const take = (files: readonly File[]) => {
    const [first] = pictures(files);
    if (first !== undefined) picture.value = first;
  };
  const { value: result } = tried;
  const target = result?.trial.targets.find(({ target_id }) => target_id === chosen.value);
  return (
    <DropZone label={words.drop} onFiles={take}>
      <header class="view-head">
        <h1>{text.views.try}</h1>
        {running.value && <span class="faint tally-text">{words.running}</span>}
        <span class="spacer" />
        <Select
          bare
          label={text.gallery.database}
          value={database}
          options={databaseNames.value.map((value) => ({ value, label: value }))}
          onChange={(name) => setParameters({ database: name })}
        />
        {result !== null && <FileButton kind="main" label={words.choose} accept={PICTURES} onFiles={take} />}
      </header>
      {result === null ? (
        <div class="try-drop">
          <Empty icon="try" title={words.drop}>
            <p>{words.intro}</p>
            <FileButton kind="main" label={words.choose} accept={PICTURES} onFiles={take} />
          </Empty>
        </div>
      ) : (
        <div class="try">
          <PictureFacts tried={result} />
          <section class="card try-scores" aria-label={words.nearest}>
            <Scores
              trial={result.trial}
              chosen={chosen.value}
              onChoose={(id) => {
                chosen.value = id;
              }}
            />
          </section>
          {target !== undefined && target.score !== null && (
            <Pair key={`${result.url} ${target.target_id}`} tried={result} target={target} />
          )}
        </div>
      )}
    </DropZone>
  );
}

function PictureFacts({ tried: { picture, url, trial } }: { readonly tried: Tried }) {
  const { image } = trial;
  return (
    <section class="card try-picture" aria-label={words.yours}>
      <img src={url} alt={words.yours} />
      <div class="try-facts">
        <h2>{picture.name}</h2>
        <p class="faint">
          {text.details.picture(
            image.format ?? picture.type,
            image.width ?? undefined,
            image.height ?? undefined,
            text.bytes(image.size),
          )}
        </p>
        <Facts
          facts={[
            [words.asQuery, image.problem ?? words.accepted],
            [
              words.asTarget,
              image.target_problem ?? (
                <span class="row">
                  {image.outcome !== null && <StatusBadge status={image.outcome} />}
                  {image.rating !== null && <Stars rating={image.rating} />}
                </span>
              ),
            ],
            ...(image.brisque === null ? [] : [[words.brisque, words.brisqueOf(image.brisque)] as const]),
          ]}
        />
        {image.brisque !== null && (
          <p class="faint">
            {words.quality(image.brisque)} {image.outcome === "failed" && words.flat}{" "}
            {image.outcome === "success" && image.rating === 0 && words.zero}
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

function Scores({ trial: { targets, matcher, not_compared }, chosen, onChoose }: ScoresProps) {
  const found = targets.filter(({ matched }) => matched).length;
  const { threshold } = matcher;
  return (
    <>
      <header>
        <h2>{words.result(found)}</h2>
        {threshold !== null && <span class="threshold-key faint">{words.threshold(threshold)}</span>}
      </header>
      {matcher.name !== "structural_similarity" && (
        <p class="faint">{matcher.name === "exact" ? words.exact : words.custom}</p>
      )}
      {targets.length === 0 && <p class="faint">{words.noTargets}</p>}
      <ol class="scores">
        {targets.map((target) => (
          <li key={target.target_id}>
            <button
              type="button"
              class={`score${target.matched ? " matched" : ""}`}
              aria-pressed={chosen === target.target_id}
              onClick={() => onChoose(target.target_id)}
            >
              <span class="score-picture">
                <Thumbnail sha256={target.sha256} />
              </span>
              <span class="score-text">
                <span class="score-name">
                  <b>{target.name}</b>
                  {target.matched && (
                    <Badge tone="good" icon="done">
                      {words.found}
                    </Badge>
                  )}
                  <span class="spacer" />
                  <span class="score-value">{target.score?.toFixed(3) ?? words.noScore}</span>
                </span>
                <span class="score-bar" aria-hidden="true">
                  <span class="score-fill" style={{ width: `${Math.max(0, target.score ?? 0) * 100}%` }} />
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
      {not_compared > 0 && <p class="faint">{words.notCompared(not_compared)}</p>}
    </>
  );
}

/** Why a target does not match, if the score does not explain it. */
function WhyNot({ target: { matched, score, passed_over } }: { readonly target: PageTriedTarget }) {
  const why = passed_over ?? (matched || score !== null ? null : words.noMatch);
  return why === null ? null : <span class="faint score-why">{why}</span>;
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
      const given: PageComparison = await askJson("POST", pathOf("page", "compare", target.sha256), picture);
      if (!left) comparison.value = given;
    });
    return () => {
      left = true;
    };
  }, []);
  return (
    <section class="card try-pair" aria-label={words.pair(target.name)}>
      <h2>{words.pair(target.name)}</h2>
      <div class="pair">
        <figure>
          <img src={url} alt={words.yours} />
          <figcaption>{words.yours}</figcaption>
        </figure>
        <figure>
          <Thumbnail sha256={target.sha256} alt={words.target} />
          <figcaption>{target.name}</figcaption>
        </figure>
        <figure>
          {comparison.value !== null && <HeatMap comparison={comparison.value} url={url} />}
          <figcaption>
            <span>{words.heat}</span>
            <span class="heat-scale">
              {words.alike} <span class="heat-gradient" aria-hidden="true" /> {words.different}
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
    <canvas ref={canvas} width={MAP_SIDE} height={MAP_SIDE} role="img" aria-label={words.heatAlt(score)} />
  );
}
