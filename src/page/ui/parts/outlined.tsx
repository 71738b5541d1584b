import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { Outline } from "../../../core/schema/journal-entry.ts";
import type { PageFeatures } from "../../model.ts";
import { attempt } from "../state/api.ts";
import { count } from "../state/format.ts";
import { Button } from "./controls.tsx";

interface OutlinedProps {
  readonly targets: readonly { readonly name: string; readonly outline?: Outline | null | undefined }[];
  /** Drawn as dots. */
  readonly features?: PageFeatures | null;
  readonly children: ComponentChildren;
}

/** A picture, with lines around the targets that it shows, and dots at its features. */
export function Outlined({ targets, features = null, children }: OutlinedProps) {
  const shown = targets.flatMap(({ name, outline }) => (outline ? [{ name, outline }] : []));
  const labels = [
    ...(shown.length > 0 ? [`Outline of ${shown.map(({ name }) => name).join(", ")}`] : []),
    ...(features === null ? [] : [count(features.places.length, "feature")]),
  ];
  // Lines of no length with round ends: circles would be distorted like the picture.
  const dots = features?.places.map(([x, y]) => `M${x} ${y}h0`).join("");
  return (
    <div class="outlined">
      {children}
      {labels.length > 0 && (
        <svg
          width="100%"
          height="100%"
          viewBox="0 0 1 1"
          preserveAspectRatio="none"
          role="img"
          aria-label={labels.join("; ")}
          fill="none"
          stroke-linecap="round"
        >
          {dots !== undefined && (
            <path d={dots} stroke="rgb(0 0 0 / 60%)" stroke-width={4} vector-effect="non-scaling-stroke" />
          )}
          {dots !== undefined && (
            <path d={dots} stroke="rgb(255 214 10)" stroke-width={2.5} vector-effect="non-scaling-stroke" />
          )}
          {shown.map(({ name, outline }) => (
            <polygon
              key={name}
              points={outline.map((corner) => corner.join()).join(" ")}
              stroke="#2fa866"
              stroke-width={3}
              vector-effect="non-scaling-stroke"
            />
          ))}
        </svg>
      )}
    </div>
  );
}

interface FeaturesButtonProps {
  readonly features: Signal<PageFeatures | null>;
  readonly load: () => Promise<PageFeatures>;
}

export function FeaturesButton({ features, load }: FeaturesButtonProps) {
  const loaded = useSignal<PageFeatures | null>(null);
  const { value } = features;
  const toggle = async () => {
    if (value === null) loaded.value ??= await load();
    features.value = value === null ? loaded.value : null;
  };
  return (
    <span class="row">
      <Button
        icon="features"
        label="Features"
        aria-pressed={value !== null}
        onClick={() => attempt(toggle)}
      />
      <span class="faint small" role="status">
        {value !== null && count(value.places.length, "feature")}
      </span>
    </span>
  );
}
