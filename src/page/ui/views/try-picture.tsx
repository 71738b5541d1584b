import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { PageFeatures, PageNames, PageTrial, PageTriedTarget } from "../../model.ts";
import { Button, Select, set } from "../parts/controls.tsx";
import { DropZone, FileButton, PICTURES, pictures } from "../parts/drop-zone.tsx";
import { Empty, Facts, Stars, StatusBadge } from "../parts/facts.tsx";
import { Icon } from "../parts/icons.tsx";
import { FeaturesButton, Outlined } from "../parts/outlined.tsx";
import { ask, askJson, attempt, pathOf } from "../state/api.ts";
import { databaseParameters, useKeptDatabase, useRead } from "../state/connection.ts";
import { pictureFacts } from "../state/format.ts";
import { currentRoute, setParameters } from "../state/route.ts";
import { Camera } from "./camera.tsx";
import { Pair, Scores } from "./scores.tsx";

interface Tried {
  readonly picture: File;
  readonly url: string;
  readonly trial: PageTrial;
}

function quality(brisque: number): string {
  if (brisque < 20) return "Excellent: sharp and rich in detail.";
  if (brisque < 40) return "Good: little noise or blur.";
  if (brisque < 60) return "Fair: some blur, noise or compression.";
  if (brisque < 80) return "Poor: much blur, noise or compression.";
  return "Unusable: almost no natural detail.";
}

export function TryPicture() {
  const picture = useSignal<File | null>(null);
  const tried = useSignal<Tried | null>(null);
  const running = useSignal(false);
  const chosen = useSignal<string | null>(null);
  const isLive = useSignal(false);
  const whyNoCamera = useSignal<string | null>(null);
  /** Counts trials: only the latest one is shown, whichever ends last. */
  const latest = useRef(0);
  const { value: given } = useRead<PageNames>("names", () =>
    databaseParameters(currentRoute.value.parameters),
  );
  useKeptDatabase(given);
  const database = given?.database ?? null;

  useEffect(() => {
    const [file, name] = [picture.value, database];
    if (file === null || name === null) return;
    latest.current += 1;
    const turn = latest.current;
    running.value = true;
    void attempt(async () => {
      const trial: PageTrial = await askJson("POST", pathOf("page", "try", { database: name }), file);
      if (turn !== latest.current) return;
      const before = tried.peek();
      if (before !== null) URL.revokeObjectURL(before.url);
      tried.value = { picture: file, url: URL.createObjectURL(file), trial };
      chosen.value = trial.targets[0]?.targetId ?? null;
    }).then(() => {
      if (turn === latest.current) running.value = false;
    });
  }, [picture.value, database]);
  const sent = currentRoute.value.parameters.get("picture");
  useEffect(() => {
    if (sent === null) return;
    void attempt(async () => {
      const response = await ask("GET", pathOf("page", "images", sent));
      picture.value = new File([await response.blob()], "Picture of a request");
    });
  }, [sent]);
  if (given === null) return <p class="empty stack faint">Loading…</p>;

  if (database === null)
    return (
      <Empty icon="try" title="Try a picture">
        <p>No cloud database yet. Add one in the overview.</p>
      </Empty>
    );
  const take = (files: readonly File[]) => {
    const [first] = pictures(files);
    if (first === undefined) return;
    isLive.value = false;
    whyNoCamera.value = null;
    setParameters({ picture: undefined });
    picture.value = first;
  };
  const toggleCamera = () => {
    whyNoCamera.value = null;
    isLive.value = !isLive.value;
  };
  const { value: result } = tried;
  const target = result?.trial.targets.find(({ targetId }) => targetId === chosen.value);
  return (
    <DropZone label="Drop or paste a picture" onFiles={take}>
      <header class="view-head row">
        <h1>Try a picture</h1>
        {running.value && <span class="faint small">Comparing…</span>}
        <span class="grow" />
        <Select
          bare
          label="Database"
          value={database}
          options={given.databases}
          onChange={(name) => setParameters({ database: name })}
        />
        <Button
          icon="camera"
          label={isLive.value ? "Close the camera" : "Use the camera"}
          onClick={toggleCamera}
        />
        {(result !== null || isLive.value) && (
          <FileButton kind="main" label="Choose a picture" accept={PICTURES} onFiles={take} />
        )}
      </header>
      {whyNoCamera.value !== null && (
        <p class="callout busy row" role="alert">
          <Icon name="warning" />
          <span class="grow">{whyNoCamera.value}</span>
        </p>
      )}
      {isLive.value ? (
        <Camera
          database={database}
          onPicture={(file) => take([file])}
          onEnd={(why) => {
            isLive.value = false;
            whyNoCamera.value = why;
          }}
        />
      ) : result === null ? (
        <div class="drop-zone">
          <Empty icon="try" title="Drop or paste a picture">
            <p>
              See what a query with a picture, or with what a camera sees, would find, and how similar every
              target is. Trying does not count as a request.
            </p>
            <FileButton kind="main" label="Choose a picture" accept={PICTURES} onFiles={take} />
          </Empty>
        </div>
      ) : (
        <div class="grid try">
          <div class="stack">
            <PictureFacts key={result.url} tried={result} target={target} />
            {target !== undefined && target.score !== null && target.outline === null && (
              <Pair
                key={`${result.url} ${target.targetId}`}
                picture={result.picture}
                url={result.url}
                target={target}
              />
            )}
          </div>
          <section class="card stack" aria-label="Nearest first">
            <Scores trial={result.trial} chosen={chosen.value} onChoose={(id) => set(chosen, id)} />
          </section>
        </div>
      )}
    </DropZone>
  );
}

function PictureFacts({
  tried: { picture, url, trial },
  target,
}: {
  readonly tried: Tried;
  readonly target: PageTriedTarget | undefined;
}) {
  const { image } = trial;
  const features = useSignal<PageFeatures | null>(null);
  const load = () => askJson<PageFeatures>("POST", pathOf("page", "features", { as: "query" }), picture);
  return (
    <section class="card stack" aria-label="Your picture">
      <div class="stack">
        <Outlined targets={target ? [target] : []} features={features.value}>
          <img src={url} alt="Yours" />
        </Outlined>
        {image.recognition !== null && <FeaturesButton features={features} load={load} />}
      </div>
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
                  {image.rating !== null ? (
                    <Stars rating={image.rating} />
                  ) : (
                    image.outcome !== null && <span class="faint">rated when it is added</span>
                  )}
                </span>
              ),
            ],
            [
              "In photographs",
              trial.comparison?.by === "features" && image.recognition !== null ? (
                <span class="row">
                  <Stars rating={image.recognition.rating} />
                  <span>{image.recognition.advice}</span>
                </span>
              ) : null,
            ],
            [
              "BRISQUE",
              image.brisque === null
                ? null
                : `${image.brisque.toFixed(1)} (0 is best, 100 is worst). ${quality(image.brisque)}`,
            ],
          ]}
        />
        {image.outcome === "failed" && (
          <p class="faint">The picture has nearly one colour, so processing fails.</p>
        )}
        {image.outcome === "success" && image.rating === 0 && (
          <p class="faint">Queries never find a target with a rating of 0.</p>
        )}
      </div>
    </section>
  );
}
